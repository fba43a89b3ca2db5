/* Where events come from, and what time it is there. */
#ifndef TOOL_SOURCE_H
#define TOOL_SOURCE_H

#include <stdint.h>

#include "mpi.h"

/* The job's source: that of the clock it has. */
int mpi_tool_source(void);
/* The time there, in its ticks, of which a second has so many.  At no cost on the model clock. */
MPI_Count mpi_tool_now(void);
MPI_Count mpi_tool_ticks(void);

#endif
