/* Intercommunicators: made of two groups, merged, and what a program asks about them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/group.h"
#include "mpi/among.h"
#include "mpi/args.h"
#include "mpi/bridge.h"
#include "mpi/comm_make.h"
#include "mpi/weak_alias.h"

/* -- questions */

static int get(const char *call, MPI_Comm comm, struct mpi_comm **c, const void *result)
{
    int rc = mpi_check_comm(call, comm, c);
    if (!rc && !(*c)->inter)
        rc = mpi_err(*c, call, MPI_ERR_COMM, "the communicator is no intercommunicator");
    if (!rc && !result)
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the address for the result is NULL");
    return rc;
}

int PMPI_Comm_remote_size(MPI_Comm comm, int *size)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_remote_size");
    int rc = get("MPI_Comm_remote_size", comm, &c, size);
    if (!rc)
        *size = c->peers;
    return rc;
}
MPI_WEAK_ALIAS(Comm_remote_size);

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
    const char *call = "MPI_Comm_remote_group";
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = get(call, comm, &c, group);
    if (!rc && mpi_group_new_in(c->session, c->peers, c->peer_world, group))
        rc = mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a group");
    return rc;
}
MPI_WEAK_ALIAS(Comm_remote_group);

/* -- two groups become one intercommunicator */

/* What the leaders tell each other, and each its group.  class: of an error that it has found. */
struct side { int class, size, context, leader; };

/* A call, as one of its ranks has it. */
struct meeting {
    const struct mpi_comm_origin *from;
    struct mpi_comm *c, *peer;          /* peer: of the leader only */
    int leader, remote_leader, tag;     /* of the leader: its rank in `peer` */
    struct side here, there;
    char why[MPI_WHY_BYTES];            /* of an error of the leader's */
    int *world;                         /* the remote group's */
};

static bool is_leader(const struct meeting *b) { return b->c->rank == b->leader; }

/* The leader alone; noted, as all of its group must learn of it. */
static void refuse(struct meeting *b, int class, const char *text, int value)
{
    b->here.class = class;
    snprintf(b->why, sizeof b->why, text, value);
}

static void check_leader(struct meeting *b, MPI_Comm peer)
{
    b->peer = mpi_comm_get(peer);
    if (!b->peer)
        refuse(b, MPI_ERR_COMM, "the peer communicator is none", 0);
    else if (b->remote_leader < 0 || b->remote_leader >= b->peer->peers)
        refuse(b, MPI_ERR_RANK, "the remote leader, %d, is no rank of the peer communicator",
               b->remote_leader);
    else if (mpi_comm_peer(b->peer, b->remote_leader) == mpi_comm_world.rank)
        refuse(b, MPI_ERR_RANK, "the remote leader, %d, is the local leader itself",
               b->remote_leader);
    else if (b->tag < 0)
        refuse(b, MPI_ERR_TAG, "tag %d is negative", b->tag);
}

/* The list of the local group, in rank order; NULL: no memory. */
static int *own_list(const struct mpi_comm *c)
{
    int *world = malloc(sizeof *world * (size_t)c->size);
    for (int i = 0; world && i < c->size; i++)
        world[i] = mpi_comm_world_rank(c, i);
    return world;
}

/* The leaders exchange their sides. */
static void meet(struct mpi_coll *x, struct meeting *b)
{
    int pair[] = { mpi_comm_world.rank, mpi_comm_peer(b->peer, b->remote_leader) };
    const struct mpi_among g = {
        .call = x->call, .on = b->peer, .count = 2, .me = 0, .world = pair,
        .match = fw_match_bits(b->peer->context, 0, (uint32_t)b->tag) | FW_OWN_TAG,
    };
    int *own = own_list(b->c);
    mpi_among_exchange(x, &g, 1, &b->here, sizeof b->here, &b->there, sizeof b->there);
    if (own && !x->class)
        b->world = mpi_coll_memory(x, sizeof *b->world * (size_t)b->there.size);
    if (b->world)
        mpi_among_exchange(x, &g, 1, own, sizeof *own * (size_t)b->here.size, b->world,
                           sizeof *b->world * (size_t)b->there.size);
    free(own);
}

/* From the leader to all of its group. */
static void spread(struct mpi_coll *x, void *data, size_t bytes, int root)
{
    mpi_coll_run(x, &(struct mpi_coll_plan){ .call = x->call, .c = x->c, .data = data,
                                             .bytes = bytes, .root = root,
                                             .kind = MPI_COLL_BCAST });
}

/* Both sides, with all ranks.  An error of the leader's is one of all. */
static int learn(struct meeting *b)
{
    struct { struct side there; int class; char why[sizeof b->why]; } told = { .class = 0 };
    struct mpi_coll x;
    mpi_coll_begin(&x, b->from->call, b->c);
    mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 0, MPI_MADE_INTER);
    if (is_leader(b) && !b->here.class) {
        meet(&x, b);
        if (x.class)
            refuse(b, x.class, "the leaders could not exchange their groups", 0);
    }
    told.there = b->there;
    told.class = b->here.class;
    memcpy(told.why, b->why, sizeof told.why);
    spread(&x, &told, sizeof told, b->leader);
    b->there = told.there;
    if (told.class)
        mpi_coll_fail(&x, told.class, told.why);
    if (!x.class && !is_leader(b))
        b->world = mpi_coll_memory(&x, sizeof *b->world * (size_t)b->there.size);
    if (!x.class)
        spread(&x, b->world, sizeof *b->world * (size_t)b->there.size, b->leader);
    return mpi_coll_end(&x);
}

static int build(struct meeting *b, MPI_Comm *made)
{
    int rc = learn(b);
    if (rc) {
        free(b->world);
        return rc;
    }
    struct mpi_bridge bridge = {
        .from = b->from, .parent = b->c, .rank = b->c->rank, .size = { b->c->size, b->there.size },
        .world = { own_list(b->c), b->world }, .leader = { b->here.leader, b->there.leader },
        .side = { (unsigned)b->here.context, (unsigned)b->there.context },
    };
    if (bridge.world[0])
        return mpi_bridge_make(&bridge, made);
    free(b->world);
    return mpi_err(b->c, b->from->call, MPI_ERR_NO_MEM, "no memory for a communicator");
}

int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                          int remote_leader, int tag, MPI_Comm *newintercomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Intercomm_create", .maker = MPI_MADE_INTER,
        .caller = __builtin_return_address(0),
    };
    struct meeting b = { .from = &from, .leader = local_leader, .remote_leader = remote_leader,
                        .tag = tag };
    MPI_ENTER(from.call);
    int rc = mpi_check_intra(from.call, local_comm, &b.c);
    if (!rc && !newintercomm)
        rc = mpi_err(b.c, from.call, MPI_ERR_ARG, "the address for the result is NULL");
    if (!rc && (local_leader < 0 || local_leader >= b.c->size))
        rc = mpi_err(b.c, from.call, MPI_ERR_RANK,
                     "the local leader, %d, is not in 0..%d, the ranks of the local communicator",
                     local_leader, b.c->size - 1);
    if (rc)
        return rc;
    *newintercomm = MPI_COMM_NULL;
    b.here = (struct side){ .size = b.c->size, .context = b.c->context / 2,
                            .leader = mpi_comm_world_rank(b.c, local_leader) };
    if (is_leader(&b))
        check_leader(&b, peer_comm);
    return build(&b, newintercomm);
}
MPI_WEAK_ALIAS(Intercomm_create);

/* -- an intercommunicator becomes one group */

/* Which side comes first; an error is known to all ranks. */
static int choose_order(const char *call, struct mpi_comm *c, bool high, bool *local_first)
{
    struct mpi_comm *both = c->inter->both;
    const int here = mpi_inter_local_first(c), there = mpi_inter_remote_first(c);
    bool differ = false;
    struct mpi_coll x;
    mpi_coll_begin(&x, call, both);
    mpi_coll_set_fingerprint(&x, MPI_COLL_COMM, 0, MPI_MADE_MERGE);
    char *all = mpi_coll_memory(&x, (size_t)both->size);
    if (all) {
        all[both->rank] = high;
        mpi_coll_allgather(&x, &(struct mpi_blocks){ .buf = all, .count = 1, .unit = 1 });
        for (int i = 0; i < both->size; i++) {
            bool is_local = i >= here && i < here + c->size;
            differ |= all[i] != all[is_local ? here : there];
        }
        *local_first = all[here] == all[there] ? !c->inter->second : !all[here];
    }
    free(all);
    if (differ)
        mpi_coll_fail(&x, MPI_ERR_ARG, "the ranks of a group disagree: is it the high one?");
    return mpi_coll_end(&x);
}

/* The ranks of both groups, one after the other.  NULL world: no memory. */
static struct mpi_comm_ranks merged(const struct mpi_comm *c, bool local_first)
{
    struct mpi_comm_ranks ranks = { .size = c->size + c->peers };
    ranks.world = malloc(sizeof *ranks.world * (size_t)ranks.size);
    if (!ranks.world)
        return ranks;
    ranks.rank = c->rank + (local_first ? 0 : c->peers);
    memcpy(ranks.world + (local_first ? 0 : c->peers), c->world,
           sizeof *ranks.world * (size_t)c->size);
    memcpy(ranks.world + (local_first ? c->size : 0), c->peer_world,
           sizeof *ranks.world * (size_t)c->peers);
    return ranks;
}

int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintracomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Intercomm_merge", .maker = MPI_MADE_MERGE,
        .caller = __builtin_return_address(0),
    };
    bool local_first = true;
    struct mpi_agreed a = { .contexts = 1 };
    struct mpi_comm *c;
    MPI_ENTER(from.call);
    int rc = get(from.call, intercomm, &c, newintracomm);
    if (!rc)
        rc = choose_order(from.call, c, high != 0, &local_first);
    if (!rc)
        rc = mpi_agree(from.call, c->inter->both, from.maker, &a);
    if (rc)
        return rc;
    struct mpi_comm_ranks ranks = merged(c, local_first);
    if (!ranks.world)
        return mpi_comm_make_failed(c, &from, &a);
    return mpi_comm_make(c, &from, &a, &ranks, newintracomm);
}
MPI_WEAK_ALIAS(Intercomm_merge);
