/* The life of teams. */
#include "shmem/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shmem/context.h"
#include "shmem/error.h"

static struct shmem_team world, shared;
static struct shmem_team *teams;            /* of split calls */
static struct shmem_team *sets;             /* active ones */

shmem_team_t mpi_shmem_team_handle(struct shmem_team *t)
{
    return t == &world ? SHMEM_TEAM_WORLD : t == &shared ? SHMEM_TEAM_SHARED : t;
}

struct shmem_team *mpi_shmem_team(const char *call, shmem_team_t handle)
{
    SHMEM_ENTER(call);
    if (handle == SHMEM_TEAM_WORLD)
        return &world;
    if (handle == SHMEM_TEAM_SHARED)
        return &shared;
    for (struct shmem_team *t = teams; t; t = t->next)
        if (t == handle)
            return t;
    mpi_shmem_die(call, "%p is no team (SHMEM_TEAM_INVALID, or destroyed?)", (void *)handle);
}

/* -- making */

static void no_memory(const char *call) { mpi_shmem_die(call, "no memory for a team"); }

/* The PEs of a communicator, whose names in the job come from all of them. */
static void fill(struct shmem_team *t, MPI_Comm comm, const char *call)
{
    t->alive = MPI_SHMEM_TEAM_ALIVE;
    t->comm = comm;
    PMPI_Comm_rank(comm, &t->me);
    PMPI_Comm_size(comm, &t->n);
    t->pes = malloc((size_t)t->n * sizeof *t->pes);
    if (!t->pes)
        no_memory(call);
    mpi_door.allgather(call, &mpi_shmem.me, sizeof mpi_shmem.me, t->pes, comm);
}

static struct shmem_team *new_team(MPI_Comm comm, const char *name, const char *call)
{
    struct shmem_team *t = calloc(1, sizeof *t);
    if (!t)
        no_memory(call);
    PMPI_Comm_set_name(comm, name);
    fill(t, comm, call);
    return t;
}

static void end(struct shmem_team *t)
{
    PMPI_Comm_free(&t->comm);
    free(t->pes);
    t->pes = NULL;
    t->alive = 0;
}

void mpi_shmem_teams_begin(MPI_Comm all)
{
    MPI_Comm near;
    PMPI_Comm_set_name(all, "SHMEM_TEAM_WORLD");
    fill(&world, all, "shmem_init");
    if (mpi_shmem.local)
        PMPI_Comm_dup(all, &near);
    else if (mpi_shmem.modelled)
        PMPI_Comm_split(all, mpi_shmem.me, 0, &near);
    else
        PMPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    PMPI_Comm_set_name(near, "SHMEM_TEAM_SHARED");
    fill(&shared, near, "shmem_init");
}

void mpi_shmem_teams_end(void)
{
    struct shmem_team **lists[] = { &teams, &sets };
    for (int i = 0; i < 2; i++)
        for (struct shmem_team *t; (t = *lists[i]);) {
            *lists[i] = t->next;
            end(t);
            free(t);
        }
    end(&shared);
    end(&world);
}

/* -- splitting */

/* The caller's part of a parent; SHMEM_TEAM_INVALID where color is MPI_UNDEFINED.  A call of all of
 * the parent's. */
static shmem_team_t split(struct shmem_team *parent, int color, int key,
                          const shmem_team_config_t *config, long mask, const char *call)
{
    MPI_Comm part;
    char name[64];
    if (PMPI_Comm_split(parent->comm, color, key, &part) || part == MPI_COMM_NULL)
        return SHMEM_TEAM_INVALID;
    snprintf(name, sizeof name, "a team of %s", call);
    struct shmem_team *t = new_team(part, name, call);
    if (config && (mask & SHMEM_TEAM_NUM_CONTEXTS))
        t->config = *config;
    t->next = teams;
    teams = t;
    return t;
}

static bool strided_fits(const struct shmem_team *p, int start, int stride, int size)
{
    if (size < 1 || start < 0 || start >= p->n || (!stride && size > 1))
        return false;
    const int64_t last = start + (int64_t)(size - 1) * stride;
    return last >= 0 && last < p->n;
}

/* Which of the parts' PEs this one is; -1: none. */
static int place_in(int me, int start, int stride, int size)
{
    for (int i = 0; i < size; i++)
        if (start + i * stride == me)
            return i;
    return -1;
}

int pshmem_team_split_strided(shmem_team_t parent, int start, int stride, int size,
                              const shmem_team_config_t *config, long mask, shmem_team_t *team)
{
    const char *call = "shmem_team_split_strided";
    SHMEM_ENTER(call);
    *team = SHMEM_TEAM_INVALID;
    if (parent == SHMEM_TEAM_INVALID)
        return -1;
    struct shmem_team *p = mpi_shmem_team(call, parent);
    if (!strided_fits(p, start, stride, size))
        return -1;
    const int place = place_in(p->me, start, stride, size);
    *team = split(p, place < 0 ? MPI_UNDEFINED : 0, place, config, mask, call);
    return 0;
}
SHMEM_ALIAS(team_split_strided);

int pshmem_team_split_2d(shmem_team_t parent, int xrange, const shmem_team_config_t *xconfig,
                         long xmask, shmem_team_t *xteam, const shmem_team_config_t *yconfig,
                         long ymask, shmem_team_t *yteam)
{
    const char *call = "shmem_team_split_2d";
    SHMEM_ENTER(call);
    *xteam = *yteam = SHMEM_TEAM_INVALID;
    if (parent == SHMEM_TEAM_INVALID || xrange < 1)
        return -1;
    struct shmem_team *p = mpi_shmem_team(call, parent);
    if (xrange > p->n)
        xrange = p->n;
    const int x = p->me % xrange, y = p->me / xrange;
    *xteam = split(p, y, x, xconfig, xmask, call);
    *yteam = split(p, x, y, yconfig, ymask, call);
    return 0;
}
SHMEM_ALIAS(team_split_2d);

void pshmem_team_destroy(shmem_team_t team)
{
    const char *call = "shmem_team_destroy";
    SHMEM_ENTER(call);
    if (team == SHMEM_TEAM_INVALID)
        return;
    struct shmem_team *t = mpi_shmem_team(call, team);
    if (t == &world || t == &shared)
        mpi_shmem_die(call, "SHMEM_TEAM_%s can't be destroyed", t == &world ? "WORLD" : "SHARED");
    mpi_shmem_contexts_end(t, call);
    struct shmem_team **link = &teams;
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    end(t);
    free(t);
}
SHMEM_ALIAS(team_destroy);

/* -- questions */

int pshmem_team_my_pe(shmem_team_t team)
{
    return team == SHMEM_TEAM_INVALID ? -1 : mpi_shmem_team("shmem_team_my_pe", team)->me;
}
SHMEM_ALIAS(team_my_pe);

int pshmem_team_n_pes(shmem_team_t team)
{
    return team == SHMEM_TEAM_INVALID ? -1 : mpi_shmem_team("shmem_team_n_pes", team)->n;
}
SHMEM_ALIAS(team_n_pes);

int pshmem_team_get_config(shmem_team_t team, long mask, shmem_team_config_t *config)
{
    if (team == SHMEM_TEAM_INVALID)
        return -1;
    const struct shmem_team *t = mpi_shmem_team("shmem_team_get_config", team);
    if (mask & SHMEM_TEAM_NUM_CONTEXTS)
        config->num_contexts = t->config.num_contexts;
    return 0;
}
SHMEM_ALIAS(team_get_config);

int pshmem_team_translate_pe(shmem_team_t source, int pe, shmem_team_t dest)
{
    const char *call = "shmem_team_translate_pe";
    if (source == SHMEM_TEAM_INVALID || dest == SHMEM_TEAM_INVALID)
        return -1;
    const struct shmem_team *s = mpi_shmem_team(call, source), *d = mpi_shmem_team(call, dest);
    if ((unsigned)pe >= (unsigned)s->n)
        return -1;
    for (int i = 0; i < d->n; i++)
        if (d->pes[i] == s->pes[pe])
            return i;
    return -1;
}
SHMEM_ALIAS(team_translate_pe);

/* -- active sets */

static struct shmem_team *make_set(const char *call, int start, int stride, int size)
{
    MPI_Group all, group;
    MPI_Comm comm;
    char name[64];
    int range[1][3] = { { start, start + (size - 1) * stride, stride } };
    PMPI_Comm_group(world.comm, &all);
    PMPI_Group_range_incl(all, 1, range, &group);
    PMPI_Comm_create_group(world.comm, group, start, &comm);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    snprintf(name, sizeof name, "PEs %d..%d:%d", start, range[0][1], stride);
    return new_team(comm, name, call);
}

struct shmem_team *mpi_shmem_active_set(const char *call, int start, int log_stride, int size)
{
    SHMEM_ENTER(call);
    if (start == 0 && log_stride == 0 && size == mpi_shmem.n)
        return &world;
    if (log_stride < 0 || log_stride > 30 || !strided_fits(&world, start, 1 << log_stride, size))
        mpi_shmem_die(call, "there are no %d PEs from %d on with 2^%d in between", size, start,
                      log_stride);
    const int stride = 1 << log_stride;
    if (place_in(mpi_shmem.me, start, stride, size) < 0)
        mpi_shmem_die(call, "this PE is not in the active set (%d from %d on, 2^%d in between)",
                      size, start, log_stride);
    struct shmem_team *t = sets;
    while (t && (t->pes[0] != start || t->n != size || (size > 1 && t->pes[1] != start + stride)))
        t = t->next;
    if (!t) {
        t = make_set(call, start, stride, size);
        t->next = sets;
        sets = t;
    }
    return t;
}
