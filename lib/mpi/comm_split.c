/* Communicators of those ranks of another that name the same color. */
#include <stdlib.h>

#include "coll/coll.h"
#include "core/err.h"
#include "mpi/args.h"
#include "mpi/comm_make.h"
#include "mpi/comm_split.h"
#include "mpi/weak_alias.h"

struct member { int color, key, rank; };

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* All members of the parent, of which `rank` counts in mpi_comm_whole; NULL: error raised, *rc says
 * which. */
static struct member *collect(struct mpi_comm *c, int color, int key, int *rc)
{
    struct mpi_coll x;
    c = mpi_comm_whole(c);
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

/* The ranks in MPI_COMM_WORLD of the first `size` members; NULL: no memory. */
static int *world_of(const struct mpi_comm *whole, const struct member *all, int size)
{
    int *world = malloc(sizeof *world * (size_t)size);
    for (int i = 0; world && i < size; i++)
        world[i] = mpi_comm_world_rank(whole, all[i].rank);
    return world;
}

static int place_of(int rank, const struct member *all, int size)
{
    int at = 0;
    while (at < size && all[at].rank != rank)
        at++;
    return at;
}

/* Those of this rank's color, from both sides of an intercommunicator.  False: no memory. */
static bool split_ranks(struct mpi_comm *c, struct member *all, int color,
                        struct mpi_comm_ranks *ranks)
{
    const struct mpi_comm *whole = mpi_comm_whole(c);
    struct member *here = all + (c->inter ? mpi_inter_local_first(c) : 0), *there = NULL;
    *ranks = (struct mpi_comm_ranks){ .size = choose(here, c->size, color) };
    ranks->rank = place_of(whole->rank, here, ranks->size);
    if (c->inter) {
        there = all + mpi_inter_remote_first(c);
        ranks->second = c->inter->second;
        ranks->remotes = choose(there, c->peers, color);
    }
    ranks->world = world_of(whole, here, ranks->size);
    if (there && ranks->remotes)
        ranks->remote_world = world_of(whole, there, ranks->remotes);
    if (ranks->world && (!ranks->remotes || ranks->remote_world))
        return true;
    free(ranks->world);
    free(ranks->remote_world);
    return false;
}

static int split(struct mpi_comm *c, const struct mpi_comm_origin *from, struct member *all,
                 MPI_Comm *newcomm)
{
    struct mpi_comm_ranks ranks;
    struct mpi_agreed a;
    int rc = mpi_comm_agree(c, from, &a);
    if (rc)
        return rc;
    *newcomm = MPI_COMM_NULL;
    if (from->which == MPI_UNDEFINED)
        return mpi_comm_make_none(c, from, &a, newcomm);
    if (!split_ranks(c, all, from->which, &ranks))
        return mpi_comm_make_failed(c, from, &a);
    if (!c->inter || ranks.remotes)
        return mpi_comm_make(c, from, &a, &ranks, newcomm);
    free(ranks.world);          /* nobody there has this color */
    return mpi_comm_make_none(c, from, &a, newcomm);
}

int mpi_comm_split(struct mpi_comm *c, const struct mpi_comm_origin *from, int key,
                   MPI_Comm *newcomm)
{
    int rc;
    struct member *all = collect(c, from->which, key, &rc);
    if (all)
        rc = split(c, from, all, newcomm);
    free(all);
    return rc;
}

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_split", .maker = MPI_MADE_SPLIT,
        .caller = __builtin_return_address(0), .which = color,
    };
    struct mpi_comm *c;
    MPI_ENTER(from.call);
    int rc = mpi_check_new(from.call, comm, &c, newcomm);
    if (!rc && color < 0 && color != MPI_UNDEFINED)
        rc = mpi_err(c, from.call, MPI_ERR_ARG,
                     "color %d is negative and not MPI_UNDEFINED", color);
    return rc ? rc : mpi_comm_split(c, &from, key, newcomm);
}
MPI_WEAK_ALIAS(Comm_split);
