/* Builders of schedules: each collective's algorithm, as steps for one rank: who sends what to
 * whom.  The NIC or the host executes them (fw/schedule.h). */
#ifndef MPI_BUILD_H
#define MPI_BUILD_H

#include "coll/blocks.h"
#include "coll/bypass.h"
#include "coll/coll.h"
#include "fw/schedule.h"

struct mpi_build {
    struct fw_sched *s;
    int rank, size;
    int first;                  /* the schedule's number of rank 0: of a group in two, else 0 */
    const int *ranks;           /* the schedule's number of each rank; NULL: from `first` on */
    bool packets;               /* what fits travels as packets of steps, not as messages */
    bool kept;                  /* started again and again: each time reads the buffers anew */
    enum mpi_bypass bypass;     /* what short broadcasts do about ranks that are late */
    bool early;                 /* the call returns before its schedule ends */
    bool crowded;               /* more ranks than cores: flat trees, few turns of each rank */
    const char *barrier;        /* MPILITE_BARRIER: pairwise or gather:DEGREE; NULL: the best */
};

/* -- steps */

/* The data may change only after the next wait, unless they went as a packet. */
void mpi_build_send(struct mpi_build *b, int peer, const void *from, size_t bytes);
/* The same to one to whom all send. */
void mpi_build_send_to_one(struct mpi_build *b, int peer, const void *from, size_t bytes);
/* Begins to receive: what comes is there after the next wait. */
void mpi_build_recv(struct mpi_build *b, int peer, void *to, size_t bytes);
/* For all messages begun so far. */
void mpi_build_wait(struct mpi_build *b);
/* From this rank to all others, by their NICs: as one packet, which fits, along a tree of that
 * latency (nicemu/multi.h).  The data may change afterwards. */
void mpi_build_multi(struct mpi_build *b, const void *from, size_t bytes, unsigned latency);
/* The same for one message, which is there afterwards. */
void mpi_build_take(struct mpi_build *b, int peer, void *to, size_t bytes);
void mpi_build_exchange(struct mpi_build *b, int peer, const void *from, void *to, size_t bytes);
/* higher = lower op higher */
void mpi_build_combine(struct mpi_build *b, const void *lower, void *higher, size_t bytes);
/* What is read from a buffer as it is when the schedule starts, before any other step. */
void mpi_build_read(struct mpi_build *b, void *to, const void *from, size_t bytes);
/* Nothing, where both are the same. */
void mpi_build_copy(struct mpi_build *b, void *to, const void *from, size_t bytes);
/* mine = mine op theirs, which is then of no more use */
void mpi_build_fold(struct mpi_build *b, const struct mpi_reduction *r, void *mine, void *theirs);
/* Memory that lives as long as the schedule; NULL: there is none, which the schedule notes. */
static inline void *mpi_build_memory(struct mpi_build *b, size_t bytes)
{
    return mpi_fw_sched_memory(b->s, bytes);
}

/* -- collectives */

/* Of barriers and all-reductions: a tree, or pairs of ranks. */
struct mpi_barrier_algorithm { bool tree; int degree; };
struct mpi_barrier_algorithm mpi_build_barrier_algorithm(const struct mpi_build *b);

void mpi_build_barrier(struct mpi_build *b);
void mpi_build_bcast(struct mpi_build *b, void *data, size_t bytes, int root);

/* `result` (r->count elements) is this rank's contribution at first, and at the root the result at
 * last; elsewhere it is scratch. */
void mpi_build_reduce(struct mpi_build *b, void *result, const struct mpi_reduction *r, int root);
/* What that takes as `result` where the contribution `from` is not to change; NULL: no memory. */
void *mpi_build_contribution(struct mpi_build *b, const void *from, const struct mpi_reduction *r,
                             int root);
/* Whether this rank only sends its contribution, which stays as it is. */
bool mpi_build_reduce_is_leaf(const struct mpi_build *b, const struct mpi_reduction *r, int root);
void mpi_build_allreduce(struct mpi_build *b, void *result, const struct mpi_reduction *r);
/* To rank i its `block` of the reduction of `from`, to `result`. */
void mpi_build_reduce_scatter(struct mpi_build *b, const void *from, void *result,
                              const struct mpi_blocks *block, const struct mpi_reduction *r);
/* The second half of it: rank 0 has the whole, which the others need not give. */
void mpi_build_scatter_parts(struct mpi_build *b, const char *whole, void *result,
                             const struct mpi_blocks *block);
/* `from` NULL: the contribution is in `result`.  Exclusive: rank 0 gets no result. */
void mpi_build_scan(struct mpi_build *b, const void *from, void *result,
                    const struct mpi_reduction *r, bool inclusive);

/* own: this rank's block, NULL: it is in place; blocks: at the root. */
void mpi_build_gather(struct mpi_build *b, const void *own, size_t bytes,
                      const struct mpi_blocks *blocks, int root);
/* The long blocks of a gatherv. */
void mpi_build_vector(struct mpi_build *b, const struct mpi_coll_vector *v);
void mpi_build_scatter(struct mpi_build *b, const struct mpi_blocks *blocks, void *own,
                       size_t bytes, int root);
/* Each rank's own block is in place. */
void mpi_build_allgather(struct mpi_build *b, const struct mpi_blocks *blocks);
/* The same by a ring, whatever the length. */
void mpi_build_ring(struct mpi_build *b, const struct mpi_blocks *blocks);
/* send NULL: what is in the blocks that are received to. */
void mpi_build_alltoall(struct mpi_build *b, const struct mpi_blocks *send,
                        const struct mpi_blocks *recv);

/* Block i of `send` goes to destination i of the topology, and comes from source i to that of
 * `recv`. */
void mpi_build_neighbor(struct mpi_build *b, const struct mpi_topo *topo,
                        const struct mpi_blocks *send, const struct mpi_blocks *recv);
/* In two levels (core/levels.h): whether a plan goes so, which all ranks find alike; all of it; and
 * what the leaders of the machines do between what is done on each, with p->data, or the blocks, as
 * what their machine gives. */
bool mpi_build_has_levels(const struct mpi_coll_plan *p);
void mpi_build_levels(struct mpi_build *b, const struct mpi_coll_plan *p);
void mpi_build_leaders(struct mpi_build *b, const struct mpi_coll_plan *p);

/* Any of an intercommunicator; b is of the local group. */
void mpi_build_inter(struct mpi_build *b, const struct mpi_coll_plan *p);

#endif
