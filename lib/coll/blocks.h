/* A buffer that has a block for each rank. */
#ifndef MPI_BLOCKS_H
#define MPI_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* counts NULL: `count` elements each, one block behind the other, and `longer` more in the one of
 * rank `last`.  unit: bytes from one element to the next. */
struct mpi_blocks {
    const void *buf;
    const int *counts, *displs;
    size_t count, unit;
    size_t longer;
    int last;
};

static inline size_t mpi_block_bytes(const struct mpi_blocks *b, int i)
{
    return (b->counts ? (size_t)b->counts[i] : b->count + (i == b->last ? b->longer : 0)) * b->unit;
}

/* In bytes from the beginning of the buffer; needs displs where there are counts. */
static inline ptrdiff_t mpi_block_offset(const struct mpi_blocks *b, int i)
{
    ptrdiff_t element = b->counts ? b->displs[i] : (ptrdiff_t)i * (ptrdiff_t)b->count;
    return element * (ptrdiff_t)b->unit;
}

static inline char *mpi_block_at(const struct mpi_blocks *b, int i)
{
    return (char *)(uintptr_t)b->buf + mpi_block_offset(b, i);
}

#endif
