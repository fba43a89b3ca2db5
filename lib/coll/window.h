/* Collectives of some length among the ranks of one machine, through windows: blocks of each rank's
 * heap, which all have mapped.  What a rank gives it copies into its own window, a piece at a time
 * that stays in the caches, and the others take it from there; reductions are combined there, each
 * rank a slice.  No message, and no call of the kernel but to sleep.
 *
 * The ranks exchange by slots (fw/shm_coll.h) where their windows are, and on what all must agree.
 * From then on they meet between their turns at a counter in the window of rank 0: who has done its
 * turn counts itself, and does the next one when all have.  A window has several buffers, used one
 * after the other, so that the next piece is copied in while others still take the last one:
 *
 *   in(0) exchange | in(1) out(0) meet | in(2) out(1) meet ...            two: data that only move
 *   in(0) exchange | combine(0) in(1) meet | out(0) combine(1) in(2) meet ... three: reductions
 *
 * A buffer is written again by in(r + 2), or in(r + 3), behind a meeting that all ranks came to
 * after out(r).  After the last meeting nobody reads a window.
 *
 * Edge: M0 acquire-release count of an arrival -> M1 acquire load of the count, all have arrived:
 * what each did in its turn comes before what any does in the next. */
#ifndef MPI_WINDOW_H
#define MPI_WINDOW_H

#include <stdatomic.h>

#include "coll/coll.h"

enum {
    MPI_WINDOW_RANKS = 256,         /* at most: what they offer has a place each */
    MPI_WINDOW_UNIT = 1024,         /* bytes of an element of a reduction, at most */
    /* bytes: each holds a piece of such an element from 256 ranks; memory is taken as it is
     * touched */
    MPI_WINDOW_BUFFER = 256 * 1024,
    MPI_WINDOW_BUFFERS = 3,
    MPI_WINDOW_HEAD = 4096,         /* in front of them */
    MPI_WINDOW_BYTES = MPI_WINDOW_HEAD + MPI_WINDOW_BUFFERS * MPI_WINDOW_BUFFER,
};
static_assert(MPI_WINDOW_BUFFER / MPI_WINDOW_RANKS >= MPI_WINDOW_UNIT, "room for an element");

/* At the beginning of a window.  arrivals: of rank 0's, at all meetings so far; never back.
 * claims: whether who has read a buffer is to claim its lines (fw/refill.h). */
struct mpi_window_head {
    _Atomic uint64_t arrivals;
    _Alignas(64) _Atomic uint32_t claims[MPI_WINDOW_BUFFERS];
};
static_assert(sizeof(struct mpi_window_head) <= MPI_WINDOW_HEAD, "in front of the buffers");

/* What a rank says at first: bytes and root, as who waits for messages of the same call may be told
 * (fingerprint.c), the offset of the window in its heap, NIC_HEAP_NONE, or that windows do not pay
 * (window_price.h), and the arrivals there so far.  gives: of an all-to-all to each, of an
 * all-gather to all. */
#define MPI_WINDOW_DEAR (NIC_HEAP_NONE - 1)
struct mpi_window_offer { uint64_t takes, root, gives, window, arrivals; };

/* A window of this process. */
struct mpi_window {
    char *head;
    uint64_t offset;
    bool used;
    uint8_t lines[MPI_WINDOW_BUFFERS];          /* enum fw_lines, when a buffer is filled next */
    struct mpi_window *next;
};

static inline struct mpi_window_head *mpi_window_head_of(const struct mpi_window *w)
{
    return (struct mpi_window_head *)(void *)w->head;
}

struct mpi_window_op {
    struct mpi_coll *x;
    const struct mpi_coll_plan *p;
    struct mpi_window *own;     /* NULL: there is no room for one, or */
    bool dear;                  /* none is wanted */
    size_t buffer;              /* bytes of each */
    size_t piece;               /* bytes per round: of what a rank gives, or of each rank's part */
    size_t stride;              /* in a buffer, from part to part */
    size_t rounds;
    size_t turn, turns;         /* done, and in all: each ends with a meeting */
    bool arrived;               /* at the next meeting */
    struct mpi_window_head *head;   /* rank 0's */
    uint64_t awaited;           /* its arrivals when all will have come to the next meeting */
    char *at[MPI_WINDOW_RANKS]; /* each rank's buffers */
    struct mpi_window_offer offer[MPI_WINDOW_RANKS];
};

/* Whether it goes on: FAILED: the ranks disagree, which is noted; MISSING: a rank has no window.
 * All ranks find the same, once the offers are exchanged. */
enum mpi_window_met { MPI_WINDOW_MET, MPI_WINDOW_MISSING, MPI_WINDOW_FAILED };
enum mpi_window_met mpi_window_find(struct mpi_window_op *o);
/* When all turns are done: what this rank alone finds wrong is noted. */
void mpi_window_compare(struct mpi_window_op *o);
/* -- lines of buffers that are filled again and again (fw/refill.h) */

/* Of a new window. */
void mpi_window_lines_new(struct mpi_window *w);
/* A buffer of this rank's window is filled in round r: before, and, with what that returned, behind
 * it.  many: each of its lines has several readers. */
uint64_t mpi_window_fill(const struct mpi_window_op *o, size_t r);
void mpi_window_filled(struct mpi_window_op *o, size_t r, uint64_t begin, size_t bytes, bool many);
/* A part of another rank's has been read. */
void mpi_window_leave(const struct mpi_window_op *o, int rank, size_t r, char *part, size_t bytes);

/* -- turns */

/* Does a turn, unless it waits for others; true: it has got on. */
bool mpi_window_advance(struct mpi_window_op *o);
/* M0: at the next meeting.  M1: any thread, also without the baton. */
void mpi_window_arrive(struct mpi_window_op *o);
bool mpi_window_have_met(const struct mpi_window_op *o);

/* What is exchanged, as a plan; all: for it. */
struct mpi_coll_plan mpi_window_exchange(struct mpi_window_op *o, struct mpi_blocks *all);

/* The beginning, with a window if there is one, and the end. */
void mpi_window_begin(struct mpi_window_op *o, struct mpi_coll *x, const struct mpi_coll_plan *p);
void mpi_window_end(struct mpi_window_op *o);

/* Of round r, in the buffer that is its turn: a rank's part for rank i. */
static inline char *mpi_window_part(const struct mpi_window_op *o, int rank, size_t r, size_t i)
{
    return o->at[rank] + r % MPI_WINDOW_BUFFERS * o->buffer + i * o->stride;
}

/* What round r has of so many bytes. */
static inline size_t mpi_window_bytes(const struct mpi_window_op *o, size_t bytes, size_t r)
{
    size_t at = r * o->piece;
    return at >= bytes ? 0 : bytes - at < o->piece ? bytes - at : o->piece;
}

/* A turn; what goes in first, before the exchange. */
void mpi_window_move_first(struct mpi_window_op *o);
void mpi_window_move(struct mpi_window_op *o, size_t turn);
void mpi_window_reduce_first(struct mpi_window_op *o);
void mpi_window_reduce(struct mpi_window_op *o, size_t turn);

#endif
