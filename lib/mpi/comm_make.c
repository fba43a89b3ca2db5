/* Making a communicator, and counting what was made from its parent. */
#include "mpi/comm_make.h"

#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/errhandler.h"
#include "core/group.h"
#include "core/label.h"
#include "core/levels.h"
#include "core/session.h"
#include "core/topo.h"
#include "core/world.h"
#include "fw/shm_coll.h"
#include "mpi/args.h"
#include "nicemu/machines.h"

int mpi_check_new(const char *call, MPI_Comm comm, struct mpi_comm **c, const MPI_Comm *newcomm)
{
    int rc = mpi_check_comm(call, comm, c);
    if (!rc && !newcomm)
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the address for the result is NULL");
    return rc;
}

int mpi_comm_agree(struct mpi_comm *c, const struct mpi_comm_origin *from, struct mpi_agreed *a)
{
    *a = (struct mpi_agreed){ .contexts = c->inter ? MPI_AGREED_CONTEXTS : 1 };
    return mpi_agree(from->call, mpi_comm_whole(c), from->maker, a);
}

int *mpi_ranks_copy(const int *ranks, int count)
{
    int *copy = malloc((size_t)count * sizeof *copy);
    if (copy)
        memcpy(copy, ranks, (size_t)count * sizeof *copy);
    return copy;
}

bool mpi_comm_same_ranks(const struct mpi_comm *c, struct mpi_comm_ranks *ranks)
{
    *ranks = (struct mpi_comm_ranks){ .rank = c->rank, .size = c->size };
    if (c->world && !(ranks->world = mpi_ranks_copy(c->world, c->size)))
        return false;
    if (c->inter) {
        ranks->remotes = c->peers;
        ranks->second = c->inter->second;
        ranks->remote_world = mpi_ranks_copy(c->peer_world, c->peers);
    }
    if (c->inter && !ranks->remote_world) {
        free(ranks->world);
        return false;
    }
    ranks->topo = mpi_topo_hold(c->topo);
    return true;
}

/* The number of this call among those of its kind; all ranks of the parent count alike. */
static unsigned ordinal(struct mpi_comm *parent, enum mpi_maker maker)
{
    return atomic_fetch_add(&parent->children[maker], 1) + 1;
}

static void set_peers(struct mpi_comm *c, const struct mpi_comm_ranks *ranks)
{
    c->peers = ranks->remotes ? ranks->remotes : ranks->size;
    c->peer_world = ranks->remotes ? ranks->remote_world : ranks->world;
}

/* NULL: no memory; the lists of ranks stay the caller's. */
static struct mpi_comm *comm_new(const struct mpi_comm *parent, const struct mpi_comm_ranks *ranks)
{
    struct mpi_comm *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct mpi_comm){
        .rank = ranks->rank, .size = ranks->size, .world = ranks->world,
        .errhandler = parent->errhandler, .session = parent->session,
        .topo = ranks->topo,
    };
    set_peers(c, ranks);
    c->handle = (MPI_Comm)mpi_handle_new(MPI_KIND_COMM, c);
    if (c->handle && (ranks->remotes ? mpi_inter_new(c, ranks->second)
                      : mpi_levels_new(c, &c->levels)))
        return c;
    mpi_handle_free((uintptr_t)c->handle);
    free(c);
    return NULL;
}

struct mpi_comm *mpi_comm_begin(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                                const struct mpi_comm_ranks *ranks)
{
    unsigned number = ordinal(parent, from->maker);
    struct mpi_comm *c = comm_new(parent, ranks);
    if (!c) {
        free(ranks->world);
        free(ranks->remote_world);
        mpi_topo_drop(ranks->topo);
        return NULL;
    }
    c->maker = mpi_label_maker(from->caller);
    mpi_label_made(c, parent, from->maker, number, from->which);
    mpi_errhandler_hold(c->errhandler);
    mpi_session_count(c->session, 1);
    return c;
}

static bool is_on_one_machine(const struct mpi_comm *c)
{
    int i = 0;
    while (i < c->size && nic_is_here(mpi_nic, (unsigned)mpi_comm_world_rank(c, i)))
        i++;
    return i == c->size;
}

/* Where the other ranks have slots this one must, too: without memory for them the communicator is
 * not made. */
static bool make_shm(struct mpi_comm *c, const struct mpi_agreed *a)
{
    if (!a->shm)
        return true;
    if (c->levels)
        return mpi_levels_take_slots(c->levels, a->area, a->base);
    if (c->size == 1 || c->inter || !is_on_one_machine(c)) {
        mpi_fw_shm_coll_give(mpi_fw, a->area);
        return true;
    }
    c->shm = mpi_fw_shm_coll_new(mpi_fw, a->area, a->base, (uint32_t)c->rank, (uint32_t)c->size,
                                 c->world);
    return c->shm != NULL;
}

static void set_context(struct mpi_comm *c, unsigned context, const struct mpi_agreed *a)
{
    c->context = (uint16_t)(context * 2);
    c->threads = a->threads;
}

bool mpi_comm_settle(struct mpi_comm *c, const struct mpi_agreed *a)
{
    if (!make_shm(c, a))
        return false;
    set_context(c, a->context[0], a);
    if (c->inter) {
        set_context(c->inter->local, a->context[1], a);
        set_context(c->inter->both, a->context[0], a);
    }
    return true;
}

static int no_memory(struct mpi_comm *parent, const char *call, const struct mpi_agreed *agreed)
{
    mpi_agreed_release(agreed);
    return mpi_err(parent, call, MPI_ERR_NO_MEM, "no memory for a communicator");
}

int mpi_comm_make(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                  const struct mpi_agreed *agreed, const struct mpi_comm_ranks *ranks,
                  MPI_Comm *made)
{
    struct mpi_comm *c = mpi_comm_begin(parent, from, ranks);
    nic_enter(mpi_nic);
    bool settled = c && mpi_comm_settle(c, agreed);
    if (c && !settled)
        mpi_comm_delete(c);
    nic_leave(mpi_nic);
    if (!settled)
        return no_memory(parent, from->call, agreed);
    *made = c->handle;
    return MPI_SUCCESS;
}

int mpi_comm_make_group(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                        const struct mpi_agreed *agreed, const struct mpi_group *g, MPI_Comm *made)
{
    const struct mpi_comm_ranks ranks = {
        .rank = g->rank, .size = g->size, .world = mpi_ranks_copy(g->world, g->size),
    };
    return ranks.world ? mpi_comm_make(parent, from, agreed, &ranks, made)
           : mpi_comm_make_failed(parent, from, agreed);
}

int mpi_comm_make_none(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                       const struct mpi_agreed *agreed, MPI_Comm *made)
{
    ordinal(parent, from->maker);
    mpi_agreed_release(agreed);
    *made = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int mpi_comm_make_failed(struct mpi_comm *parent, const struct mpi_comm_origin *from,
                         const struct mpi_agreed *agreed)
{
    ordinal(parent, from->maker);
    return no_memory(parent, from->call, agreed);
}
