/* Arguments of calls on topologies: the checks that several share.  They raise the error and return
 * its code. */
#ifndef MPI_TOPO_ARGS_H
#define MPI_TOPO_ARGS_H

#include "core/comm.h"
#include "core/topo.h"

/* A communicator with a topology of this kind (MPI_CART ...), which *t becomes. */
int mpi_check_topo(const char *call, MPI_Comm comm, int kind, struct mpi_comm **c,
                   const struct mpi_topo **t);
/* An address that must be there, unless it is of `count` = 0 numbers. */
int mpi_check_numbers(const char *call, struct mpi_comm *c, const void *numbers, int count,
                      const char *what);
/* A rank of the communicator. */
int mpi_check_member(const char *call, struct mpi_comm *c, int rank, const char *what);
/* An array of `room` numbers for `count`. */
int mpi_check_room(const char *call, struct mpi_comm *c, int room, int count, const char *what);

#endif
