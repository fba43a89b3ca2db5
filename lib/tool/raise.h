/* Raises events: calls the callbacks that are registered for them. */
#ifndef TOOL_RAISE_H
#define TOOL_RAISE_H

/* The firmware tells of what happens as long as anybody is registered: to be called when there is a
 * NIC, a first registration, or the last one has gone; between mpi_tool_begin and mpi_tool_end, or
 * in a callback. */
void mpi_tool_watch(void);

#endif
