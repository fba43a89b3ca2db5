/* A buffer that has a block for each rank. */
#ifndef MPI_BLOCKS_H
#define MPI_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counts or displacements as a call has them: of int, or of 64 bits where counts are large. */
struct mpi_numbers { const void *array; bool wide; };
#define MPI_NUMBERS(a) ((struct mpi_numbers){ (a), sizeof *(a) == sizeof(int64_t) })

static inline int64_t mpi_number(const struct mpi_numbers *n, int i)
{
    return n->wide ? ((const int64_t *)n->array)[i] : ((const int *)n->array)[i];
}

/* A block of its own. */
struct mpi_own_block { void *at; size_t bytes; };

/* parts: a block each, and nothing else counts; or NULL.  counts of NULL: `count` elements each,
 * one block behind the other, and `longer` more in the one of rank `last`.  unit: bytes from one
 * element to the next. */
struct mpi_blocks {
    const void *buf;
    const struct mpi_own_block *parts;
    struct mpi_numbers counts, displs;
    size_t count, unit;
    size_t longer;
    int last;
};

/* Not of parts. */
static inline size_t mpi_block_elements(const struct mpi_blocks *b, int i)
{
    if (b->counts.array)
        return (size_t)mpi_number(&b->counts, i);
    return b->count + (i == b->last ? b->longer : 0);
}

static inline size_t mpi_block_bytes(const struct mpi_blocks *b, int i)
{
    return b->parts ? b->parts[i].bytes : mpi_block_elements(b, i) * b->unit;
}

/* In bytes from the beginning of the buffer; needs displs where there are counts.  Not of parts. */
static inline ptrdiff_t mpi_block_offset(const struct mpi_blocks *b, int i)
{
    ptrdiff_t element = b->counts.array ? (ptrdiff_t)mpi_number(&b->displs, i)
                                        : (ptrdiff_t)i * (ptrdiff_t)b->count;
    return element * (ptrdiff_t)b->unit;
}

static inline char *mpi_block_at(const struct mpi_blocks *b, int i)
{
    return b->parts ? b->parts[i].at : (char *)(uintptr_t)b->buf + mpi_block_offset(b, i);
}

#endif
