/* Communicators: what they are, their making and their end. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "mpi/coll_args.h"
#include "mpi/context.h"
#include "mpi/err.h"
#include "mpi/group.h"
#include "mpi/init.h"
#include "mpi/twin.h"

struct mpi_comm mpi_comm_world, mpi_comm_self;

static void make_predefined(struct mpi_comm *c, unsigned context, int rank, int size, MPI_Comm handle, const char *name)
{
    *c = (struct mpi_comm){ .context = (uint16_t)(context * 2), .rank = rank, .size = size, .handle = handle, .errhandler = MPI_ERRORS_ARE_FATAL };
    snprintf(c->name, sizeof c->name, "%s", name);
}

void mpi_comm_init(int rank, int size)
{
    static int self;
    mpi_contexts_init();
    make_predefined(&mpi_comm_world, MPI_CONTEXT_WORLD, rank, size, MPI_COMM_WORLD, "MPI_COMM_WORLD");
    make_predefined(&mpi_comm_self, MPI_CONTEXT_SELF, 0, 1, MPI_COMM_SELF, "MPI_COMM_SELF");
    self = rank;
    mpi_comm_self.world = &self;
    if (size > 1 && (mpi_fw_shm_coll_areas(mpi_fw) & 1))       /* all ranks begin alike: nothing to agree on */
        mpi_comm_world.shm = mpi_fw_shm_coll_new(mpi_fw, 0, 0, (uint32_t)rank, (uint32_t)size, NULL);
}

int *mpi_comm_world_ranks(const struct mpi_comm *c)
{
    int *world = malloc(sizeof *world * (size_t)c->size);
    for (int i = 0; world && i < c->size; i++)
        world[i] = mpi_comm_world_rank(c, i);
    return world;
}

/* -- making one */

/* This rank is not in the new communicator, or has no memory for it. */
static void give_back(const struct mpi_context *a)
{
    nic_enter(mpi_nic);
    mpi_context_free(a->number);
    if (a->shm)
        mpi_fw_shm_coll_give(mpi_fw, a->area);
    nic_leave(mpi_nic);
}

/* Where the others have slots this rank must, too: without memory for them the communicator is not made. */
static bool make_shm(struct mpi_comm *c, const struct mpi_context *a)
{
    if (!a->shm || c->size == 1) {
        if (a->shm)
            mpi_fw_shm_coll_give(mpi_fw, a->area);
        return true;
    }
    c->shm = mpi_fw_shm_coll_new(mpi_fw, a->area, a->base, (uint32_t)c->rank, (uint32_t)c->size, c->world);
    return c->shm != NULL;
}

/* What kind of call makes it, its number among those of the parent, from where it was called, and
 * what tells apart those that one call makes. */
struct origin { enum mpi_maker maker; unsigned ordinal; const void *caller; int which; };

/* All ranks of the parent have agreed on another one. */
static struct origin origin(struct mpi_comm *parent, enum mpi_maker maker, const void *caller)
{
    unsigned ordinal = atomic_fetch_add(&parent->children[maker], 1) + 1;
    return (struct origin){ .maker = maker, .ordinal = ordinal, .caller = caller };
}

/* Takes over `world`. */
static int comm_new(const char *call, struct mpi_comm *parent, const struct mpi_context *a,
                    const struct origin *from, int rank, int size, int *world, MPI_Comm *newcomm)
{
    struct mpi_comm *c = calloc(1, sizeof *c);
    if (c)
        *c = (struct mpi_comm){ .context = (uint16_t)(a->number * 2), .rank = rank, .size = size,
                                .world = world, .threads = parent->threads, .maker = from->caller,
                                .errhandler = parent->errhandler };
    if (c)
        c->handle = (MPI_Comm)mpi_handle_new(MPI_KIND_COMM, c);
    nic_enter(mpi_nic);
    bool made = c && c->handle && make_shm(c, a);
    nic_leave(mpi_nic);
    if (!made) {
        if (c && c->handle)
            mpi_handle_free((uintptr_t)c->handle);
        free(c);
        free(world);
        give_back(a);
        return mpi_err(parent, call, MPI_ERR_NO_MEM, "no memory for a communicator");
    }
    mpi_label_made(c, parent, from->maker, from->ordinal, from->which);
    mpi_errhandler_hold(c->errhandler);
    *newcomm = c->handle;
    return MPI_SUCCESS;
}

/* Baton held. */
void mpi_comm_end(struct mpi_comm *c)
{
    mpi_context_free(c->context / 2u);
    mpi_errhandler_drop(c->errhandler);
    int *world = (int *)(uintptr_t)c->world;
    if (c->shm)
        mpi_fw_shm_coll_retire(mpi_fw, c->shm, world);
    else
        free(world);
    free(c);
}

/* -- the calls */

static int get(const char *call, MPI_Comm comm, struct mpi_comm **c, const void *result)
{
    int rc = mpi_coll_check_comm(call, comm, c);
    if (!rc && !result)
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the address for the result is NULL");
    return rc;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_size");
    int rc = get("MPI_Comm_size", comm, &c, size);
    if (!rc)
        *size = c->size;
    return rc;
}
TWIN(Comm_size);

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_rank");
    int rc = get("MPI_Comm_rank", comm, &c, rank);
    if (!rc)
        *rank = c->rank;
    return rc;
}
TWIN(Comm_rank);

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_test_inter");
    int rc = get("MPI_Comm_test_inter", comm, &c, flag);
    if (!rc)
        *flag = 0;
    return rc;
}
TWIN(Comm_test_inter);

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    struct mpi_comm *c;
    struct mpi_context a;
    MPI_ENTER("MPI_Comm_dup");
    int rc = get("MPI_Comm_dup", comm, &c, newcomm);
    if (!rc)
        rc = mpi_context_new("MPI_Comm_dup", c, MPI_MADE_DUP, &a);
    if (rc)
        return rc;
    int *world = c->world ? mpi_comm_world_ranks(c) : NULL;
    if (c->world && !world) {
        give_back(&a);
        return mpi_err(c, "MPI_Comm_dup", MPI_ERR_NO_MEM, "no memory for a communicator");
    }
    struct origin from = origin(c, MPI_MADE_DUP, __builtin_return_address(0));
    return comm_new("MPI_Comm_dup", c, &a, &from, c->rank, c->size, world, newcomm);
}
TWIN(Comm_dup);

int PMPI_Comm_free(MPI_Comm *comm)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_free");
    if (!comm)
        return mpi_err(NULL, "MPI_Comm_free", MPI_ERR_ARG, "the address of the communicator is NULL");
    int rc = get("MPI_Comm_free", *comm, &c, comm);
    if (rc)
        return rc;
    if (c == &mpi_comm_world || c == &mpi_comm_self)
        return mpi_err(c, "MPI_Comm_free", MPI_ERR_COMM, "%s can't be freed", c == &mpi_comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    nic_enter(mpi_nic);
    mpi_handle_free((uintptr_t)*comm);
    c->freed = true;
    if (!mpi_comm_in_use(c))
        mpi_comm_end(c);
    nic_leave(mpi_nic);
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
TWIN(Comm_free);

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

/* Moves those of this color to the front, in the order of the new communicator; returns how many. */
static int choose(struct member *all, int n, int color)
{
    int size = 0;
    for (int i = 0; i < n; i++)
        if (all[i].color == color)
            all[size++] = all[i];
    qsort(all, (size_t)size, sizeof *all, by_key);
    return size;
}

static int split(struct mpi_comm *c, int color, struct member *all, const void *caller,
                 MPI_Comm *newcomm)
{
    struct mpi_context a;
    int rc = mpi_context_new("MPI_Comm_split", c, MPI_MADE_SPLIT, &a), rank = 0;
    if (rc)
        return rc;
    struct origin from = origin(c, MPI_MADE_SPLIT, caller);
    from.which = color;
    *newcomm = MPI_COMM_NULL;
    if (color == MPI_UNDEFINED) {
        give_back(&a);
        return MPI_SUCCESS;
    }
    int size = choose(all, c->size, color), *world = malloc(sizeof *world * (size_t)size);
    for (int i = 0; world && i < size; i++) {
        world[i] = mpi_comm_world_rank(c, all[i].rank);
        rank = all[i].rank == c->rank ? i : rank;
    }
    if (!world) {
        give_back(&a);
        return mpi_err(c, "MPI_Comm_split", MPI_ERR_NO_MEM, "no memory for a communicator");
    }
    return comm_new("MPI_Comm_split", c, &a, &from, rank, size, world, newcomm);
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_split");
    int rc = get("MPI_Comm_split", comm, &c, newcomm);
    if (!rc && color < 0 && color != MPI_UNDEFINED)
        rc = mpi_err(c, "MPI_Comm_split", MPI_ERR_ARG, "color %d is negative and not MPI_UNDEFINED", color);
    if (rc)
        return rc;
    struct member *all = collect(c, color, key, &rc);
    if (all)
        rc = split(c, color, all, __builtin_return_address(0), newcomm);
    free(all);
    return rc;
}
TWIN(Comm_split);

/* -- groups */

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_group");
    int rc = get("MPI_Comm_group", comm, &c, group);
    if (!rc && mpi_group_new(c->size, c->world, group))
        rc = mpi_err(c, "MPI_Comm_group", MPI_ERR_NO_MEM, "no memory for a group");
    return rc;
}
TWIN(Comm_group);

/* Rank in c of a rank of the job, -1: it is not in there. */
static int rank_in(const struct mpi_comm *c, int world)
{
    for (int i = 0; i < c->size; i++)
        if (mpi_comm_world_rank(c, i) == world)
            return i;
    return -1;
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
    struct mpi_comm *c;
    struct mpi_context a;
    MPI_ENTER("MPI_Comm_create");
    int rc = get("MPI_Comm_create", comm, &c, newcomm);
    const struct mpi_group *g = mpi_group_get(group);
    if (!rc && !g)
        rc = mpi_err(c, "MPI_Comm_create", MPI_ERR_GROUP, "%p is no group", (void *)group);
    for (int i = 0; !rc && i < g->size; i++)
        if (rank_in(c, g->world[i]) < 0)
            rc = mpi_err(c, "MPI_Comm_create", MPI_ERR_GROUP, "rank %d of the group is not in the communicator", i);
    if (!rc)
        rc = mpi_context_new("MPI_Comm_create", c, MPI_MADE_CREATE, &a);
    if (rc)
        return rc;
    struct origin from = origin(c, MPI_MADE_CREATE, __builtin_return_address(0));
    from.which = g->size ? g->world[0] : 0;
    *newcomm = MPI_COMM_NULL;
    if (g->rank == MPI_UNDEFINED) {
        give_back(&a);
        return MPI_SUCCESS;
    }
    int *world = malloc(sizeof *world * (size_t)g->size);
    if (!world) {
        give_back(&a);
        return mpi_err(c, "MPI_Comm_create", MPI_ERR_NO_MEM, "no memory for a communicator");
    }
    memcpy(world, g->world, sizeof *world * (size_t)g->size);
    return comm_new("MPI_Comm_create", c, &a, &from, g->rank, g->size, world, newcomm);
}
TWIN(Comm_create);

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    struct mpi_comm *a, *b;
    bool same_order = true, same_set = true;
    MPI_ENTER("MPI_Comm_compare");
    int rc = get("MPI_Comm_compare", comm1, &a, result);
    if (!rc)
        rc = get("MPI_Comm_compare", comm2, &b, result);
    if (rc)
        return rc;
    same_order = same_set = a->size == b->size;
    for (int i = 0; same_set && i < a->size; i++) {
        same_order = same_order && mpi_comm_world_rank(a, i) == mpi_comm_world_rank(b, i);
        same_set = same_order || rank_in(b, mpi_comm_world_rank(a, i)) >= 0;
    }
    *result = a == b ? MPI_IDENT : same_order && same_set ? MPI_CONGRUENT : same_set ? MPI_SIMILAR : MPI_UNEQUAL;
    return MPI_SUCCESS;
}
TWIN(Comm_compare);

/* -- names */

int PMPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_set_name");
    int rc = get("MPI_Comm_set_name", comm, &c, name);
    if (!rc)
        snprintf(c->name, sizeof c->name, "%s", name);
    return rc;
}
TWIN(Comm_set_name);

int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_get_name");
    int rc = get("MPI_Comm_get_name", comm, &c, name);
    if (!rc && !length)
        rc = mpi_err(c, "MPI_Comm_get_name", MPI_ERR_ARG, "the address for the length is NULL");
    if (!rc)
        *length = snprintf(name, sizeof c->name, "%s", c->name);
    return rc;
}
TWIN(Comm_get_name);
