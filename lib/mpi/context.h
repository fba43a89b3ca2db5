/* Contexts: the numbers that keep the messages of communicators apart.  A communicator's is the
 * same on all its ranks, and on each of them belongs to no other communicator there. */
#ifndef MPI_CONTEXT_H
#define MPI_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi/label.h"

struct mpi_comm;

/* The match bits have 16 for a communicator: one context for its own messages and one for its
 * collectives. */
enum { MPI_CONTEXTS = 32768, MPI_CONTEXT_WORLD = 0, MPI_CONTEXT_SELF = 1 };

/* Whether the ranks of a communicator may make others in several threads at once: known to all
 * once they have agreed on something, and true of communicators made from it. */
enum mpi_threads { MPI_THREADS_UNKNOWN, MPI_THREADS_NONE, MPI_THREADS_SOME };

/* What the ranks of a new communicator have in common. */
struct mpi_context {
    unsigned number;
    bool shm;                   /* of `area`, with operations numbered from `base` */
    unsigned area;
    uint64_t base;
};

/* All are free but those of MPI_COMM_WORLD and MPI_COMM_SELF.  Baton held. */
void mpi_contexts_init(void);

/* For a new communicator of ranks of the parent, all of which call this: MPI_SUCCESS, or an error
 * that has been raised. */
int mpi_context_new(const char *call, struct mpi_comm *parent, enum mpi_maker maker,
                    struct mpi_context *context);

/* Baton held. */
void mpi_context_free(unsigned number);

#endif
