/* Symmetric memory: the heap's and the program's data, shown to all PEs. */
#ifndef MPI_SHMEM_SYMMETRIC_H
#define MPI_SHMEM_SYMMETRIC_H

#include <stddef.h>
#include <stdint.h>

#include "mpi.h"

/* Makes it, and learns where the other PEs have theirs: a call of all. */
void mpi_shmem_symmetric_begin(MPI_Comm all);

/* Nobody uses it any more. */
void mpi_shmem_symmetric_end(void);

/* Bytes that there are for the symmetric heap, of which the region shows those in use. */
size_t mpi_shmem_heap_bytes(void);

/* What it begins at a multiple of, at each PE. */
size_t mpi_shmem_heap_align(void);

/* Room for 64 bytes in front of the heap, and where it is in the NIC's heap; NULL: the symmetric
 * heap is no part of that. */
void *mpi_shmem_front(uint64_t *place);

#endif
