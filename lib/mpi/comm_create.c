/* Communicators made from others, and freed. */
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/group.h"
#include "core/topo.h"
#include "core/world.h"
#include "mpi/agreement.h"
#include "mpi/args.h"
#include "mpi/comm_make.h"
#include "mpi/weak_alias.h"

static int get(const char *call, MPI_Comm comm, struct mpi_comm **c, const MPI_Comm *newcomm)
{
    int rc = mpi_check_comm(call, comm, c);
    if (!rc && !newcomm)
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the address for the result is NULL");
    return rc;
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_dup", .maker = MPI_MADE_DUP, .caller = __builtin_return_address(0),
    };
    struct mpi_comm *c;
    struct mpi_agreed a;
    MPI_ENTER(from.call);
    int rc = get(from.call, comm, &c, newcomm);
    if (!rc)
        rc = mpi_agree(from.call, c, from.maker, &a);
    if (rc)
        return rc;
    struct mpi_comm_ranks ranks = { .rank = c->rank, .size = c->size };
    if (c->world && !(ranks.world = mpi_comm_world_ranks(c)))
        return mpi_comm_make_failed(c, &from, &a);
    ranks.topo = mpi_topo_hold(c->topo);
    return mpi_comm_make(c, &from, &a, &ranks, newcomm);
}
MPI_WEAK_ALIAS(Comm_dup);

int PMPI_Comm_free(MPI_Comm *comm)
{
    const char *call = "MPI_Comm_free";
    struct mpi_comm *c;
    MPI_ENTER(call);
    if (!comm)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the communicator is NULL");
    int rc = mpi_check_comm(call, *comm, &c);
    if (rc)
        return rc;
    if (c == &mpi_comm_world || c == &mpi_comm_self)
        return mpi_err(c, call, MPI_ERR_COMM, "%s can't be freed",
                       c == &mpi_comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    nic_enter(mpi_nic);
    mpi_handle_free((uintptr_t)*comm);
    c->freed = true;
    if (!mpi_comm_in_use(c))
        mpi_comm_end(c);
    nic_leave(mpi_nic);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Comm_free);

/* -- split */

struct member { int color, key, rank; };

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* All members of the parent; NULL: error raised, *rc says which. */
static struct member *collect(struct mpi_comm *c, int color, int key, int *rc)
{
    struct mpi_coll x;
    mpi_coll_begin(&x, "MPI_Comm_split", c);
    mpi_coll_set_fingerprint(&x, MPI_COLL_SPLIT, 0, 0);
    struct member *all = mpi_coll_memory(&x, sizeof *all * (size_t)c->size);
    if (all) {
        all[c->rank] = (struct member){ color, key, c->rank };
        mpi_coll_allgather(&x, &(struct mpi_blocks){ .buf = all, .count = 1,
                                                     .unit = sizeof *all });
    }
    if (!(*rc = mpi_coll_end(&x)))
        return all;
    free(all);
    return NULL;
}

/* Moves the members of this color to the front, in the order of the new communicator; returns how
 * many they are. */
static int choose(struct member *all, int n, int color)
{
    int size = 0;
    for (int i = 0; i < n; i++)
        if (all[i].color == color)
            all[size++] = all[i];
    qsort(all, (size_t)size, sizeof *all, by_key);
    return size;
}

/* This rank's place among the first `size` members; world NULL: no memory. */
static struct mpi_comm_ranks ranks_of(const struct mpi_comm *c, const struct member *all, int size)
{
    struct mpi_comm_ranks ranks = { .size = size };
    ranks.world = malloc(sizeof *ranks.world * (size_t)size);
    for (int i = 0; ranks.world && i < size; i++) {
        ranks.world[i] = mpi_comm_world_rank(c, all[i].rank);
        ranks.rank = all[i].rank == c->rank ? i : ranks.rank;
    }
    return ranks;
}

static int split(struct mpi_comm *c, const struct mpi_comm_origin *from, struct member *all,
                 MPI_Comm *newcomm)
{
    struct mpi_agreed a;
    int rc = mpi_agree(from->call, c, from->maker, &a);
    if (rc)
        return rc;
    *newcomm = MPI_COMM_NULL;
    if (from->which == MPI_UNDEFINED)
        return mpi_comm_make_none(c, from, &a, newcomm);
    struct mpi_comm_ranks ranks = ranks_of(c, all, choose(all, c->size, from->which));
    if (!ranks.world)
        return mpi_comm_make_failed(c, from, &a);
    return mpi_comm_make(c, from, &a, &ranks, newcomm);
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_split", .maker = MPI_MADE_SPLIT,
        .caller = __builtin_return_address(0), .which = color,
    };
    struct mpi_comm *c;
    MPI_ENTER(from.call);
    int rc = get(from.call, comm, &c, newcomm);
    if (!rc && color < 0 && color != MPI_UNDEFINED)
        rc = mpi_err(c, from.call, MPI_ERR_ARG,
                     "color %d is negative and not MPI_UNDEFINED", color);
    if (rc)
        return rc;
    struct member *all = collect(c, color, key, &rc);
    if (all)
        rc = split(c, &from, all, newcomm);
    free(all);
    return rc;
}
MPI_WEAK_ALIAS(Comm_split);

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
                           "rank %d of the group is not in the communicator", i);
    return MPI_SUCCESS;
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    struct mpi_comm_origin from = {
        .call = "MPI_Comm_create", .maker = MPI_MADE_CREATE,
        .caller = __builtin_return_address(0),
    };
    const struct mpi_group *g;
    struct mpi_comm *c;
    struct mpi_agreed a;
    MPI_ENTER(from.call);
    int rc = get(from.call, comm, &c, newcomm);
    if (!rc)
        rc = check_group(from.call, c, group, &g);
    if (!rc)
        rc = mpi_agree(from.call, c, from.maker, &a);
    if (rc)
        return rc;
    from.which = g->size ? g->world[0] : 0;
    *newcomm = MPI_COMM_NULL;
    if (g->rank == MPI_UNDEFINED)
        return mpi_comm_make_none(c, &from, &a, newcomm);
    struct mpi_comm_ranks ranks = { .rank = g->rank, .size = g->size };
    ranks.world = malloc(sizeof *ranks.world * (size_t)g->size);
    if (!ranks.world)
        return mpi_comm_make_failed(c, &from, &a);
    memcpy(ranks.world, g->world, sizeof *ranks.world * (size_t)g->size);
    return mpi_comm_make(c, &from, &a, &ranks, newcomm);
}
MPI_WEAK_ALIAS(Comm_create);
