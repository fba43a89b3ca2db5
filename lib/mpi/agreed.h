/* What the ranks of a new communicator have agreed on. */
#ifndef MPI_AGREED_H
#define MPI_AGREED_H

#include <stdbool.h>
#include <stdint.h>

/* Of an intercommunicator: its own, in which collectives are those of both groups together, and the
 * local group's. */
enum { MPI_AGREED_CONTEXTS = 2 };

/* contexts: how many are wanted, set before; all others are the result. */
struct mpi_agreed {
    unsigned contexts, context[MPI_AGREED_CONTEXTS];
    uint8_t threads;            /* enum mpi_threads, of those who have agreed */
    bool shm;                   /* of `area`, with operations numbered from `base` */
    unsigned area;
    uint64_t base;
};

#endif
