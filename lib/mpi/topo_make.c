/* Making a communicator with a topology: agreed on by the parent's ranks, as others are. */
#include "mpi/topo_make.h"

#include <stdlib.h>

static int *world_ranks(const struct mpi_comm *parent, const struct mpi_members *m)
{
    int *world = malloc(sizeof *world * (size_t)(m->size ? m->size : 1));
    for (int i = 0; world && i < m->size; i++)
        world[i] = mpi_comm_world_rank(parent, m->old_rank ? m->old_rank[i] : i);
    return world;
}

int mpi_topo_make(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                  const struct mpi_members *m, struct mpi_topo *topo, MPI_Comm *made)
{
    struct mpi_agreed a = { .contexts = 1 };
    *made = MPI_COMM_NULL;
    int rc = mpi_agree(from->call, parent, from->maker, &a);
    if (rc || m->rank == MPI_UNDEFINED) {
        mpi_topo_drop(topo);
        return rc ? rc : mpi_comm_make_none(parent, from, &a, made);
    }
    struct mpi_comm_ranks ranks = { .rank = m->rank, .size = m->size, .topo = topo,
                                    .world = world_ranks(parent, m) };
    if (topo && ranks.world)
        return mpi_comm_make(parent, from, &a, &ranks, made);
    free(ranks.world);
    mpi_topo_drop(topo);
    return mpi_comm_make_failed(parent, from, &a);
}
