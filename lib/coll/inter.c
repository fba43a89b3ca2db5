/* Collectives of intercommunicators: what the ranks of a group do among themselves, and messages
 * from group to group.  Ranks have the numbers that both groups know. */
#include "coll/build.h"
#include "coll/tuning.h"

/* The same steps, but peers are ranks of the remote group. */
static struct mpi_build remote(const struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = *b;
    there.first = mpi_inter_remote_first(p->c);
    there.size = p->c->peers;
    return there;
}

/* Of collectives with a root: nothing to do for the ranks beside it. */
static bool is_root(const struct mpi_build *b, const struct mpi_coll_plan *p)
{
    return p->root == b->first + b->rank;
}
static bool is_beside_root(const struct mpi_coll_plan *p) { return p->root < 0; }

static void barrier(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    mpi_build_barrier(b);
    if (b->rank == 0)
        mpi_build_exchange(&there, 0, NULL, NULL, 0);
    mpi_build_bcast(b, NULL, 0, 0);
}

static void bcast(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    if (is_root(b, p)) {
        mpi_build_send(&there, 0, p->data, p->bytes);
        mpi_build_wait(b);
    } else if (!is_beside_root(p)) {
        if (b->rank == 0)
            mpi_build_take(&there, p->root - there.first, p->data, p->bytes);
        mpi_build_bcast(b, p->data, p->bytes, 0);
    }
}

static void gather(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    if (is_root(b, p))
        for (int i = 0; i < there.size; i++)
            mpi_build_recv(&there, i, mpi_block_at(p->recv, i), mpi_block_bytes(p->recv, i));
    else if (!is_beside_root(p))
        mpi_build_send(&there, p->root - there.first, p->from, p->own_bytes);
    mpi_build_wait(b);
}

static void scatter(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    if (is_root(b, p))
        for (int i = 0; i < there.size; i++)
            mpi_build_send(&there, i, mpi_block_at(p->send, i), mpi_block_bytes(p->send, i));
    else if (!is_beside_root(p))
        mpi_build_recv(&there, p->root - there.first, p->data, p->own_bytes);
    mpi_build_wait(b);
}

/* With every rank of the other group; send NULL: the same for each, p->from.  Ranks i here and j
 * there meet in turn (i + j) modulo the larger group, so that a window that waits, for what it has
 * begun, waits for such as has the same turns. */
static void exchange(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    int turns = b->size > there.size ? b->size : there.size;
    for (int turn = 0; turn < turns; turn++) {
        int i = (turn - b->rank + turns) % turns;
        if (i < there.size) {
            mpi_build_send(&there, i, p->send ? mpi_block_at(p->send, i) : p->from,
                           p->send ? mpi_block_bytes(p->send, i) : p->own_bytes);
            mpi_build_recv(&there, i, mpi_block_at(p->recv, i), mpi_block_bytes(p->recv, i));
        }
        if ((turn + 1) % MPI_ALLTOALL_WINDOW == 0)
            mpi_build_wait(b);
    }
    mpi_build_wait(b);
}

/* -- reductions: of one group, to its rank 0 */

/* Where rank 0 has the result then.  NULL may also be the contribution, if it is empty. */
static void *reduce_here(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    void *data = mpi_build_contribution(b, p->from, p->r, 0);
    if (!b->s->failed)
        mpi_build_reduce(b, data, p->r, 0);
    return data;
}

static void reduce(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    if (is_root(b, p)) {
        mpi_build_take(&there, 0, p->data, p->bytes);
    } else if (!is_beside_root(p)) {
        void *data = reduce_here(b, p);
        if (b->rank == 0)
            mpi_build_send(&there, p->root - there.first, data, p->bytes);
        mpi_build_wait(b);
    }
}

static void allreduce(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    void *data = reduce_here(b, p);
    if (b->rank == 0)
        mpi_build_exchange(&there, 0, data, p->data, p->bytes);
    mpi_build_bcast(b, p->data, p->bytes, 0);
}

static void reduce_scatter(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    struct mpi_build there = remote(b, p);
    void *data = reduce_here(b, p), *theirs = b->rank ? NULL : mpi_build_memory(b, p->bytes);
    if (b->s->failed)
        return;
    if (b->rank == 0)
        mpi_build_exchange(&there, 0, data, theirs, p->bytes);
    mpi_build_scatter_parts(b, theirs, p->data, p->recv);
}

void mpi_build_inter(struct mpi_build *b, const struct mpi_coll_plan *p)
{
    switch (p->kind) {
    case MPI_COLL_BARRIER: barrier(b, p); break;
    case MPI_COLL_BCAST: bcast(b, p); break;
    case MPI_COLL_REDUCE: reduce(b, p); break;
    case MPI_COLL_ALLREDUCE: allreduce(b, p); break;
    case MPI_COLL_GATHER: case MPI_COLL_GATHERV: gather(b, p); break;
    case MPI_COLL_SCATTER: case MPI_COLL_SCATTERV: scatter(b, p); break;
    case MPI_COLL_REDUCE_SCATTER: reduce_scatter(b, p); break;
    default: exchange(b, p);        /* MPI_COLL_ALLGATHER, MPI_COLL_ALLTOALL */
    }
}
