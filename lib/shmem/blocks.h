/* Blocks of the symmetric heap.  Where a block comes to lie follows from the calls before alone, so
 * that all PEs, which make the same calls, have it at the same offset. */
#ifndef MPI_SHMEM_BLOCKS_H
#define MPI_SHMEM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#define MPI_SHMEM_NO_BLOCK ((size_t)-1)

/* The offset of a new block in a heap of so many bytes; MPI_SHMEM_NO_BLOCK: no room. */
size_t mpi_shmem_block_take(size_t heap, size_t bytes, size_t align);

/* False: no block begins there. */
bool mpi_shmem_block_give(size_t offset);

/* The bytes of a block; 0: none begins there. */
size_t mpi_shmem_block_bytes(size_t offset);

/* Makes a block that long in its place.  False: there is no room behind it. */
bool mpi_shmem_block_resize(size_t heap, size_t offset, size_t bytes);

/* The end of the last one. */
size_t mpi_shmem_block_end(void);

/* Forgets all. */
void mpi_shmem_block_clear(void);

#endif
