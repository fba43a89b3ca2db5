/* Info objects, as the library's own functions read them.  Thread rules: one lock for all of them, taken inside. */
#ifndef MPI_INFO_H
#define MPI_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include "mpi.h"

/* True for MPI_INFO_NULL too: it has no keys. */
bool mpi_info_valid(MPI_Info info);

/* The value of a key, cut at `room` bytes; false: there is none. */
bool mpi_info_find(MPI_Info info, const char *key, char *value, size_t room);

#endif
