/* Splitting a communicator. */
#ifndef MPI_COMM_SPLIT_H
#define MPI_COMM_SPLIT_H

#include "mpi/comm_make.h"

/* By the color from->which, or MPI_UNDEFINED: all ranks of c call this.  MPI_SUCCESS, or an error
 * that has been raised. */
int mpi_comm_split(struct mpi_comm *c, const struct mpi_comm_origin *from, int key,
                   MPI_Comm *newcomm);

#endif
