/* A table of communicators, by their handles; and a list of all that there ever were. */
#include "check/comms.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/door.h"

enum { BUCKETS = 256, NUMBERED_BUCKETS = 4096, NUMBER_WORLD = 1, NUMBER_SELF, NUMBERS };

static struct check_log *bucket[BUCKETS], *numbered[NUMBERED_BUCKETS], *first, *last;
static _Atomic bool several;

/* All that is kept of communicators, also of those that are freed: past that new ones are not
 * followed, by this rank. */
enum { BYTES_MOST = 1 << 22 };
static size_t bytes;

void check_log_several(void) { atomic_store_explicit(&several, true, memory_order_relaxed); }
bool check_log_is_several(void) { return atomic_load_explicit(&several, memory_order_relaxed); }
struct check_log *check_log_first(void) { return first; }

static struct check_log **find(MPI_Comm comm)
{
    struct check_log **l = &bucket[((uintptr_t)comm >> 4 ^ (uintptr_t)comm) % BUCKETS];

    while (*l && (*l)->comm != comm)
        l = &(*l)->next;
    return l;
}

/* The rank that has made a number stands above what it has made before. */
static struct check_log **place_of(uint64_t number)
{
    return &numbered[(number ^ number >> 32) % NUMBERED_BUCKETS];
}

struct check_log *check_log_numbered(uint64_t number)
{
    struct check_log *l = *place_of(number);

    while (l && l->number != number)
        l = l->next_numbered;
    return l;
}

void check_log_forget(void)
{
    for (struct check_log *l = first; l; l = l->later) {
        l->sents = l->receiveds = l->collectives = 0;
        l->sends_end = l->receives_end = l->collectives_end = true;
    }
}

void check_log_free_all(void)
{
    for (struct check_log *l = first, *later; l; l = later) {
        later = l->later;
        free(l->world);
        free(l->sent);
        free(l->received);
        free(l->collective);
        free(l);
    }
    first = last = NULL;
    bytes = 0;
    memset(bucket, 0, sizeof bucket);
    memset(numbered, 0, sizeof numbered);
}

/* -- their ranks */

int check_log_world(const struct check_log *log, int peer)
{
    return log->world ? log->world[peer] : peer;
}

/* False: not all of them have a rank in MPI_COMM_WORLD. */
static bool translate(struct check_log *l, MPI_Group group)
{
    MPI_Group all;
    int *ranks = malloc((size_t)l->peers * sizeof *ranks + 1);
    bool known = ranks && !PMPI_Comm_group(MPI_COMM_WORLD, &all);

    l->world = malloc((size_t)l->peers * sizeof *l->world + 1);
    for (int i = 0; ranks && i < l->peers; i++)
        ranks[i] = i;
    if (known) {
        known = l->world && !PMPI_Group_translate_ranks(group, l->peers, ranks, all, l->world);
        PMPI_Group_free(&all);
    }
    for (int i = 0; known && i < l->peers; i++)
        known = l->world[i] != MPI_UNDEFINED;
    free(ranks);
    return known;
}

static bool learn(struct check_log *l, MPI_Comm comm)
{
    int inter = 0;
    MPI_Group group;

    PMPI_Comm_test_inter(comm, &inter);
    l->inter = inter;
    l->rank = -1;
    if (inter) {
        PMPI_Comm_remote_size(comm, &l->peers);
        PMPI_Comm_remote_group(comm, &group);
    } else {
        PMPI_Comm_size(comm, &l->peers);
        PMPI_Comm_rank(comm, &l->rank);
        PMPI_Comm_group(comm, &group);
    }
    bool known = translate(l, group);
    PMPI_Group_free(&group);
    return known;
}

/* -- their life */

static struct check_log *add(MPI_Comm comm, uint64_t number)
{
    struct check_log **place = find(comm), *l = bytes < BYTES_MOST ? calloc(1, sizeof *l) : NULL;

    if (!l || *place || !learn(l, comm)) {
        if (l)
            free(l->world);
        free(l);
        return *place;
    }
    bytes += sizeof *l + (size_t)l->peers * sizeof *l->world;
    l->comm = comm;
    l->number = number;
    l->next = *place;
    *place = l;
    l->next_numbered = *place_of(number);
    *place_of(number) = l;
    *(first ? &last->later : &first) = l;
    last = l;
    return l;
}

struct check_log *check_log(MPI_Comm comm)
{
    if (check_log_is_several())
        return NULL;
    struct check_log *l = *find(comm);
    if (l || (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF))
        return l;
    return add(comm, comm == MPI_COMM_WORLD ? NUMBER_WORLD : NUMBER_SELF);
}

/* One that nobody else makes. */
static uint64_t new_number(void)
{
    static _Atomic uint32_t made;

    return (uint64_t)(mpi_door.nic_rank(mpi_door.nic()) + 1) << 32
           | (NUMBERS + atomic_fetch_add(&made, 1));
}

/* Of both groups: the least number of the other group, and then what they say of one's own. */
static bool agree_across(MPI_Comm comm, uint64_t mine, uint64_t *number)
{
    uint64_t theirs, ours;

    if (mpi_door.allreduce("MPI_Intercomm_create", &mine, &theirs, 1, MPI_UINT64_T, MPI_MIN, comm)
        || mpi_door.allreduce("MPI_Intercomm_create", &theirs, &ours, 1, MPI_UINT64_T, MPI_MIN,
                              comm))
        return false;
    *number = theirs < ours ? theirs : ours;
    return true;
}

/* All ranks agree, also those that do not follow it: what decides that is not the same in all.  If
 * one of them is not checked none do: it would not answer. */
void check_comm_made(MPI_Comm comm)
{
    uint64_t mine, number;
    int inter = 0, world = 0;

    if (comm == MPI_COMM_NULL || !mpi_door.checked(comm))
        return;
    PMPI_Initialized(&world);
    PMPI_Comm_test_inter(comm, &inter);
    number = mine = new_number();
    if (inter ? agree_across(comm, mine, &number)
              : !mpi_door.bcast("MPI_Comm_dup", &number, 1, MPI_UINT64_T, 0, comm))
        if (world && !check_log_is_several())
            add(comm, number);
}

/* Its name is of interest later, and it may have been given since. */
static void keep_name(struct check_log *l)
{
    int length = 0;

    PMPI_Comm_get_name(l->comm, l->name, &length);
    if (!length)
        mpi_door.label(l->comm, l->name, sizeof l->name);
}

const char *check_log_name(const struct check_log *log)
{
    if (log->comm != MPI_COMM_NULL)
        keep_name((struct check_log *)(uintptr_t)log);
    return log->name;
}

void check_comm_frees(MPI_Comm comm)
{
    struct check_log *l = check_log_is_several() ? NULL : *find(comm);

    if (l)
        keep_name(l);
}

void check_comm_freed(MPI_Comm comm)
{
    struct check_log **place = find(comm), *l = check_log_is_several() ? NULL : *place;

    if (!l || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
        return;
    *place = l->next;
    l->comm = MPI_COMM_NULL;
}
