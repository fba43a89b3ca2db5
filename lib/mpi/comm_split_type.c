/* Communicators of ranks that share hardware. */
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/hw_resource.h"
#include "core/info.h"
#include "core/session.h"
#include "mpi/args.h"
#include "mpi/comm_info.h"
#include "mpi/comm_make.h"
#include "mpi/comm_split.h"
#include "mpi/weak_alias.h"

#define TYPE_KEY "mpi_hw_resource_type"
#define PSET_KEY "mpi_pset_name"
enum { KINDS_MOST = 16, PER_MACHINE = 1 << 15 };     /* fewer of any kind of hardware */

/* -- guided: the info object names a kind of hardware, or a set of processes */

/* All ranks of a machine share memory. */
static int shared(void) { return (int)nic_job_machine(mpi_job, mpi_job_rank); }

/* Hardware is counted on each machine from 0. */
static int mine_of(unsigned kind)
{
    int mine = mpi_hw_resource_mine(kind);
    return mine < 0 ? mine : shared() * PER_MACHINE + mine;
}

static int of_resource(const char *name)
{
    int kind = mpi_hw_resource_by_name(name);
    int mine = kind < 0 ? MPI_HW_UNKNOWN : mine_of((unsigned)kind);
    if (!strcmp(name, "mpi_shared_memory"))
        return shared();
    return mine < 0 ? MPI_UNDEFINED : mine;
}

static int of_pset(const char *name)
{
    switch (mpi_pset_by_name(name)) {
    case MPI_PSET_WORLD: return 0;
    case MPI_PSET_SELF: return mpi_comm_world.rank;
    default: return MPI_UNDEFINED;
    }
}

static int guided(int type, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL];
    bool has = info != MPI_INFO_NULL;
    if (has && mpi_info_find(info, TYPE_KEY, value, sizeof value))
        return of_resource(value);
    if (has && type == MPI_COMM_TYPE_RESOURCE_GUIDED
        && mpi_info_find(info, PSET_KEY, value, sizeof value))
        return of_pset(value);
    return MPI_UNDEFINED;
}

/* -- unguided: the widest kind of hardware that tells ranks apart */

/* What each rank says; mine: of each kind of hardware, the number of its own, or MPI_HW_SEVERAL and
 * the like. */
struct claim { int type, mine[KINDS_MOST]; };

static struct claim own_claim(int type)
{
    struct claim own = { .type = type };
    bool looks = type == MPI_COMM_TYPE_HW_UNGUIDED;
    for (unsigned i = 0; i < KINDS_MOST; i++)
        own.mine[i] = looks && mpi_hw_resource_name(i) ? mine_of(i) : MPI_HW_UNKNOWN;
    return own;
}

/* Whether some ranks are on one of the kind and others are not. */
static bool tells_apart(const struct claim *all, int size, unsigned kind)
{
    bool one = false, differ = false;
    for (int i = 0; i < size; i++) {
        one |= all[i].mine[kind] >= 0;
        differ |= all[i].mine[kind] != all[0].mine[kind];
    }
    return one && differ;
}

/* An info object gets the name of the kind. */
static int unguided(const struct claim *all, int size, int rank, MPI_Info info)
{
    unsigned kind = 0;
    while (kind < KINDS_MOST && !tells_apart(all, size, kind))
        kind++;
    int mine = kind < KINDS_MOST ? all[rank].mine[kind] : MPI_HW_UNKNOWN;
    if (mine < 0)
        return MPI_UNDEFINED;
    if (info != MPI_INFO_NULL && info != MPI_INFO_ENV)
        mpi_info_set(info, TYPE_KEY, mpi_hw_resource_name(kind));
    return mine;
}

/* -- the call */

static bool is_type(int type)
{
    return type == MPI_UNDEFINED || type == MPI_COMM_TYPE_SHARED
           || type == MPI_COMM_TYPE_HW_GUIDED || type == MPI_COMM_TYPE_HW_UNGUIDED
           || type == MPI_COMM_TYPE_RESOURCE_GUIDED;
}

/* All pass the same type, but for those that pass MPI_UNDEFINED. */
static bool all_same(const struct claim *all, int size)
{
    int type = MPI_UNDEFINED;
    for (int i = 0; i < size; i++) {
        if (type != MPI_UNDEFINED && all[i].type != MPI_UNDEFINED && all[i].type != type)
            return false;
        type = all[i].type == MPI_UNDEFINED ? type : all[i].type;
    }
    return true;
}

static int color_of(const struct claim *all, const struct mpi_comm *whole, int type,
                    MPI_Info info)
{
    switch (type) {
    case MPI_UNDEFINED: return MPI_UNDEFINED;
    case MPI_COMM_TYPE_SHARED: return shared();
    case MPI_COMM_TYPE_HW_UNGUIDED: return unguided(all, whole->size, whole->rank, info);
    default: return guided(type, info);
    }
}

/* The color that stands for the type; an error is known to all ranks. */
static int find_color(const char *call, struct mpi_comm *c, int type, MPI_Info info, int *color)
{
    struct mpi_comm *whole = mpi_comm_whole(c);
    struct mpi_coll x;
    mpi_coll_begin(&x, call, whole);
    mpi_coll_set_fingerprint(&x, MPI_COLL_SPLIT, 0, 0);
    struct claim *all = mpi_coll_memory(&x, sizeof *all * (size_t)whole->size);
    if (all) {
        all[whole->rank] = own_claim(type);
        mpi_coll_allgather(&x, &(struct mpi_blocks){ .buf = all, .count = 1,
                                                     .unit = sizeof *all });
        if (all_same(all, whole->size))
            *color = color_of(all, whole, type, info);
        else
            mpi_coll_fail(&x, MPI_ERR_ARG, "the ranks have passed different types");
    }
    free(all);
    return mpi_coll_end(&x);
}

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
    struct mpi_comm_origin from = {
        .call = "MPI_Comm_split_type", .maker = MPI_MADE_SPLIT,
        .caller = __builtin_return_address(0),
    };
    struct mpi_comm *c;
    MPI_ENTER(from.call);
    int rc = mpi_check_new(from.call, comm, &c, newcomm);
    if (!rc)
        rc = mpi_check_info(from.call, c, info);
    if (!rc)
        rc = is_type(split_type) ? find_color(from.call, c, split_type, info, &from.which)
             : mpi_err(c, from.call, MPI_ERR_ARG, "%d is no type of a split", split_type);
    return rc ? rc : mpi_comm_split(c, &from, key, newcomm);
}
MPI_WEAK_ALIAS(Comm_split_type);
