/* Collective calls whose plan is begun: its call and form are set, as the functions of MPI do that
 * are made of these. */
#ifndef MPI_COLL_CALLS_H
#define MPI_COLL_CALLS_H

#include "coll/coll.h"

struct mpi_coll_many;

int mpi_coll_call_barrier(struct mpi_coll_plan *p, MPI_Comm comm);
int mpi_coll_call_bcast(struct mpi_coll_plan *p, void *data, MPI_Count count, MPI_Datatype type,
                        int root, MPI_Comm comm);
int mpi_coll_call_allgather(struct mpi_coll_plan *p, const void *send, MPI_Count count,
                            MPI_Datatype type, const struct mpi_coll_many *recv, MPI_Comm comm);
int mpi_coll_call_alltoall(struct mpi_coll_plan *p, const struct mpi_coll_many *send,
                           const struct mpi_coll_many *recv, MPI_Comm comm);
int mpi_coll_call_allreduce(struct mpi_coll_plan *p, const void *send, void *recv,
                            MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

#endif
