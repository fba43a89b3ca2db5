/* The types of events: what each has, of what the firmware says (struct fw_notice). */
#ifndef TOOL_EVENT_LIST_H
#define TOOL_EVENT_LIST_H

#include <stddef.h>

#include "core/world.h"
#include "mpi.h"

struct mpi_tool_event {
    const char *name, *text;
    const char *category;
    unsigned elements;          /* bits: 1 << enum mpi_tool_element */
};

/* All that an event can have, in the order in which it has it. */
enum mpi_tool_element {
    MPI_TOOL_CONTEXT, MPI_TOOL_SOURCE, MPI_TOOL_TAG, MPI_TOOL_PEER, MPI_TOOL_PROTOCOL,
    MPI_TOOL_BYTES, MPI_TOOL_QUEUE, MPI_TOOL_ELEMENTS
};

/* By enum fw_notice_kind; NULL: there are no more. */
const struct mpi_tool_event *mpi_tool_event(int index);

/* The name of element `item` of an event type, and which it is; NULL: there is none. */
const char *mpi_tool_event_element(unsigned index, unsigned item);
int mpi_tool_event_which(const struct mpi_tool_event *e, unsigned item);     /* -1: none */

/* Where it stands in a copy of the whole event. */
size_t mpi_tool_event_place(const struct mpi_tool_event *e, unsigned item);

/* Its type, its size, and the value that a notice has for it. */
MPI_Datatype mpi_tool_element_type(enum mpi_tool_element which);
size_t mpi_tool_element_bytes(enum mpi_tool_element which);
void mpi_tool_element_give(enum mpi_tool_element which, const struct fw_notice *n, void *place);

#endif
