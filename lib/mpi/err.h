/* Error classes, their texts and the error handlers.  Internals return 0 or an
 * MPI error class (a negative number is never needed above the firmware);
 * only an MPI entry point calls mpi_err. */
#ifndef MPI_ERR_H
#define MPI_ERR_H

#include "mpi.h"

struct mpi_comm;

/* A created error handler.  It lives while the program has a handle to it (from creation or MPI_Comm_get_errhandler,
 * less those freed) or a communicator uses it.  Both counts are under the lock of err.c. */
struct mpi_errhandler {
    MPI_Comm_errhandler_function *fn;
    int handles;
    int comms;
};

/* Raises `class` on the communicator in the MPI call named `call`, with the reason in printf style; returns the code
 * that the MPI call returns.  NULL stands for calls that concern no communicator: the standard raises those on
 * MPI_COMM_SELF, and before MPI_Init they are fatal.  Fatal handlers do not return. */
int mpi_err(struct mpi_comm *comm, const char *call, int class, const char *why, ...)
    __attribute__((format(printf, 4, 5), cold));

/* What a class means, one line; NULL if it is no class. */
const char *mpi_err_text(int class);

/* A new communicator takes over `h`, and one that is freed gives it up.  No effect on predefined handlers. */
void mpi_errhandler_hold(MPI_Errhandler h);
void mpi_errhandler_drop(MPI_Errhandler h);

#endif
