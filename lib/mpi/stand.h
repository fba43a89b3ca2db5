/* Waiting in place of a look that has found nothing again and again: seen by who looks for
 * deadlocks, and over as soon as anything is found, or the NIC has moved anything since (another
 * look of the same loop may find that), or after a while. */
#ifndef MPI_STAND_H
#define MPI_STAND_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi.h"

/* From when on nothing may have moved (nic_moves).  Without the baton, as all of these. */
uint64_t mpi_stand_since(void);

/* call: in words. */
void mpi_stand_requests(const char *call, int count, const MPI_Request *requests, bool any,
                        uint64_t since);
void mpi_stand_probe(const char *call, int source, int tag, MPI_Comm comm, uint64_t since);

#endif
