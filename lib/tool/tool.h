/* The tool interface (MPI_T): who may touch its state.
 *
 * All that the interface has made changes with both the NIC's baton, if there is a NIC, and the
 * lock held, in this order; so either is enough to look at it.  Callbacks of events are called with
 * the baton and without the lock. */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include <stdbool.h>

#include "mpi.h"

bool mpi_tool_initialised(void);
/* One user more; one less, true: it was the last. */
void mpi_tool_count(void);
bool mpi_tool_uncount(void);

/* First statement of every function but MPI_T_init_thread. */
#define TOOL_ENTER() \
    do { \
        if (!mpi_tool_initialised()) \
            return MPI_T_ERR_NOT_INITIALIZED; \
    } while (0)

/* Takes baton and lock; in a callback, whose thread has the baton, the lock alone. */
void mpi_tool_begin(void);
void mpi_tool_end(void);

/* The calling thread, which has the baton, is about to call callbacks, or has done so. */
void mpi_tool_set_inside(bool inside);
bool mpi_tool_inside(void);

/* Gives a string as all functions of the interface do: up to *length - 1 characters of it, and in
 * *length what the whole takes. */
void mpi_tool_string(const char *text, char *place, int *length);

/* Gives a value where the program wants it. */
#define TOOL_GIVE(place, value) \
    do { \
        if (place) \
            *(place) = (value); \
    } while (0)

#endif
