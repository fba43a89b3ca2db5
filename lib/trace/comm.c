/* Tables of communicators and windows. */
#include "trace/comm.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096 };

struct trace_comm trace_comm_world = { .id = 1 };

static struct trace_comm *bucket[BUCKETS];
static MPI_Group world = MPI_GROUP_NULL;

static struct trace_comm **place_of(uintptr_t handle)
{
    struct trace_comm **c = &bucket[(handle >> 4 ^ handle >> 14) % BUCKETS];

    while (*c && (*c)->handle != handle)
        c = &(*c)->next;
    return c;
}

struct trace_comm *trace_comm_find_slow(MPI_Comm comm) { return *place_of((uintptr_t)comm); }

static void forget(struct trace_comm **place)
{
    struct trace_comm *c = *place;

    *place = c->next;
    c->held++;
    c->freed = true;
    trace_comm_drop(c);
}

void trace_comm_drop(struct trace_comm *c)
{
    if (--c->held || !c->freed)
        return;
    free(c->ranks);
    free(c);
}

void trace_comm_freed(MPI_Comm comm)
{
    struct trace_comm **place = place_of((uintptr_t)comm);

    if (*place)
        forget(place);
}

/* A handle may be in use again: what it was is forgotten. */
static struct trace_comm *place_for(uintptr_t handle)
{
    struct trace_comm *c = calloc(1, sizeof *c), **place;

    trace_comm_freed((MPI_Comm)handle);
    if (!c)
        return NULL;
    place = place_of(handle);
    c->handle = handle;
    return *place = c;
}

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);

    h ^= h >> 29;
    return (uint32_t)((h * UINT64_C(0xbf58476d1ce4e5b9)) >> 32);
}

/* -- ranks */

/* To be freed; NULL: not known. */
static int *ranks_of(MPI_Group group, int size)
{
    int *own = malloc(((size_t)size + 1) * sizeof *own), *ranks = malloc(((size_t)size + 1)
                                                                         * sizeof *ranks);
    bool known = own && ranks;

    for (int i = 0; known && i < size; i++)
        own[i] = i;
    known = known && PMPI_Group_translate_ranks(group, size, own, world, ranks) == MPI_SUCCESS;
    for (int i = 0; known && i < size; i++)
        ranks[i] = ranks[i] < 0 ? -1 : ranks[i];
    free(own);
    if (!known) {
        free(ranks);
        return NULL;
    }
    return ranks;
}

/* Of a group, which is freed: its ranks, and a number that does not depend on their order. */
static int *read_group(MPI_Group group, int *size, uint32_t *members)
{
    PMPI_Group_size(group, size);
    int *ranks = ranks_of(group, *size);

    for (int i = 0; ranks && i < *size; i++)
        *members += mix(7, (uint32_t)ranks[i]);
    PMPI_Group_free(&group);
    return ranks;
}

/* -- life */

void trace_comms_open(void)
{
    struct trace_comm *self;

    PMPI_Comm_size(MPI_COMM_WORLD, &trace_comm_world.size);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    trace_comm_made(MPI_COMM_NULL, MPI_COMM_SELF, 0);
    if ((self = trace_comm_find_slow(MPI_COMM_SELF)))
        self->id = 2;
}

void trace_comms_end(void)
{
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
}

/* How often communicators without a parent were made that have the same tag and ranks; all ranks
 * that have made one have made the same of them before. */
static struct made { struct made *next; uint32_t id, times; } *made_bucket[BUCKETS];

static uint32_t made_before(uint32_t id)
{
    struct made **m = &made_bucket[id % BUCKETS];

    while (*m && (*m)->id != id)
        m = &(*m)->next;
    if (!*m && !(*m = calloc(1, sizeof **m)))
        return 0;
    (*m)->id = id;
    return (*m)->times++;
}

static void forget_made(struct made **first)
{
    while (*first) {
        struct made *m = *first;
        *first = m->next;
        free(m);
    }
}

static uint32_t name_of(struct trace_comm *parent, int tag)
{
    return parent ? mix(parent->id, ++parent->children) : mix(3, (uint32_t)tag);
}

void trace_comm_made(MPI_Comm parent, MPI_Comm made, int tag)
{
    struct trace_comm *from = parent == MPI_COMM_NULL ? NULL : trace_comm_find(parent), *c;
    uint32_t name = name_of(from, tag), members = 0;
    int inter = 0, other = 0;
    MPI_Group group;

    if (made == MPI_COMM_NULL || world == MPI_GROUP_NULL || !(c = place_for((uintptr_t)made)))
        return;
    PMPI_Comm_test_inter(made, &inter);
    c->inter = inter;
    if (PMPI_Comm_group(made, &group) == MPI_SUCCESS)
        c->ranks = read_group(group, &c->size, &members);
    if (inter && PMPI_Comm_remote_group(made, &group) == MPI_SUCCESS) {
        free(c->ranks);
        c->ranks = read_group(group, &other, &members);
        c->size = other;
    }
    if (!c->ranks)
        c->size = 0;
    c->id = mix(name, members);
    if (!from)
        c->id = mix(c->id, made_before(c->id));
}

void trace_comm_copied(MPI_Comm parent, MPI_Comm made)
{
    struct trace_comm *from = trace_comm_find(parent), *c;

    if (!from || made == MPI_COMM_NULL || !(c = place_for((uintptr_t)made)))
        return;
    c->id = mix(name_of(from, 0), 5);
    c->inter = from->inter;
    c->ranks = from->ranks ? malloc((size_t)from->size * sizeof *c->ranks) : NULL;
    c->size = from->ranks && !c->ranks ? 0 : from->size;
    if (c->ranks)
        memcpy(c->ranks, from->ranks, (size_t)from->size * sizeof *c->ranks);
}

void trace_comms_close(void)
{
    for (unsigned i = 0; i < BUCKETS; i++) {
        while (bucket[i])
            forget(&bucket[i]);
        forget_made(&made_bucket[i]);
    }
}

/* -- windows: their handles are no communicators' */

void trace_win_made(MPI_Win win, MPI_Comm comm)
{
    trace_comm_copied(comm, (MPI_Comm)win);
}

int trace_win_rank(MPI_Win win, int rank)
{
    return trace_comm_rank(trace_comm_find_slow((MPI_Comm)win), rank);
}
