/* Communicators with ranks on several machines, some of which have more than one: who is where.
 * Collectives go in two levels there: among the ranks of each machine, and among one leader of
 * each. */
#ifndef MPI_LEVELS_H
#define MPI_LEVELS_H

#include "core/comm.h"

/* Machines are numbered in the order of their lowest ranks; ranks are the communicator's.
 * Immutable; owner: the communicator. */
struct mpi_levels {
    int machines, machine;      /* how many; which one this rank is on */
    bool in_order;              /* the ranks of each machine are neighbours */
    int *rank;                  /* all, those of a machine behind each other, in order */
    int *first;                 /* of each machine: where in `rank` its ranks begin; and the end */
    /* Those of this machine, for slots and windows: it has neither contexts nor a handle. */
    struct mpi_comm near;
};

/* *levels: NULL where all ranks are on one machine, or each on its own.  False: no memory. */
bool mpi_levels_new(struct mpi_comm *c, struct mpi_levels **levels);
void mpi_levels_delete(struct mpi_levels *levels);
/* The slots of this machine's ranks, as mpi_fw_shm_coll_new; baton held.  False: no memory. */
bool mpi_levels_take_slots(struct mpi_levels *levels, unsigned area, uint64_t base);

/* The ranks of a machine, and how many there are. */
static inline const int *mpi_levels_ranks(const struct mpi_levels *l, int machine)
{
    return l->rank + l->first[machine];
}
static inline int mpi_levels_count(const struct mpi_levels *l, int machine)
{
    return l->first[machine + 1] - l->first[machine];
}

/* What MPI_COMM_WORLD has for its collectives; baton held.  False: no memory. */
bool mpi_levels_world(void);

/* Where a rank is: the machine, and its number among those of the machine. */
struct mpi_level_seat { int machine, near; };
struct mpi_level_seat mpi_levels_seat(const struct mpi_levels *levels, int rank);

#endif
