/* Groups: ordered sets of ranks of MPI_COMM_WORLD.  Everything is local to the process. */
#ifndef MPI_GROUP_H
#define MPI_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi.h"

/* Owner: the program, through its handle.  Immutable once it has one. */
struct mpi_group {
    int size;
    int rank;           /* this process's, or MPI_UNDEFINED */
    uint64_t session;   /* serial of the session that it comes from; 0: MPI_Init */
    int world[];        /* rank in the group -> rank in MPI_COMM_WORLD */
};

/* NULL if the handle is no group (MPI_GROUP_NULL is none). */
const struct mpi_group *mpi_group_get(MPI_Group h);

/* A new group of `size` processes, of which world[i] are the ranks in MPI_COMM_WORLD (NULL: 0 to
 * size - 1).  0 or MPI_ERR_NO_MEM; the empty group is always MPI_GROUP_EMPTY.  The program releases
 * it with MPI_Group_free. */
int mpi_group_new(int size, const int *world, MPI_Group *group);
/* The same of a session. */
int mpi_group_new_in(uint64_t session, int size, const int *world, MPI_Group *group);

/* The same step by step: an empty group with room for `capacity` members (NULL: no memory), its
 * members, its handle.  mpi_group_publish takes NULL too, where there was no memory for a group. */
struct mpi_group *mpi_group_start(int capacity);
void mpi_group_add(struct mpi_group *g, int world);
int mpi_group_publish(struct mpi_group *g, MPI_Group *group);

/* The program gives up its handle, which is not MPI_GROUP_EMPTY; false: it is none of a group. */
bool mpi_group_free(MPI_Group h);

/* Rank in MPI_COMM_WORLD -> rank in the group, or MPI_UNDEFINED.  To be freed; NULL: no memory. */
int *mpi_group_positions(const struct mpi_group *g);

enum mpi_group_operation { MPI_GROUP_UNION, MPI_GROUP_INTERSECTION, MPI_GROUP_DIFFERENCE };

/* An unpublished group; NULL: no memory. */
struct mpi_group *mpi_group_combine(const struct mpi_group *g1, const struct mpi_group *g2,
                                    enum mpi_group_operation operation);

#endif
