/* The end of a communicator, and of what hangs on it. */
#include <stdlib.h>

#include "core/comm.h"
#include "core/context.h"
#include "core/errhandler.h"
#include "core/levels.h"
#include "core/session.h"
#include "core/topo.h"
#include "core/world.h"
#include "fw/shm_coll.h"

/* What comes late for one that has failed must not be taken for what belongs to a later one. */
static void free_contexts(const struct mpi_comm *c)
{
    if (c->failed)
        return;
    mpi_context_free(c->context / 2u);
    if (c->inter)                       /* `both` has the context of c */
        mpi_context_free(c->inter->local->context / 2u);
}

/* What c has but for its contexts, its handle and the list of its ranks. */
static void delete_rest(struct mpi_comm *c)
{
    mpi_levels_delete(c->levels);
    mpi_errhandler_drop(c->errhandler);
    mpi_topo_drop(c->topo);
    if (c->inter)
        mpi_inter_delete(c);
    free(c);
}

void mpi_comm_end(struct mpi_comm *c)
{
    int *world = (int *)(uintptr_t)c->world;
    free_contexts(c);
    free(c->buffer);        /* nothing is in it: each message has held the communicator */
    if (c->shm)
        mpi_fw_shm_coll_retire(mpi_fw, c->shm, world);
    else
        free(world);
    delete_rest(c);
}

void mpi_comm_delete(struct mpi_comm *c)
{
    mpi_session_count(c->session, -1);
    mpi_handle_free((uintptr_t)c->handle);
    free((int *)(uintptr_t)c->world);
    delete_rest(c);
}

/* -- duplicates that there is to be none of */

void mpi_comm_discard(struct mpi_comm *c)
{
    struct mpi_attribute_error ignored;
    mpi_attributes_abandon(&c->attributes, (uintptr_t)c->handle, &ignored);
    nic_enter(mpi_nic);
    mpi_comm_delete(c);
    nic_leave(mpi_nic);
}

static struct mpi_comm *undone;     /* owner: baton */

void mpi_comm_discard_later(struct mpi_comm *c)
{
    c->undone = undone;
    undone = c;
}

/* NULL: there is none. */
static struct mpi_comm *take_undone(void)
{
    nic_enter(mpi_nic);
    struct mpi_comm *c = undone;
    if (c)
        undone = c->undone;
    nic_leave(mpi_nic);
    return c;
}

void mpi_comm_end_undone(void)
{
    for (struct mpi_comm *c; (c = take_undone());)
        mpi_comm_discard(c);
}

/* -- those that were the program's */

void mpi_comm_release(struct mpi_comm *c)
{
    mpi_session_count(c->session, -1);
    nic_enter(mpi_nic);
    mpi_handle_free((uintptr_t)c->handle);
    c->freed = true;
    if (!mpi_comm_in_use(c))
        mpi_comm_end(c);
    nic_leave(mpi_nic);
}
