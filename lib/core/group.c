/* Building groups, from ranks and from other groups.  Look-ups go through maps from rank to
 * position, so that the time of each call grows with the sizes of its groups and of the job. */
#include "core/group.h"

#include <stdint.h>
#include <stdlib.h>

#include "core/comm.h"
#include "core/handle.h"

static const struct mpi_group empty = { .size = 0, .rank = MPI_UNDEFINED };

const struct mpi_group *mpi_group_get(MPI_Group h)
{
    return h == MPI_GROUP_EMPTY ? &empty : mpi_handle_get(MPI_KIND_GROUP, (uintptr_t)h);
}

/* -- building */

struct mpi_group *mpi_group_start(int capacity)
{
    struct mpi_group *g = malloc(sizeof *g + (size_t)capacity * sizeof g->world[0]);

    if (g)
        *g = (struct mpi_group){ .size = 0, .rank = MPI_UNDEFINED };
    return g;
}

void mpi_group_add(struct mpi_group *g, int world)
{
    if (world == mpi_comm_world.rank)
        g->rank = g->size;
    g->world[g->size++] = world;
}

int mpi_group_publish(struct mpi_group *g, MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    if (!g)
        return MPI_ERR_NO_MEM;
    if (g->size == 0) {
        free(g);
        *group = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    uintptr_t handle = mpi_handle_new(MPI_KIND_GROUP, g);
    if (!handle) {
        free(g);
        return MPI_ERR_NO_MEM;
    }
    *group = (MPI_Group)handle;
    return MPI_SUCCESS;
}

int mpi_group_new_in(uint64_t session, int size, const int *world, MPI_Group *group)
{
    struct mpi_group *g = mpi_group_start(size);

    if (g)
        g->session = session;
    for (int i = 0; g && i < size; i++)
        mpi_group_add(g, world ? world[i] : i);
    return mpi_group_publish(g, group);
}

int mpi_group_new(int size, const int *world, MPI_Group *group)
{
    return mpi_group_new_in(0, size, world, group);
}

int *mpi_group_positions(const struct mpi_group *g)
{
    int *at = malloc((size_t)mpi_comm_world.size * sizeof *at);

    if (!at)
        return NULL;
    for (int w = 0; w < mpi_comm_world.size; w++)
        at[w] = MPI_UNDEFINED;
    for (int i = 0; i < g->size; i++)
        at[g->world[i]] = i;
    return at;
}

/* -- set operations */

/* Adds to `to`, in g's order, the ranks of g that are in the group behind `at`, or (member false)
 * those that are not. */
static void group_add_where(struct mpi_group *to, const struct mpi_group *g, const int *at,
                            bool member)
{
    for (int i = 0; i < g->size; i++)
        if ((at[g->world[i]] != MPI_UNDEFINED) == member)
            mpi_group_add(to, g->world[i]);
}

struct mpi_group *mpi_group_combine(const struct mpi_group *g1, const struct mpi_group *g2,
                                    enum mpi_group_operation operation)
{
    bool all = operation == MPI_GROUP_UNION;
    int *at = mpi_group_positions(all ? g1 : g2);
    struct mpi_group *g = mpi_group_start(all ? g1->size + g2->size : g1->size);

    if (g)
        g->session = g1->session ? g1->session : g2->session;
    if (at && g && all) {
        for (int i = 0; i < g1->size; i++)
            mpi_group_add(g, g1->world[i]);
        group_add_where(g, g2, at, false);
    } else if (at && g) {
        group_add_where(g, g1, at, operation == MPI_GROUP_INTERSECTION);
    }
    if (!at) {
        free(g);
        g = NULL;
    }
    free(at);
    return g;
}

bool mpi_group_free(MPI_Group h)
{
    struct mpi_group *g = mpi_handle_get(MPI_KIND_GROUP, (uintptr_t)h);
    if (!g)
        return false;
    mpi_handle_free((uintptr_t)h);
    free(g);
    return true;
}
