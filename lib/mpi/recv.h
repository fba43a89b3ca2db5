/* Receiving, blocking. */
#ifndef MPI_RECV_H
#define MPI_RECV_H

#include "mpi.h"

/* MPI_Recv, as that call: MPI_SUCCESS, or an error that has been raised. */
int mpi_recv(const char *call, void *buf, MPI_Count count, MPI_Datatype datatype, int source,
             int tag, MPI_Comm comm, MPI_Status *status);

#endif
