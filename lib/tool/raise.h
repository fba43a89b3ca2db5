/* Raises events: calls the callbacks that are registered for them. */
#ifndef TOOL_RAISE_H
#define TOOL_RAISE_H

/* The firmware tells of what happens as long as anybody is registered: to be called with baton and
 * lock when there is a NIC, a first registration, or the last one has gone. */
void mpi_tool_watch(void);

#endif
