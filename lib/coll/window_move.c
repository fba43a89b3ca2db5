/* Data that only move from rank to rank through windows. */
#include "coll/window.h"

/* -- in: pieces of what this rank gives, into its window */

static size_t put(struct mpi_window_op *o, size_t r, size_t part, const void *from, size_t bytes)
{
    size_t n = mpi_window_bytes(o, bytes, r);
    memcpy(mpi_window_part(o, o->x->rank, r, part), (const char *)from + r * o->piece, n);
    return n;
}

/* Another's first for each rank, so that not all read the same window at a time. */
static size_t put_parts(struct mpi_window_op *o, size_t r)
{
    int rank = o->x->rank, size = o->x->size;
    size_t sum = 0;
    for (int step = 1; step < size; step++) {
        int i = (rank + step) % size;
        sum += put(o, r, (size_t)i, mpi_block_at(o->p->send, i), o->p->bytes);
    }
    return sum;
}

/* Returns their bytes. */
static size_t put_all(struct mpi_window_op *o, size_t r)
{
    const struct mpi_coll_plan *p = o->p;
    int rank = o->x->rank;
    bool root = rank == p->root;
    if (p->kind == MPI_COLL_ALLTOALL || (p->kind == MPI_COLL_SCATTER && root))
        return put_parts(o, r);
    if (p->kind == MPI_COLL_BCAST && root)
        return put(o, r, 0, p->data, p->bytes);
    if (p->kind == MPI_COLL_GATHER && !root)
        return put(o, r, 0, p->from, p->bytes);
    if (p->kind == MPI_COLL_ALLGATHER)
        return put(o, r, 0, mpi_block_at(p->recv, rank), mpi_block_bytes(p->recv, rank));
    return 0;
}

static void in(struct mpi_window_op *o, size_t r)
{
    bool many = (o->p->kind == MPI_COLL_BCAST || o->p->kind == MPI_COLL_ALLGATHER)
                && o->x->size > 2;
    uint64_t begin = mpi_window_fill(o, r);
    size_t bytes = put_all(o, r);
    if (bytes)
        mpi_window_filled(o, r, begin, bytes, many);
}

/* -- out: pieces of what this rank gets, out of the others' windows */

static void take(struct mpi_window_op *o, size_t r, int rank, size_t part, void *to, size_t bytes)
{
    char *from = mpi_window_part(o, rank, r, part);
    size_t n = mpi_window_bytes(o, bytes, r);
    memcpy((char *)to + r * o->piece, from, n);
    mpi_window_leave(o, rank, r, from, n);
}

static void take_all(struct mpi_window_op *o, size_t r, size_t part)
{
    const struct mpi_blocks *to = o->p->recv;
    int rank = o->x->rank, size = o->x->size;
    for (int step = 1; step < size; step++) {
        int i = (rank + size - step) % size;
        take(o, r, i, part, mpi_block_at(to, i), mpi_block_bytes(to, i));
    }
}

static void out(struct mpi_window_op *o, size_t r)
{
    const struct mpi_coll_plan *p = o->p;
    bool root = o->x->rank == p->root;
    size_t own = (size_t)o->x->rank;
    if (p->kind == MPI_COLL_ALLTOALL)
        take_all(o, r, own);
    else if (p->kind == MPI_COLL_ALLGATHER || (p->kind == MPI_COLL_GATHER && root))
        take_all(o, r, 0);
    else if (p->kind != MPI_COLL_GATHER && !root)       /* a broadcast, or to be scattered */
        take(o, r, p->root, p->kind == MPI_COLL_SCATTER ? own : 0, p->data, p->bytes);
}

/* -- */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void keep(void *to, const void *from, size_t bytes)
{
    if (to && from && to != from)
        memcpy(to, from, bytes);
}

/* A rank's own block does not travel; of a root it may be in place. */
static void keep_own(struct mpi_window_op *o)
{
    const struct mpi_coll_plan *p = o->p;
    int rank = o->x->rank;
    bool root = rank == p->root;
    if (p->kind == MPI_COLL_ALLTOALL)
        keep(mpi_block_at(p->recv, rank), mpi_block_at(p->send, rank), p->bytes);
    else if (p->kind == MPI_COLL_GATHER && root)
        keep(mpi_block_at(p->recv, rank), p->from, least(p->own_bytes, p->bytes));
    else if (p->kind == MPI_COLL_SCATTER && root)
        keep(p->data, mpi_block_at(p->send, rank), least(p->own_bytes, p->bytes));
}

void mpi_window_move_first(struct mpi_window_op *o) { in(o, 0); }

void mpi_window_move(struct mpi_window_op *o, size_t turn)
{
    if (!turn)
        keep_own(o);
    if (turn + 1 < o->rounds)
        in(o, turn + 1);
    out(o, turn);
}
