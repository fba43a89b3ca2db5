/* Error handlers that programs make. */
#ifndef MPI_MPI_ERRHANDLER_H
#define MPI_MPI_ERRHANDLER_H

#include "core/errhandler.h"

/* A call that makes one: MPI_SUCCESS, or an error that has been raised. */
int mpi_create_errhandler(const char *call, enum mpi_errhandler_of of, union mpi_errhandler_fn fn,
                          MPI_Errhandler *made);

#endif
