/* Waiting in place of a look that has found nothing again and again: seen by who looks for
 * deadlocks, and over as soon as anything is found, or after a while. */
#ifndef MPI_STAND_H
#define MPI_STAND_H

#include <stdbool.h>

#include "mpi.h"

/* call: in words. */
void mpi_stand_requests(const char *call, int count, const MPI_Request *requests, bool any);
void mpi_stand_probe(const char *call, int source, int tag, MPI_Comm comm);

#endif
