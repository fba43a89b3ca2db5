/* Making a communicator, and counting what was made from its parent. */
#include "mpi/comm_make.h"

#include <stdlib.h>

#include "core/err.h"
#include "core/errhandler.h"
#include "core/label.h"
#include "core/world.h"
#include "fw/shm_coll.h"
#include "mpi/args.h"

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

/* The number of this call among those of its kind; all ranks of the parent count alike. */
static unsigned ordinal(struct mpi_comm *parent, enum mpi_maker maker)
{
    return atomic_fetch_add(&parent->children[maker], 1) + 1;
}

/* Where the other ranks have slots this one must, too: without memory for them the communicator is
 * not made.  Baton held. */
static bool make_shm(struct mpi_comm *c, const struct mpi_agreed *a)
{
    if (!a->shm)
        return true;
    if (c->size == 1 || c->inter) {
        mpi_fw_shm_coll_give(mpi_fw, a->area);
        return true;
    }
    c->shm = mpi_fw_shm_coll_new(mpi_fw, a->area, a->base, (uint32_t)c->rank, (uint32_t)c->size,
                                c->world);
    return c->shm != NULL;
}

/* Baton held. */
static bool make_parts(struct mpi_comm *c, const struct mpi_agreed *a,
                       const struct mpi_comm_ranks *ranks)
{
    if (ranks->remotes && !mpi_inter_new(c, ranks->second, a->context[1], a->context[2]))
        return false;
    return make_shm(c, a);
}

static void set_peers(struct mpi_comm *c, const struct mpi_comm_ranks *ranks)
{
    c->peers = ranks->remotes ? ranks->remotes : ranks->size;
    c->peer_world = ranks->remotes ? ranks->remote_world : ranks->world;
}

/* NULL: no memory. */
static struct mpi_comm *comm_new(const struct mpi_comm *parent, const struct mpi_agreed *a,
                                 const struct mpi_comm_ranks *ranks)
{
    struct mpi_comm *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct mpi_comm){
        .context = (uint16_t)(a->context[0] * 2), .rank = ranks->rank, .size = ranks->size,
        .world = ranks->world, .threads = a->threads, .errhandler = parent->errhandler,
    };
    set_peers(c, ranks);
    c->handle = (MPI_Comm)mpi_handle_new(MPI_KIND_COMM, c);
    nic_enter(mpi_nic);
    bool made = c->handle && make_parts(c, a, ranks);
    nic_leave(mpi_nic);
    if (made)
        return c;
    if (c->handle)
        mpi_handle_free((uintptr_t)c->handle);
    free(c);
    return NULL;
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
    unsigned number = ordinal(parent, from->maker);
    struct mpi_comm *c = comm_new(parent, agreed, ranks);
    if (!c) {
        free(ranks->world);
        free(ranks->remote_world);
        return no_memory(parent, from->call, agreed);
    }
    c->maker = from->caller;
    mpi_label_made(c, parent, from->maker, number, from->which);
    mpi_errhandler_hold(c->errhandler);
    *made = c->handle;
    return MPI_SUCCESS;
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
