/* Arguments of calls that make distributed graphs: checks that raise the error and return its
 * code. */
#ifndef MPI_DIST_GRAPH_H
#define MPI_DIST_GRAPH_H

#include "core/comm.h"

/* MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY for none, or `count` numbers that are not negative. */
int mpi_check_weights(const char *call, struct mpi_comm *c, const int *weights, int count);
int mpi_check_members(const char *call, struct mpi_comm *c, const int *ranks, int count,
                      const char *what);
int mpi_check_graph_call(const char *call, MPI_Comm comm, MPI_Info info, const void *result,
                         struct mpi_comm **c);

#endif
