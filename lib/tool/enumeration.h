/* Enumerations of the tool interface: named values, found by a number that is their handle. */
#ifndef TOOL_ENUMERATION_H
#define TOOL_ENUMERATION_H

#include <stddef.h>

#include "mpi.h"

/* Which: of a control variable by its index, of the elements of an event type by its index, of the
 * state of MPI. */
enum mpi_tool_enum_of { MPI_TOOL_ENUM_CVAR, MPI_TOOL_ENUM_EVENT, MPI_TOOL_ENUM_STATE };
MPI_T_enum mpi_tool_enum(enum mpi_tool_enum_of which, unsigned index);

#endif
