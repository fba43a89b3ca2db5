/* Static and global variables of the program: the part of its file that can be written. */
#ifndef MPI_SHMEM_DATA_H
#define MPI_SHMEM_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Whole pages; bytes 0: the program has none.  Where the program is loaded differs between PEs:
 * `offset` counts from there, and is the same where the programs are. */
struct mpi_shmem_data { uintptr_t base; size_t bytes; uint64_t offset; };
void mpi_shmem_data_find(struct mpi_shmem_data *d);

/* Copies it to memory that is all zeros; pages without data there stay untouched. */
void mpi_shmem_data_copy(const struct mpi_shmem_data *d, char *to);

/* Puts memory of this process alone in place of what stands there, with the same data: what is
 * mapped there may go away. */
void mpi_shmem_data_private(const struct mpi_shmem_data *d);

#endif
