/* Who wants to hear of an event. */
#ifndef TOOL_REGISTRATION_H
#define TOOL_REGISTRATION_H

#include <stdbool.h>

#include "mpi.h"
#include "tool/object.h"

/* The levels of safety, from the lowest. */
enum { MPI_TOOL_LEVELS = 4 };

struct mpi_tool_registration {
    struct mpi_tool_object object;
    int event;
    struct { MPI_T_event_cb_function *fn; void *data; } callback[MPI_TOOL_LEVELS];
    MPI_T_event_dropped_cb_function *on_dropped;
    MPI_Count dropped;          /* events since that was last called */
    bool over;                  /* freed by a callback: goes when all callbacks are over */
    MPI_T_event_free_cb_function *on_freed;
    void *freed_data;
};

/* The level's number, -1: none; and back. */
int mpi_tool_level(MPI_T_cb_safety safety);
MPI_T_cb_safety mpi_tool_safety(int level);

/* NULL: none of this handle; the next one behind `r`, NULL: the first. */
struct mpi_tool_registration *mpi_tool_registration(MPI_T_event_registration handle);
struct mpi_tool_registration *mpi_tool_registration_next(const struct mpi_tool_registration *r);
MPI_T_event_registration mpi_tool_registration_handle(const struct mpi_tool_registration *r);

/* Takes it away; what it was is to be told, behind mpi_tool_end or in a callback. */
struct mpi_tool_registration mpi_tool_registration_end(struct mpi_tool_registration *r);
void mpi_tool_registration_tell(const struct mpi_tool_registration *ended, MPI_T_cb_safety safety);

#endif
