/* Teams: sets of PEs, each with a communicator of its own for its collectives. */
#ifndef MPI_SHMEM_TEAM_H
#define MPI_SHMEM_TEAM_H

#include "shmem/state.h"

struct shmem_team {
    uint64_t alive;             /* MPI_SHMEM_TEAM_ALIVE, or it is none */
    MPI_Comm comm;
    int me, n;
    int *pes;                   /* of the job, in the order of the team */
    shmem_team_config_t config;
    struct shmem_team *next;
};
#define MPI_SHMEM_TEAM_ALIVE UINT64_C(0x7465616d20616c69)

/* The team of a handle; SHMEM_TEAM_INVALID and those that are none end the job. */
struct shmem_team *mpi_shmem_team(const char *call, shmem_team_t handle);
shmem_team_t mpi_shmem_team_handle(struct shmem_team *t);

/* The two that are always there, made of a communicator of all PEs; and the end of all. */
void mpi_shmem_teams_begin(MPI_Comm all);
void mpi_shmem_teams_end(void);

/* Of the deprecated collectives: a team of PEs start, start + 2^log_stride, ..., of which this one
 * must be.  Made at first use by all that are in it, and kept. */
struct shmem_team *mpi_shmem_active_set(const char *call, int start, int log_stride, int size);

#endif
