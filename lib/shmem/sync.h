/* Barriers, and the communicator of all PEs. */
#ifndef MPI_SHMEM_SYNC_H
#define MPI_SHMEM_SYNC_H

#include "mpi.h"

MPI_Comm mpi_shmem_world(void);

/* All that this PE has started is complete, and all PEs have come. */
void mpi_shmem_barrier(const char *call, MPI_Comm comm);

#endif
