/* Hints of communicators. */
#ifndef MPI_COMM_INFO_H
#define MPI_COMM_INFO_H

#include "core/comm.h"

/* The argument of a call: an error that was raised, or MPI_SUCCESS. */
int mpi_check_info(const char *call, struct mpi_comm *c, MPI_Info info);

/* Those that the library knows; MPI_INFO_NULL has none. */
void mpi_comm_take_hints(struct mpi_comm *c, MPI_Info info);

#endif
