/* Groups: ordered sets of ranks of MPI_COMM_WORLD. */
#ifndef MPI_GROUP_H
#define MPI_GROUP_H

#include "mpi.h"

/* Owner: the program, through its handle.  Immutable once it has one. */
struct mpi_group {
    int size;
    int rank;           /* this process's, or MPI_UNDEFINED */
    int world[];        /* rank in the group -> rank in MPI_COMM_WORLD */
};

/* NULL if the handle is no group (MPI_GROUP_NULL is none). */
const struct mpi_group *mpi_group_get(MPI_Group h);

/* A new group of `size` processes, of which world[i] are the ranks in MPI_COMM_WORLD (NULL: 0 to size - 1).  0 or
 * MPI_ERR_NO_MEM; the empty group is always MPI_GROUP_EMPTY.  The program releases it with MPI_Group_free. */
int mpi_group_new(int size, const int *world, MPI_Group *group);

#endif
