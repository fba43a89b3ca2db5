/* The tool interface (MPI_T): who may touch its state.
 *
 * All that the interface has made changes between mpi_tool_begin and mpi_tool_end, which hold the
 * room's lock and then, while MPI is there, the NIC's baton; or in a callback of an event, which
 * has the baton alone.  The lock keeps the NIC from being closed meanwhile. */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include <stdbool.h>

#include "mpi.h"

struct nic;

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

/* Take lock and baton, and give them back; in a callback, whose thread has the baton, nothing. */
void mpi_tool_begin(void);
void mpi_tool_end(void);

/* The NIC from MPI_Init on; and in place of mpi_tool_end, when it is about to be closed. */
void mpi_tool_attach(struct nic *nic);
void mpi_tool_end_last(void);
/* NULL: MPI is not there.  Between begin and end, or with the baton. */
struct nic *mpi_tool_nic(void);

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
