/* Copies of many blocks of one size: loops by shape, in which the compiler knows the size, so that
 * it makes loads and stores of them. */
#ifndef MPI_BLOCKS_H
#define MPI_BLOCKS_H

#include <stddef.h>

#include "type/layout.h"

/* Blocks at two distances on each side: `n` times `each` blocks of `bytes` bytes. */
struct mpi_plane {
    char *to;
    const char *from;
    size_t n, each, bytes;
    ptrdiff_t to_far, to_near, from_far, from_near;    /* from one time, one block to the next */
};

/* n blocks, one every `to_stride` and `from_stride` bytes. */
void mpi_blocks_copy(char *to, ptrdiff_t to_stride, const char *from, ptrdiff_t from_stride,
                     size_t n, size_t bytes);
void mpi_blocks_copy_plane(const struct mpi_plane *p);
/* Whether so many times at once are faster than each for itself; 0: no.  The distances are those of
 * the side with gaps. */
size_t mpi_blocks_at_once(size_t n, size_t each, size_t bytes, ptrdiff_t far, ptrdiff_t near);

/* Whether so many blocks at such a distance are in few sets of the nearest cache, one for itself
 * after the other. */
bool mpi_blocks_crowd(ptrdiff_t stride, size_t n, size_t bytes);

/* n blocks of a list, which have their places from `at` on, from or (out) to a packed stream. */
void mpi_blocks_gather(char *packed, const char *at, const struct mpi_block *b, size_t n);
void mpi_blocks_scatter(const char *packed, char *at, const struct mpi_block *b, size_t n);
/* From the blocks of one list to those of another, each of its counterpart's size. */
void mpi_blocks_copy_listed(char *to, const struct mpi_block *t, const char *from,
                            const struct mpi_block *f, size_t n);

#endif
