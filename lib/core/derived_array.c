/* Parts of arrays, made from the dimension of neighbours outwards: what is taken of a dimension is
 * the layout of a row of those below it. */
#include "core/derived_array.h"

#include <stdint.h>

/* Of elements `stride` bytes apart, the blocks of d; `row` goes over to the result.  Products are
 * unsigned: the step of a single block, or the place of no rest, may be beyond all numbers. */
static struct mpi_placed blocks_of(struct mpi_placed row, const struct mpi_dimension *d,
                                   ptrdiff_t stride)
{
    size_t taken = d->end > d->first ? d->end - d->first : 0;
    size_t whole = taken / d->step + (taken % d->step >= d->block);
    size_t rest = taken % d->step < d->block ? taken % d->step : 0;
    struct mpi_placed block = mpi_layout_repeat(row, d->block, stride);
    struct mpi_placed part[2] = {
        mpi_layout_repeat(block, whole, (ptrdiff_t)(d->step * (size_t)stride)),
        mpi_layout_repeat(row, rest, stride),
    };
    part[0].at += (ptrdiff_t)(d->first * (size_t)stride);
    part[1].at += (ptrdiff_t)((d->first + whole * d->step) * (size_t)stride);
    struct mpi_placed all = mpi_layout_join(part, 2);
    mpi_layout_drop(part[0].layout);
    mpi_layout_drop(part[1].layout);
    mpi_layout_drop(block.layout);
    mpi_layout_drop(row.layout);
    return all;
}

/* Indices that are taken. */
static size_t taken_of(const struct mpi_dimension *d)
{
    size_t taken = d->end > d->first ? d->end - d->first : 0, over = taken % d->step;
    return taken / d->step * d->block + (over < d->block ? over : d->block);
}

int mpi_derive_part(const struct mpi_type *old, const struct mpi_dimension *dimension,
                    size_t dimensions, struct mpi_derived **made)
{
    struct mpi_placed all = mpi_type_layout(old);
    ptrdiff_t stride = old->extent;
    size_t elements = 1;
    bool fits = true;
    for (size_t i = 0; fits && i < dimensions; i++) {
        ptrdiff_t whole;
        fits = !__builtin_mul_overflow(stride, (ptrdiff_t)dimension[i].size, &whole)
               && whole < PTRDIFF_MAX / 2 && whole > PTRDIFF_MIN / 2;
        if (!fits)
            break;
        all = blocks_of(all, &dimension[i], stride);
        elements *= taken_of(&dimension[i]);
        stride = whole;
    }
    if (fits)
        return mpi_derive_array(old, all, elements, stride, made);
    mpi_layout_drop(all.layout);
    return MPI_ERR_NO_MEM;
}
