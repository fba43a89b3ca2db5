/* Raising errors.  What is inside of the library returns 0 or an MPI error class (negative numbers
 * end at the firmware's door); an MPI entry point alone, or a check that it calls, raises. */
#ifndef MPI_ERR_H
#define MPI_ERR_H

#include "mpi.h"

struct mpi_comm;
struct mpi_session;

/* Raises `class` on the communicator in the MPI call named `call`, with the reason in printf
 * style; returns the code that the MPI call returns.  NULL stands for calls that concern no
 * communicator: the standard raises those on MPI_COMM_SELF, and before MPI_Init they are fatal.
 * Fatal handlers do not return. */
int mpi_err(struct mpi_comm *comm, const char *call, int class, const char *why, ...)
    __attribute__((format(printf, 4, 5), cold));

/* The same on a session, and by a session's handler where there is no session yet. */
int mpi_err_on_session(const struct mpi_session *session, const char *call, int class,
                       const char *why, ...) __attribute__((format(printf, 4, 5), cold));
int mpi_err_by(MPI_Errhandler handler, const char *call, int class, const char *why, ...)
    __attribute__((format(printf, 4, 5), cold));

/* The same on a window: its handle, where its handler stands, and its communicator, for
 * messages. */
struct mpi_err_win { MPI_Win handle; const MPI_Errhandler *place; const struct mpi_comm *comm; };
int mpi_err_on_win(struct mpi_err_win win, const char *call, int class, const char *why, ...)
    __attribute__((format(printf, 4, 5), cold));

/* The call and the reason of the last error that was raised in this thread, if it was of that class
 * and has not ended the job; else NULL. */
const char *mpi_err_reason(int class);

/* For a tool: called before a handler of the program's, which may leave the call by longjmp, by the
 * thread that raises.  NULL: nobody is.  Set when only one thread calls. */
extern void (*mpi_err_leaves)(void);

#endif
