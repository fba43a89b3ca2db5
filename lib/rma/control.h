/* What a rank of a window shows the others besides its memory: the queue of those who lock it, the
 * word under which it is accumulated into where no instruction does that, what says which of both
 * is to be (bulk.h), and the memory that was attached.  One block per rank and window, in its heap
 * if there is one.
 *
 * Words are 8 bytes, and all of them are written by atomic operations, of the processor where the
 * block is mapped here, else of the owner's NIC; but `few`, which is changed under `busy`,
 * `inside`, and `wanted`, which is a hint. */
#ifndef MPI_RMA_CONTROL_H
#define MPI_RMA_CONTROL_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Memory attached to a dynamic window.  `bytes` 0: the place is free; written last, taken away
 * first.  What `key` names, if registered, reaches over all pieces that touched this one as it
 * was attached, and `base` stands at `offset` in it.  Above the key: MPI_RMA_ORDER_SHIFT. */
struct mpi_rma_slot { uint64_t base, bytes, key, offset; };

/* Which attachment it was: of pieces that touch the latest has the key that reaches over all. */
enum { MPI_RMA_ORDER_SHIFT = 32 };

/* This rank's place in a queue. */
struct mpi_rma_place_in_queue {
    uint64_t next;          /* rank + 1 of who comes behind it */
    uint64_t go;            /* it is the first of the queue */
};

/* Its places in the queues of one target.  The second half is for locks where all ranks have mapped
 * all words (turns.h). */
struct mpi_rma_node {
    struct mpi_rma_place_in_queue lock, busy;
    uint64_t drained;       /* the last who shared the lock has left */
    uint64_t next;          /* above: a turn; rank + 1 of who waits for its end, asleep perhaps */
    uint32_t done, pad;     /* number of its last turn that is over */
    uint64_t holds;         /* it has the lock alone: for reports */
};
static_assert(sizeof(struct mpi_rma_node) == 64, "a cache line each");

/* What the target's NIC answers to one of this rank's small requests (small.h); `number` last. */
enum { MPI_RMA_ANSWERS = 4, MPI_RMA_ANSWER_BYTES = 48 };
struct mpi_rma_answer {
    uint32_t number;        /* of the request */
    uint32_t class;
    uint64_t pad;
    unsigned char data[MPI_RMA_ANSWER_BYTES];
};
static_assert(sizeof(struct mpi_rma_answer) == 64, "a cache line each");

/* All that one target answers; written by it. */
struct mpi_rma_answers {
    uint32_t handled;       /* number of the last put that was done */
    uint32_t failed;        /* class of a put that was not */
    /* of a long transfer: its number above, and the next chunk that nobody has; chunks that the
     * target has copied; whether it failed to */
    uint64_t claims;
    uint32_t helped, unhelpful;
    uint64_t pad[5];
    struct mpi_rma_answer answer[MPI_RMA_ANSWERS];
};
static_assert(sizeof(struct mpi_rma_answers) == 64 * (1 + MPI_RMA_ANSWERS), "no other's line");

/* Regions attached at a time, per rank and window.  No page of the block is taken before a place in
 * it is used, so their number costs addresses only. */
enum { MPI_RMA_SLOTS = 4096 };

/* `tail` has a line of its own, as whoever comes takes it away from the others, and so have
 * `readers`, which all of them look at, and `bulk`, which they look at each time.  `inside` is
 * written all the time, by its owner. */
struct mpi_rma_control {
    uint64_t tail;          /* rank + 1 of the last in the queue for this rank's lock; 0: nobody.
                             * Of turns: above it their number, which may be over */
    uint64_t pad[7];
    uint64_t readers;       /* who shares the lock; above: rank + 1 of who waits for their end */
    uint64_t broken;        /* rank + 1 of who has ended in its queue, where that is asked */
    uint64_t readers_pad[6];
    uint64_t busy;          /* rank + 1 of who accumulates here, or on the model clock of the last
                             * of those who want to; 0: nobody */
    uint32_t few;           /* under it: calls with few elements since the last bulk (bulk.h) */
    uint32_t wanted;        /* rank + 1 of who has found `busy` taken for some time; 0: nobody */
    uint64_t busy_pad[4];
    uint64_t serves;        /* this rank's NIC does small requests: it knows all parts */
    uint64_t slots;         /* how many places of `slot` were ever used */
    uint64_t bulk;          /* elements here are changed under `busy` */
    uint64_t lightly;       /* this rank fences between `inside` and others' `bulk` for the compiler
                             * alone; does not change */
    uint64_t bulk_pad[6];
    uint64_t inside;        /* threads of this rank that change elements without `busy` */
    uint64_t inside_pad[7];
    struct mpi_rma_node node[];     /* one for each rank as a target; as many answers; the slots */
};
static_assert(sizeof(struct mpi_rma_control) == 320, "five cache lines");

enum { MPI_RMA_WRITER_SHIFT = 32 };

static inline size_t mpi_rma_node_at(int target, size_t member)
{
    return sizeof(struct mpi_rma_control) + (size_t)target * sizeof(struct mpi_rma_node) + member;
}

static inline size_t mpi_rma_answers_at(int ranks, int target)
{
    return mpi_rma_node_at(ranks, 0) + (size_t)target * sizeof(struct mpi_rma_answers);
}

static inline size_t mpi_rma_slots_at(int ranks) { return mpi_rma_answers_at(ranks, ranks); }

#endif
