/* Prefix reductions: along the chain of ranks. */
#include "coll/build.h"

/* `own` is this rank's contribution; `prefix` gets that of all lower ranks, and is not touched on
 * rank 0.  What both come to goes on to the next rank, in `own`. */
static void chain(struct mpi_build *b, void *own, void *prefix, size_t bytes)
{
    if (b->rank > 0) {
        mpi_build_take(b, b->rank - 1, prefix, bytes);
        mpi_build_combine(b, prefix, own, bytes);
    }
    if (b->rank + 1 < b->size)
        mpi_build_send(b, b->rank + 1, own, bytes);
    mpi_build_wait(b);
}

void mpi_build_scan(struct mpi_build *b, const void *from, void *result,
                    const struct mpi_reduction *r, bool inclusive)
{
    size_t bytes = r->unit * r->count;
    void *other = mpi_build_memory(b, bytes), *own = inclusive ? result : other;
    const void *contribution = from ? from : result;
    if (!other)
        return;
    mpi_build_read(b, own, contribution, bytes);
    chain(b, own, inclusive ? other : result, bytes);
}
