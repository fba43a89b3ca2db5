/* The life of the library in this process: not begun, between MPI_Init and
 * MPI_Finalize, over; and the ways out of it. */
#ifndef MPI_INIT_H
#define MPI_INIT_H

enum { MPI_STATE_NONE, MPI_STATE_INIT, MPI_STATE_FINALIZED };

/* Set by MPI_Init and MPI_Finalize only, which the program orders with its other calls; so a
 * plain read is enough. */
extern int mpi_state;

/* Says that `call` came before MPI_Init or after MPI_Finalize, and ends the process. */
void mpi_state_error(const char *call) __attribute__((noreturn, cold));

/* First statement of every MPI function that needs a running library. */
#define MPI_ENTER(call) \
    do { \
        if (__builtin_expect(mpi_state != MPI_STATE_INIT, 0)) \
            mpi_state_error(call); \
    } while (0)

/* Ends the whole job with this exit code. */
void mpi_die(int code) __attribute__((noreturn, cold));

#endif
