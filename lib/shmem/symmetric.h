/* Symmetric memory: the heap's and the program's data, shown to all PEs. */
#ifndef MPI_SHMEM_SYMMETRIC_H
#define MPI_SHMEM_SYMMETRIC_H

#include <stddef.h>

#include "mpi.h"

/* Makes it, and learns where the other PEs have theirs: a call of all. */
void mpi_shmem_symmetric_begin(MPI_Comm all);

/* Nobody uses it any more. */
void mpi_shmem_symmetric_end(void);

/* Bytes that there are for the symmetric heap, of which the region shows those in use. */
size_t mpi_shmem_heap_bytes(void);

#endif
