/* Error handlers: the program's own, the predefined ones, and which of them a communicator, a
 * session or a window has.
 *
 * A created handler lives while the program has a handle to it (from its creation or from
 * a call that gets it, less those freed) or one of these uses it.  Thread rules: one lock,
 * taken inside, covers the counts and every communicator's handler; no handler runs under it. */
#ifndef MPI_ERRHANDLER_H
#define MPI_ERRHANDLER_H

#include <stdbool.h>

#include "mpi.h"

/* What a handler is for; predefined ones are for all. */
enum mpi_errhandler_of { MPI_ERRHANDLER_OF_COMMS, MPI_ERRHANDLER_OF_SESSIONS,
                         MPI_ERRHANDLER_OF_WINS };

/* The function of one that the program created, by what it is for. */
union mpi_errhandler_fn {
    MPI_Comm_errhandler_function *comm;
    MPI_Session_errhandler_function *session;
    MPI_Win_errhandler_function *win;
    void (*any)(void);          /* NULL: none */
};

/* What MPI_COMM_WORLD and MPI_COMM_SELF have at first, and calls that may stand outside of MPI_Init
 * and MPI_Finalize: by MPILITE_INITIAL_ERRHANDLER, which mpirun -initial-errhandler sets (MPI-4,
 * 11.5).  Fatal if it names none. */
MPI_Errhandler mpi_errhandler_initial(void);

/* A new handler, which the program has one handle to; MPI_ERRHANDLER_NULL: no memory. */
MPI_Errhandler mpi_errhandler_new(enum mpi_errhandler_of of, union mpi_errhandler_fn fn);

/* Whether the program may use it there. */
bool mpi_errhandler_valid(MPI_Errhandler h, enum mpi_errhandler_of of);

/* The program gives up a handle; false: it is none of a handler. */
bool mpi_errhandler_free(MPI_Errhandler h);

/* A new communicator takes over `h`, and one that ends gives it up.  No effect on predefined
 * ones. */
void mpi_errhandler_hold(MPI_Errhandler h);
void mpi_errhandler_drop(MPI_Errhandler h);

/* The handler in `place`, which is an object's, held until mpi_errhandler_drop; *fn is the function
 * of one that the program created, else none. */
MPI_Errhandler mpi_errhandler_take(const MPI_Errhandler *place, union mpi_errhandler_fn *fn);

/* For the program: puts `h` into a communicator's place (false: it is no handler), and gives it a
 * handle to what is there. */
bool mpi_errhandler_set(MPI_Errhandler *place, MPI_Errhandler h, enum mpi_errhandler_of of);
MPI_Errhandler mpi_errhandler_get(const MPI_Errhandler *place);

#endif
