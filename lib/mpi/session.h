/* Errors of calls with sessions. */
#ifndef MPI_MPI_SESSION_H
#define MPI_MPI_SESSION_H

#include "core/session.h"

/* Finds the session; MPI_SUCCESS, or an error that has been raised on MPI_COMM_SELF. */
int mpi_check_session(const char *call, MPI_Session h, struct mpi_session **s);

#endif
