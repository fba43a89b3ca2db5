/* The communicators that MPI_Init makes, and what all of them are made of. */
#include "core/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/errhandler.h"

struct mpi_comm mpi_comm_world, mpi_comm_self;

static void make(struct mpi_comm *c, unsigned context, int rank, int size, MPI_Comm handle,
                 const char *name)
{
    *c = (struct mpi_comm){
        .context = (uint16_t)(context * 2), .rank = rank, .size = size, .peers = size,
        .handle = handle, .errhandler = mpi_errhandler_initial(),
    };
    snprintf(c->name, sizeof c->name, "%s", name);
}

void mpi_comm_init(int rank, int size)
{
    static int self;
    mpi_contexts_init();
    make(&mpi_comm_world, MPI_CONTEXT_WORLD, rank, size, MPI_COMM_WORLD, "MPI_COMM_WORLD");
    make(&mpi_comm_self, MPI_CONTEXT_SELF, 0, 1, MPI_COMM_SELF, "MPI_COMM_SELF");
    self = rank;
    mpi_comm_self.world = mpi_comm_self.peer_world = &self;
}

/* -- the parts of an intercommunicator */

/* world: goes over; NULL: no memory. */
static struct mpi_comm *part_new(struct mpi_comm *c, int rank, int size, const int *world)
{
    struct mpi_comm *part = world ? calloc(1, sizeof *part) : NULL;
    if (part)
        *part = (struct mpi_comm){ .rank = rank, .size = size, .peers = size, .world = world,
                                   .peer_world = world, .part_of = c };
    return part;
}

/* The ranks of both groups, those of the first one before the others.  NULL: no memory. */
static int *ranks_of_both(const struct mpi_comm *c, bool second)
{
    size_t here = (size_t)c->size, there = (size_t)c->peers;
    int *all = malloc((here + there) * sizeof *all);
    if (!all)
        return NULL;
    memcpy(all + (second ? there : 0), c->world, here * sizeof *all);
    memcpy(all + (second ? 0 : here), c->peer_world, there * sizeof *all);
    return all;
}

bool mpi_inter_new(struct mpi_comm *c, bool second)
{
    struct mpi_inter *inter = calloc(1, sizeof *inter);
    int *all = ranks_of_both(c, second), rank = c->rank + (second ? c->peers : 0);
    if (inter && all) {
        inter->second = second;
        inter->local = part_new(c, c->rank, c->size, c->world);
        inter->both = part_new(c, rank, c->size + c->peers, all);
    }
    if (inter && inter->local && inter->both) {
        c->inter = inter;
        return true;
    }
    if (inter) {
        free(inter->local);
        free(inter->both);
    }
    free(inter);
    free(all);
    return false;
}

void mpi_inter_delete(struct mpi_comm *c)
{
    struct mpi_inter *inter = c->inter;
    free((int *)(uintptr_t)inter->both->world);     /* `local` has the list of c */
    free((int *)(uintptr_t)c->peer_world);
    free(inter->local);
    free(inter->both);
    free(inter);
}

/* -- ranks */

int mpi_comm_rank_of(const struct mpi_comm *c, int world)
{
    for (int i = 0; i < c->size; i++)
        if (mpi_comm_world_rank(c, i) == world)
            return i;
    return -1;
}
