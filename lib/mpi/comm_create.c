/* Communicators duplicated, and made of groups. */
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/group.h"
#include "core/topo.h"
#include "core/world.h"
#include "mpi/agreement.h"
#include "mpi/args.h"
#include "mpi/attribute.h"
#include "mpi/comm_info.h"
#include "mpi/comm_make.h"
#include "mpi/weak_alias.h"

/* -- a duplicate */

/* Undoes a duplicate whose attributes could not be copied. */
static void discard(MPI_Comm *newcomm)
{
    struct mpi_attribute_error ignored;
    struct mpi_comm *made = mpi_comm_get(*newcomm);
    mpi_attributes_abandon(&made->attributes, (uintptr_t)*newcomm, &ignored);
    mpi_comm_release(made);
    *newcomm = MPI_COMM_NULL;
}

/* The attributes go along, or there is no duplicate. */
static int copy_attributes(const char *call, struct mpi_comm *c, MPI_Comm *newcomm)
{
    struct mpi_comm *made = mpi_comm_get(*newcomm);
    struct mpi_attribute_error error;
    if (mpi_attributes_copy(&c->attributes, (uintptr_t)c->handle, &made->attributes, &error))
        return MPI_SUCCESS;
    discard(newcomm);
    return mpi_attribute_raise(c, call, &error);
}

static int dup(const struct mpi_comm_origin *from, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    struct mpi_comm *c;
    struct mpi_comm_ranks ranks;
    struct mpi_agreed a;
    MPI_ENTER(from->call);
    int rc = mpi_check_new(from->call, comm, &c, newcomm);
    if (!rc)
        rc = mpi_check_info(from->call, c, info);
    if (!rc)
        rc = mpi_comm_agree(c, from, &a);
    if (rc)
        return rc;
    if (!mpi_comm_same_ranks(c, &ranks))
        return mpi_comm_make_failed(c, from, &a);
    rc = mpi_comm_make(c, from, &a, &ranks, newcomm);
    if (rc)
        return rc;
    mpi_comm_take_hints(mpi_comm_get(*newcomm), info);
    return copy_attributes(from->call, c, newcomm);
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_dup", .maker = MPI_MADE_DUP, .caller = __builtin_return_address(0),
    };
    return dup(&from, comm, MPI_INFO_NULL, newcomm);
}
MPI_WEAK_ALIAS(Comm_dup);

int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_dup_with_info", .maker = MPI_MADE_DUP,
        .caller = __builtin_return_address(0),
    };
    return dup(&from, comm, info, newcomm);
}
MPI_WEAK_ALIAS(Comm_dup_with_info);

/* -- of a group */

static int check_group(const char *call, struct mpi_comm *c, MPI_Group group,
                       const struct mpi_group **g)
{
    *g = mpi_group_get(group);
    if (!*g)
        return mpi_err(c, call, MPI_ERR_GROUP, "%p is no group", (void *)group);
    for (int i = 0; i < (*g)->size; i++)
        if (mpi_comm_rank_of(c, (*g)->world[i]) < 0)
            return mpi_err(c, call, MPI_ERR_GROUP,
                           "rank %d of the group is not in the %s", i,
                           c->inter ? "local group" : "communicator");
    return MPI_SUCCESS;
}

/* What the ranks of the remote group have passed: the order of those that are in their group; where
 * MPI_UNDEFINED stands a rank is in none.  False: they have passed different groups. */
static bool order(const struct mpi_comm *whole, const int *position, int first, int count,
                  int *world, int *members)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += position[first + i] != MPI_UNDEFINED;
    for (int i = 0; i < count; i++)
        world[i] = -1;
    for (int i = 0; i < count; i++) {
        int at = position[first + i];
        if (at == MPI_UNDEFINED)
            continue;
        if (at >= n || world[at] >= 0)
            return false;
        world[at] = mpi_comm_world_rank(whole, first + i);
    }
    *members = n;
    return true;
}

/* Both sides of what an intercommunicator becomes; an error is known to all ranks. */
static int create_ranks(struct mpi_comm *c, const char *call, const struct mpi_group *g,
                        struct mpi_comm_ranks *ranks)
{
    struct mpi_comm *whole = mpi_comm_whole(c);
    bool same = true;
    struct mpi_coll x;
    mpi_coll_begin(&x, call, whole);
    mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 0, MPI_MADE_CREATE);
    int *position = mpi_coll_memory(&x, sizeof *position * (size_t)whole->size);
    int *here = mpi_coll_memory(&x, sizeof *here * (size_t)c->size);
    int *there = mpi_coll_memory(&x, sizeof *there * (size_t)c->peers);
    *ranks = (struct mpi_comm_ranks){ .rank = g->rank, .second = c->inter->second,
                                      .world = here, .remote_world = there };
    if (position && here && there) {
        position[whole->rank] = g->rank;
        mpi_coll_allgather(&x, &(struct mpi_blocks){ .buf = position, .count = 1,
                                                     .unit = sizeof *position });
        same = order(whole, position, mpi_inter_local_first(c), c->size, here, &ranks->size)
               & order(whole, position, mpi_inter_remote_first(c), c->peers, there,
                       &ranks->remotes);
    }
    free(position);
    if (!same)
        mpi_coll_fail(&x, MPI_ERR_GROUP, "ranks of one side have passed different groups");
    return mpi_coll_end(&x);
}

static int create_inter(struct mpi_comm *c, struct mpi_comm_origin *from,
                        const struct mpi_group *g, MPI_Comm *newcomm)
{
    struct mpi_comm_ranks ranks;
    struct mpi_agreed a;
    int rc = create_ranks(c, from->call, g, &ranks);
    if (!rc)
        rc = mpi_comm_agree(c, from, &a);
    if (!rc && ranks.rank != MPI_UNDEFINED && ranks.remotes) {
        from->which = ranks.second ? ranks.remote_world[0] : ranks.world[0];
        return mpi_comm_make(c, from, &a, &ranks, newcomm);
    }
    free(ranks.world);
    free(ranks.remote_world);
    return rc ? rc : mpi_comm_make_none(c, from, &a, newcomm);
}

static int create_intra(struct mpi_comm *c, struct mpi_comm_origin *from,
                        const struct mpi_group *g, MPI_Comm *newcomm)
{
    struct mpi_agreed a;
    int rc = mpi_comm_agree(c, from, &a);
    if (rc)
        return rc;
    from->which = g->size ? g->world[0] : 0;
    if (g->rank == MPI_UNDEFINED)
        return mpi_comm_make_none(c, from, &a, newcomm);
    return mpi_comm_make_group(c, from, &a, g, newcomm);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    struct mpi_comm_origin from = {
        .call = "MPI_Comm_create", .maker = MPI_MADE_CREATE,
        .caller = __builtin_return_address(0),
    };
    const struct mpi_group *g;
    struct mpi_comm *c;
    MPI_ENTER(from.call);
    int rc = mpi_check_new(from.call, comm, &c, newcomm);
    if (!rc)
        rc = check_group(from.call, c, group, &g);
    if (rc)
        return rc;
    *newcomm = MPI_COMM_NULL;
    return c->inter ? create_inter(c, &from, g, newcomm) : create_intra(c, &from, g, newcomm);
}
MPI_WEAK_ALIAS(Comm_create);
