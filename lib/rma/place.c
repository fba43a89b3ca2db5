/* From a displacement to memory. */
#include "rma/place.h"

#include "rma/attach.h"

/* The first byte and the one behind the last, counted from the part's beginning, or for memory that
 * was attached from address 0.  False: they can't be. */
static bool range_of(const struct mpi_rma_part *p, MPI_Aint disp, const struct mpi_rma_side *s,
                     uint64_t *begin, uint64_t *end)
{
    int64_t from, low, high;
    if (__builtin_mul_overflow((int64_t)disp, p->unit, &from)
        || __builtin_add_overflow(from, (int64_t)s->low, &low)
        || __builtin_add_overflow(from, (int64_t)s->high, &high) || low < 0)
        return false;
    *begin = (uint64_t)low;
    *end = (uint64_t)high;
    return true;
}

int mpi_rma_place(struct mpi_win *w, int target, MPI_Aint disp, const struct mpi_rma_side *s,
                  struct mpi_rma_place *place)
{
    const struct mpi_rma_part *p = &w->part[target];
    uint64_t begin, end;
    if (!range_of(p, disp, s, &begin, &end))
        return MPI_ERR_RMA_RANGE;
    if (unlikely(w->flavor == MPI_WIN_FLAVOR_DYNAMIC))
        return mpi_rma_find_attached(w, target, begin, end, place);
    if (end > p->bytes)
        return MPI_ERR_RMA_RANGE;
    place->at = p->at ? p->at + begin : NULL;
    place->address = p->address;
    place->address.offset += begin;
    place->atomic = p->atomic;
    place->across = 0;
    return MPI_SUCCESS;
}
