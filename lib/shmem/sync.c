/* Barriers. */
#include "shmem/sync.h"

#include "shmem/context.h"
#include "shmem/error.h"
#include "shmem/team.h"

MPI_Comm mpi_shmem_world(void) { return mpi_shmem_team("shmem", SHMEM_TEAM_WORLD)->comm; }

void mpi_shmem_barrier(const char *call, MPI_Comm comm)
{
    mpi_shmem_quiet_all(call);
    mpi_door.barrier(call, comm);
}

void pshmem_barrier_all(void)
{
    SHMEM_ENTER("shmem_barrier_all");
    mpi_shmem_barrier("shmem_barrier_all", mpi_shmem_world());
}
SHMEM_ALIAS(barrier_all);

void pshmem_sync_all(void)
{
    SHMEM_ENTER("shmem_sync_all");
    mpi_door.barrier("shmem_sync_all", mpi_shmem_world());
}
SHMEM_ALIAS(sync_all);

int pshmem_team_sync(shmem_team_t team)
{
    SHMEM_ENTER("shmem_team_sync");
    if (team == SHMEM_TEAM_INVALID)
        return -1;
    mpi_door.barrier("shmem_team_sync", mpi_shmem_team("shmem_team_sync", team)->comm);
    return 0;
}
SHMEM_ALIAS(team_sync);

void pshmem_barrier(int start, int log_stride, int size, long *sync)
{
    (void)sync;
    mpi_shmem_barrier("shmem_barrier",
                      mpi_shmem_active_set("shmem_barrier", start, log_stride, size)->comm);
}
SHMEM_ALIAS(barrier);

void pshmem_sync(int start, int log_stride, int size, long *sync)
{
    (void)sync;
    mpi_door.barrier("shmem_sync",
                     mpi_shmem_active_set("shmem_sync", start, log_stride, size)->comm);
}
SHMEM_ALIAS(sync);
