/* Reductions through windows: each rank combines the pieces of its slice in rank order, in the
 * windows in which they lie. */
#include "coll/window.h"

/* A rank's slice of the data. */
struct slice { size_t at, bytes; };

/* Of so many elements each rank has as many as the others, or one more. */
static struct slice even_slice(const struct mpi_reduction *r, size_t n, size_t rank)
{
    size_t extra = r->count % n, first = r->count / n * rank + (rank < extra ? rank : extra);
    return (struct slice){ .at = first * r->unit,
                           .bytes = (r->count / n + (rank < extra)) * r->unit };
}

/* The next one behind `before`. */
static struct slice slice_of(const struct mpi_window_op *o, size_t rank, struct slice before)
{
    if (o->p->kind != MPI_COLL_REDUCE_SCATTER)
        return even_slice(o->p->r, (size_t)o->x->size, rank);
    return (struct slice){ .at = before.at + before.bytes,
                           .bytes = mpi_block_bytes(o->p->recv, (int)rank) };
}

static struct slice own_slice(const struct mpi_window_op *o)
{
    struct slice s = { 0, 0 };
    for (int i = 0; i <= o->x->rank; i++)
        s = slice_of(o, (size_t)i, s);
    return s;
}

static const char *contribution(const struct mpi_window_op *o)
{
    return o->p->from ? o->p->from : o->p->data;
}

/* Round r's pieces of all slices; of its own a rank needs none in its window, unless the order of
 * the operands counts. */
static void in(struct mpi_window_op *o, size_t r)
{
    struct slice s = { 0, 0 };
    int rank = o->x->rank;
    for (int i = 0; i < o->x->size; i++) {
        s = slice_of(o, (size_t)i, s);
        if (i != rank || !o->p->r->commutative)
            memcpy(mpi_window_part(o, rank, r, (size_t)i), contribution(o) + s.at + r * o->piece,
                   mpi_window_bytes(o, s.bytes, r));
    }
    mpi_window_filled(o, r, 0, 0, true);
}

/* Where the result of rank i's slice is in the end: in the last window that had a piece of it. */
static int result_of(const struct mpi_window_op *o, int i)
{
    int last = o->x->size - 1;
    return o->p->r->commutative && i == last ? last - 1 : last;
}

static void combine(struct mpi_window_op *o, const struct slice *s, size_t r)
{
    int rank = o->x->rank;
    const char *own = contribution(o) + s->at + r * o->piece;
    size_t bytes = mpi_window_bytes(o, s->bytes, r);
    char *sum = NULL;
    for (int i = 0; bytes && i < o->x->size; i++) {
        char *theirs = mpi_window_part(o, i, r, (size_t)rank);
        bool mine = i == rank && o->p->r->commutative;
        if (mine && sum)
            mpi_coll_combine(o->p->r, own, sum, bytes);
        else if (!mine && i)
            mpi_coll_combine(o->p->r, sum ? sum : own, theirs, bytes);
        sum = mine ? sum : theirs;
    }
}

/* Of the slices whose result this rank gets. */
static void out(struct mpi_window_op *o, size_t r)
{
    struct slice s = { 0, 0 };
    if (o->p->kind == MPI_COLL_REDUCE && o->x->rank != o->p->root)
        return;
    for (int i = 0; i < o->x->size; i++) {
        s = slice_of(o, (size_t)i, s);
        memcpy((char *)o->p->data + s.at + r * o->piece,
               mpi_window_part(o, result_of(o, i), r, (size_t)i),
               mpi_window_bytes(o, s.bytes, r));
    }
}

/* A block that nobody else gets need not wait for the others.  In place it is written no further
 * than this rank's contributions have gone into its window. */
static void take_block(struct mpi_window_op *o, const struct slice *s, size_t r)
{
    memcpy((char *)o->p->data + r * o->piece,
           mpi_window_part(o, result_of(o, o->x->rank), r, (size_t)o->x->rank),
           mpi_window_bytes(o, s->bytes, r));
}

void mpi_window_reduce_first(struct mpi_window_op *o) { in(o, 0); }

void mpi_window_reduce(struct mpi_window_op *o, size_t turn)
{
    struct slice own = own_slice(o);
    bool parts = o->p->kind == MPI_COLL_REDUCE_SCATTER;
    if (turn && !parts)
        out(o, turn - 1);
    if (turn == o->rounds)
        return;
    combine(o, &own, turn);
    if (parts)
        take_block(o, &own, turn);
    if (turn + 1 < o->rounds)
        in(o, turn + 1);
}
