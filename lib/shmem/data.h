/* Static and global variables of the program: the part of its file that can be written. */
#ifndef MPI_SHMEM_DATA_H
#define MPI_SHMEM_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Whole pages; bytes 0: the program has none.  Where the program is loaded differs between PEs:
 * `offset` counts from there, and is the same where the programs are. */
struct mpi_shmem_data { uintptr_t base; size_t bytes; uint64_t offset; };
void mpi_shmem_data_find(struct mpi_shmem_data *d);

#endif
