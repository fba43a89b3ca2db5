/* Agreeing on what the ranks of a new communicator have in common. */
#ifndef MPI_AGREEMENT_H
#define MPI_AGREEMENT_H

#include "core/comm.h"
#include "mpi/agreed.h"
#include "mpi/among.h"

/* For a new communicator of ranks of the parent, all of which call this: MPI_SUCCESS, or an error
 * that has been raised. */
int mpi_agree(const char *call, struct mpi_comm *parent, enum mpi_maker maker,
              struct mpi_agreed *agreed);

/* The same of ranks that have no communicator in common. */
int mpi_agree_among(const struct mpi_among *among, struct mpi_agreed *agreed);

/* This rank is not in the new communicator, or has no memory for it. */
void mpi_agreed_release(const struct mpi_agreed *agreed);
/* The same with the baton held. */
void mpi_agreed_release_inside(const struct mpi_agreed *agreed);

#endif
