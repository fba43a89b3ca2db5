/* Looking for a message that has come, for MPI_Probe and its family. */
#ifndef MPI_PROBE_H
#define MPI_PROBE_H

#include "core/comm.h"
#include "core/world.h"

struct mpi_probe { const char *call; struct mpi_comm *c; int source, tag; };

/* Finds the communicator; MPI_SUCCESS, or an error that has been raised. */
int mpi_probe_check(struct mpi_probe *p, MPI_Comm comm);

/* Wait for a message (MPI_SUCCESS, or an error that has been raised), or look once whether there is
 * one (false: none).  `message` not NULL: take it out of the queue. */
int mpi_probe_wait(const struct mpi_probe *p, struct fw_unexpected **message, MPI_Status *status);
bool mpi_probe_once(const struct mpi_probe *p, struct fw_unexpected **message, MPI_Status *status);
/* As mpi_probe_once, but without the pause that a loop around it needs where there is none. */
bool mpi_probe_now(const struct mpi_probe *p, struct fw_unexpected **message, MPI_Status *status);

#endif
