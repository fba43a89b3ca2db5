/* Contexts: the numbers that keep the messages of communicators apart.  A communicator's is the
 * same on all its ranks, and on each of them belongs to no other communicator there.  Here is
 * which numbers are free with this rank; how ranks agree on one is in mpi/agreement.c.
 *
 * The numbers are in windows.  Those from MPI_CONTEXT_ALONE on are for groups of one rank, which
 * asks nobody; those before are for communicators of several ranks.
 *
 * All calls with the baton held. */
#ifndef MPI_CONTEXT_H
#define MPI_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

/* The match bits have 16 for a communicator: one context for its own messages and one for its
 * collectives. */
enum { MPI_CONTEXTS = 32768, MPI_CONTEXT_WORLD = 0, MPI_CONTEXT_SELF = 1 };

enum {
    MPI_CONTEXT_WINDOW = 2048,                          /* contexts of a window */
    MPI_CONTEXT_WORDS = MPI_CONTEXT_WINDOW / 64,        /* of its set of free ones */
    MPI_CONTEXT_WINDOWS = MPI_CONTEXTS / MPI_CONTEXT_WINDOW,
    MPI_CONTEXT_ALONE = 12,
};

/* All are free but those of MPI_COMM_WORLD and MPI_COMM_SELF. */
void mpi_contexts_init(void);

void mpi_context_take(unsigned number);
void mpi_context_free(unsigned number);

/* The free ones of a window: MPI_CONTEXT_WORDS words, a bit for each. */
const uint64_t *mpi_context_window(unsigned window);

/* The lowest context of a window in a set of that form; false: the set is empty. */
bool mpi_context_lowest(const uint64_t *set, unsigned window, unsigned *number);

/* A bit for each window below MPI_CONTEXT_ALONE that has a free context. */
uint64_t mpi_context_windows(void);

#endif
