/* Communicators made of groups alone, by ranks that may have no communicator: for sessions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/errhandler.h"
#include "core/group.h"
#include "core/info.h"
#include "mpi/bridge.h"
#include "mpi/comm_info.h"
#include "mpi/group_args.h"
#include "mpi/weak_alias.h"

/* A call: `face` stands for the parent that there is none, with the error handler. */
struct making {
    struct mpi_comm_origin from;
    struct mpi_comm face;
    const char *name;           /* the string tag */
    MPI_Info info;
};

/* -- what tells calls apart that go on at the same time: a hash of the string tag */

static uint32_t tag_of(const char *name)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (uint32_t)(h ^ h >> 32) & (MPI_BRIDGE_TAG - 1);
}

static struct mpi_among among(const struct making *m, const struct mpi_group *g)
{
    const uint64_t match = mpi_bridge_match() | MPI_BRIDGE_TAG | tag_of(m->name);
    return (struct mpi_among){
        .call = m->from.call, .on = (struct mpi_comm *)(uintptr_t)&m->face, .match = match,
        .key = match | (uint64_t)(unsigned)g->world[0] << 32, .count = g->size, .me = g->rank,
        .world = g->world,
    };
}

/* -- arguments */

static int fail(struct making *m, int class, const char *why)
{
    return mpi_err(&m->face, m->from.call, class, "%s", why);
}

/* The error handler first, as all other errors go to it. */
static int begin(struct making *m, const char *call, const char *name, MPI_Info info,
                 MPI_Errhandler handler, const void *result, const void *caller)
{
    m->from = (struct mpi_comm_origin){ .call = call, .maker = MPI_MADE_GROUP, .caller = caller };
    m->face = (struct mpi_comm){ .size = 1, .peers = 1, .errhandler = MPI_ERRORS_ARE_FATAL,
                                 .handle = MPI_COMM_NULL, .name = "a communicator of a group" };
    m->name = name;
    m->info = info;
    MPI_ENTER(call);
    if (!mpi_errhandler_valid(handler, MPI_ERRHANDLER_OF_COMMS))
        return mpi_err(NULL, call, MPI_ERR_ERRHANDLER, "%p is no error handler of a communicator",
                       (void *)handler);
    m->face.errhandler = handler;
    if (!name)
        return fail(m, MPI_ERR_ARG, "the string tag is NULL");
    if (strlen(name) >= MPI_MAX_STRINGTAG_LEN)
        return fail(m, MPI_ERR_ARG, "the string tag has MPI_MAX_STRINGTAG_LEN bytes or more");
    if (!result)
        return fail(m, MPI_ERR_ARG, "the address for the result is NULL");
    return mpi_check_info(call, &m->face, info);
}

static int find_group(struct making *m, MPI_Group group, const struct mpi_group **g)
{
    *g = mpi_group_get(group);
    if (!*g)
        return mpi_err(&m->face, m->from.call, MPI_ERR_GROUP, "%p is no group", (void *)group);
    m->face.session = (*g)->session;
    m->face.rank = (*g)->rank == MPI_UNDEFINED ? 0 : (*g)->rank;
    return MPI_SUCCESS;
}

/* -- one group */

static void name_it(const struct making *m, MPI_Comm made)
{
    struct mpi_comm *c = mpi_comm_get(made);
    snprintf(c->made, sizeof c->made, "group \"%.40s\"", m->name);
    mpi_comm_take_hints(c, m->info);
}

static int from_group(struct making *m, const struct mpi_group *g, MPI_Comm *newcomm)
{
    const struct mpi_among all = among(m, g);
    struct mpi_agreed a = { .contexts = 1 };
    int rc = mpi_agree_among(&all, &a);
    if (!rc)
        rc = mpi_comm_make_group(&m->face, &m->from, &a, g, newcomm);
    if (!rc)
        name_it(m, *newcomm);
    return rc;
}

int PMPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                                MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    const struct mpi_group *g;
    struct making m;
    int rc = begin(&m, "MPI_Comm_create_from_group", stringtag, info, errhandler, newcomm,
                   __builtin_return_address(0));
    if (!rc)
        rc = find_group(&m, group, &g);
    if (rc)
        return rc;
    *newcomm = MPI_COMM_NULL;
    if (g->size && g->rank == MPI_UNDEFINED)
        return fail(&m, MPI_ERR_GROUP, "this process is not in the group");
    return g->size ? from_group(&m, g, newcomm) : MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Comm_create_from_group);

/* -- two groups */

/* What the leader tells its group; an error, or the remote group. */
enum { TOLD_CLASS, TOLD_SIZE, TOLD_LEADER, TOLD };

/* The leader's words go to all: nobody else has any. */
static void spread(struct mpi_coll *x, const struct mpi_among *g, uint64_t *words, size_t count)
{
    mpi_among_reduce(x, g, words, count, MPI_AMONG_MAX);
}

static int check_leader(const struct mpi_group *remote, int remote_leader)
{
    if (!remote)
        return MPI_ERR_GROUP;
    if (!remote->size)
        return MPI_SUCCESS;     /* there is nobody, and no leader */
    return remote_leader < 0 || remote_leader >= remote->size ? MPI_ERR_RANK : MPI_SUCCESS;
}

/* remote: with the leader only, NULL elsewhere or if it is none.  Of an empty one there is no list
 * of ranks. */
static int learn(struct making *m, const struct mpi_group *local, bool leads,
                 const struct mpi_group *remote, int remote_leader, struct mpi_bridge *b)
{
    const struct mpi_among all = among(m, local);
    uint64_t told[TOLD] = { 0 }, *list = NULL;
    struct mpi_coll x;
    mpi_among_begin(&x, &all);
    if (leads)
        told[TOLD_CLASS] = (uint64_t)check_leader(remote, remote_leader);
    if (leads && !told[TOLD_CLASS] && remote->size) {
        told[TOLD_SIZE] = (uint64_t)remote->size;
        told[TOLD_LEADER] = (uint64_t)remote->world[remote_leader];
    }
    spread(&x, &all, told, TOLD);
    if (told[TOLD_CLASS])
        mpi_coll_fail(&x, (int)told[TOLD_CLASS],
                      "the leader has passed no remote group, or no rank of it as its leader");
    b->size[1] = (int)told[TOLD_SIZE];
    b->leader[1] = (int)told[TOLD_LEADER];
    if (!x.class && b->size[1])
        list = mpi_coll_memory(&x, sizeof *list * (size_t)b->size[1]);
    for (int i = 0; list && i < b->size[1]; i++)
        list[i] = leads ? (uint64_t)remote->world[i] : 0;
    if (list)
        spread(&x, &all, list, (size_t)b->size[1]);
    b->world[1] = list ? malloc(sizeof *b->world[1] * (size_t)b->size[1]) : NULL;
    for (int i = 0; b->world[1] && i < b->size[1]; i++)
        b->world[1][i] = (int)list[i];
    free(list);
    return mpi_coll_end(&x);
}

static int from_groups(struct making *m, const struct mpi_group *local, int local_leader,
                       const struct mpi_group *remote, int remote_leader, MPI_Comm *made)
{
    struct mpi_bridge b = {
        .from = &m->from, .parent = &m->face, .rank = local->rank, .size = { local->size },
        .leader = { local->world[local_leader] }, .tag = MPI_BRIDGE_TAG | tag_of(m->name),
    };
    int rc = learn(m, local, local->rank == local_leader, remote, remote_leader, &b);
    if (rc || !b.size[1])
        return rc;
    b.world[0] = mpi_ranks_copy(local->world, local->size);
    if (!b.world[0] || !b.world[1]) {
        free(b.world[0]);
        free(b.world[1]);
        return fail(m, MPI_ERR_NO_MEM, "no memory for a communicator");
    }
    rc = mpi_bridge_make(&b, made);
    if (!rc)
        mpi_comm_take_hints(mpi_comm_get(*made), m->info);
    return rc;
}

int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                      MPI_Group remote_group, int remote_leader,
                                      const char *stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
    const struct mpi_group *g;
    struct making m;
    int rc = begin(&m, "MPI_Intercomm_create_from_groups", stringtag, info, errhandler,
                   newintercomm, __builtin_return_address(0));
    if (!rc)
        rc = find_group(&m, local_group, &g);
    if (rc)
        return rc;
    *newintercomm = MPI_COMM_NULL;
    if (!g->size)
        return MPI_SUCCESS;
    if (g->rank == MPI_UNDEFINED)
        return fail(&m, MPI_ERR_GROUP, "this process is not in the local group");
    if (local_leader < 0 || local_leader >= g->size)
        return mpi_err(&m.face, m.from.call, MPI_ERR_RANK,
                       "the local leader, %d, is not in 0..%d, the ranks of the local group",
                       local_leader, g->size - 1);
    return from_groups(&m, g, local_leader, mpi_group_get(remote_group), remote_leader,
                       newintercomm);
}
MPI_WEAK_ALIAS(Intercomm_create_from_groups);
