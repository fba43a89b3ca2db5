/* The communicators that MPI_Init makes, what all of them are made of, and their end. */
#include "core/comm.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/errhandler.h"
#include "core/world.h"
#include "fw/shm_coll.h"

struct mpi_comm mpi_comm_world, mpi_comm_self;

static void make(struct mpi_comm *c, unsigned context, int rank, int size, MPI_Comm handle,
                 const char *name)
{
    *c = (struct mpi_comm){
        .context = (uint16_t)(context * 2), .rank = rank, .size = size,
        .handle = handle, .errhandler = MPI_ERRORS_ARE_FATAL,
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
    mpi_comm_self.world = &self;
    if (size > 1 && (mpi_fw_shm_coll_areas(mpi_fw) & 1))   /* the same in all ranks: no agreement */
        mpi_comm_world.shm = mpi_fw_shm_coll_new(mpi_fw, 0, 0, (uint32_t)rank, (uint32_t)size,
                                                 NULL);
}

void mpi_comm_end(struct mpi_comm *c)
{
    int *world = (int *)(uintptr_t)c->world;
    mpi_context_free(c->context / 2u);
    mpi_errhandler_drop(c->errhandler);
    free(c->buffer);        /* nothing is in it: each message has held the communicator */
    if (c->shm)
        mpi_fw_shm_coll_retire(mpi_fw, c->shm, world);
    else
        free(world);
    free(c);
}

int *mpi_comm_world_ranks(const struct mpi_comm *c)
{
    int *world = malloc(sizeof *world * (size_t)c->size);
    for (int i = 0; world && i < c->size; i++)
        world[i] = mpi_comm_world_rank(c, i);
    return world;
}

int mpi_comm_rank_of(const struct mpi_comm *c, int world)
{
    for (int i = 0; i < c->size; i++)
        if (mpi_comm_world_rank(c, i) == world)
            return i;
    return -1;
}
