/* Placement, computed from the topology alone.  A rank has a seat, a hardware thread; all else
 * follows from the seats. */
#include "launch/where/place.h"
#include "launch/base/say.h"
#include "launch/where/seats.h"

#include <stdlib.h>

bool place_wanted(const struct policy *policy, unsigned ranks, unsigned cores)
{
    unsigned filled = policy->progress == NIC_PROGRESS_THREAD && ranks <= cores / 2 ? 2 * ranks
                      : ranks;

    if (policy->bind != BIND_AUTO)
        return policy->bind == BIND_LEVEL;
    if (policy->cores_each)
        return true;
    /* a crowd is bound to what it is mapped by, if that is wider than a core */
    if (policy->map_said)
        return ranks <= cores
               || (policy->map_level > LEVEL_CORE && policy->map_level < LEVEL_MACHINE);
    return filled <= cores && 2 * filled > cores;
}

static enum level bind_level(const struct plan *p)
{
    if (p->policy.bind == BIND_LEVEL)
        return p->policy.bind_level;
    if (p->policy.map_said && p->policy.map_level == LEVEL_HWTHREAD)
        return LEVEL_HWTHREAD;
    return p->policy.map_said && !p->policy.cores_each && p->ranks > p->machine->allowed
           ? p->policy.map_level : LEVEL_CORE;
}

/* Going round objects that are as small as a rank's part: then it is the machine that ranks fill,
 * unit after unit. */
static bool one_after_the_other(const struct policy *policy)
{
    if (!policy->map_said)
        return true;
    if (policy->per_object)
        return false;
    return policy->map_level == LEVEL_CORE
           || (policy->map_level == LEVEL_HWTHREAD && policy->cores_each);
}

static void allocate(struct plan *p)
{
    unsigned count = p->machine->count;

    p->seat = need(calloc(p->ranks, sizeof *p->seat));
    p->ranks_on = need(calloc(count, sizeof *p->ranks_on));
    p->ranks_near = need(calloc(p->machine->objects[LEVEL_CORE], sizeof *p->ranks_near));
    p->owner = need(calloc(count, sizeof *p->owner));
    p->nic_owner = need(calloc(count, sizeof *p->nic_owner));
    p->turn = need(calloc(count, sizeof *p->turn));
}

unsigned plan_make(struct plan *p, const struct machine *machine, const struct policy *policy,
                   unsigned ranks, bool bound)
{
    *p = (struct plan){ .machine = machine, .policy = *policy, .ranks = ranks, .bound = bound };
    p->bind = bind_level(p);
    p->unit = p->bind == LEVEL_HWTHREAD
        || (policy->map_said && policy->map_level == LEVEL_HWTHREAD) ? LEVEL_HWTHREAD : LEVEL_CORE;
    if (one_after_the_other(policy))
        p->policy.map_level = LEVEL_MACHINE;
    allocate(p);
    seats_count_turns(p);
    bool busy = bound && policy->progress == NIC_PROGRESS_THREAD && p->bind <= LEVEL_CORE;
    unsigned placed = busy ? seats_take(p, true) : 0;
    if (placed < ranks) {
        placed = seats_take(p, false);
        if (placed < ranks)
            return placed + 1;
        p->crowded = busy;
    }
    if (policy->order != ORDER_PLACED)
        seats_renumber(p);
    return 0;
}

void plan_take(struct plan *p, const struct machine *machine, const struct policy *policy,
               unsigned ranks, struct cores *given)
{
    *p = (struct plan){ .machine = machine, .policy = *policy, .ranks = ranks, .bound = true,
                        .unit = LEVEL_CORE, .bind = LEVEL_CORE, .given = given };
    allocate(p);
    for (unsigned rank = 0; rank < ranks; rank++) {
        while (!cores_has(&given[rank], machine->thread[p->seat[rank]].cpu))
            p->seat[rank]++;
        p->ranks_on[p->seat[rank]]++;
        p->ranks_near[machine->thread[p->seat[rank]].in[LEVEL_CORE]]++;
    }
}

void plan_free(struct plan *p)
{
    free(p->given);
    free(p->seat);
    free(p->ranks_on);
    free(p->ranks_near);
    free(p->owner);
    free(p->nic_owner);
    free(p->turn);
    *p = (struct plan){ 0 };
}

/* -- one rank */

static unsigned threads_of_core(const struct plan *p, unsigned seat)
{
    unsigned threads = 0;

    for (unsigned i = 0; i < p->machine->count; i++)
        threads += thread_of(p, i)->allowed && same(p, i, seat, LEVEL_CORE);
    return threads;
}

/* A busy NIC thread without a core of its own takes the second thread of its rank's, where the rank
 * has that to itself. */
static bool shares_core(const struct plan *p, unsigned rank)
{
    unsigned seat = p->seat[rank];

    return p->crowded && p->unit == LEVEL_CORE
        && p->ranks_near[thread_of(p, seat)->in[LEVEL_CORE]] == 1 && threads_of_core(p, seat) > 1;
}

/* A core to oneself is used whole.  One that ranks share is shared by thread, until there are more
 * ranks than threads: then none of them should wait for one thread while another one is idle. */
static bool uses_whole_core(const struct plan *p, unsigned rank)
{
    unsigned ranks = p->ranks_near[thread_of(p, p->seat[rank])->in[LEVEL_CORE]];

    return ranks == 1 ? !shares_core(p, rank) : ranks > threads_of_core(p, p->seat[rank]);
}

static bool host_has(const struct plan *p, unsigned rank, unsigned i)
{
    unsigned seat = p->seat[rank];

    if (p->given)
        return cores_has(&p->given[rank], thread_of(p, i)->cpu);
    if (!thread_of(p, i)->allowed)
        return false;
    if (!p->bound || p->owner[i] == rank + 1 || i == seat)
        return true;
    if (p->bind == LEVEL_CORE)
        return same(p, i, seat, LEVEL_CORE) && uses_whole_core(p, rank);
    return p->bind > LEVEL_CORE && same(p, i, seat, p->bind);
}

/* The NIC's thread helps while its host computes: beside the rank's own processors it gets free
 * ones behind the same cache, those of cores that nobody uses and what is left of the rank's core.
 * Where there are none it stays with its rank: on another rank's core it would come later, measured
 * (of a 4 MiB receive under computation on 2 busy cores a median of 240 us was left with both cores
 * for both threads, 37 us this way). */
static void add_neighbours(const struct plan *p, unsigned seat, struct place *place)
{
    for (unsigned i = 0; i < p->machine->count; i++)
        if (thread_free(p, i) && same_cache(p, i, seat) &&
            (same(p, i, seat, LEVEL_CORE) || !p->ranks_near[thread_of(p, i)->in[LEVEL_CORE]]))
            cores_add(&place->nic, thread_of(p, i)->cpu);
}

static void add_own_nic(const struct plan *p, unsigned rank, struct place *place)
{
    bool sibling = shares_core(p, rank);

    for (unsigned i = 0; i < p->machine->count; i++)
        if (p->nic_owner[i] == rank + 1 ||
            (sibling && i != p->seat[rank] && thread_of(p, i)->allowed
             && same(p, i, p->seat[rank], LEVEL_CORE)))
            cores_add(&place->nic, thread_of(p, i)->cpu);
}

static void add_host(const struct plan *p, unsigned rank, struct place *place)
{
    bool first = true;

    for (unsigned i = 0; i < p->machine->count; i++)
        if (host_has(p, rank, i)) {
            cores_add(&place->host, thread_of(p, i)->cpu);
            place->node = first || place->node == thread_of(p, i)->node ? thread_of(p, i)->node
                          : -1;
            first = false;
        }
}

void plan_rank(const struct plan *p, unsigned rank, struct place *place)
{
    enum nic_progress progress = p->policy.progress;

    *place = (struct place){ .node = -1 };
    add_host(p, rank, place);
    if (progress == NIC_PROGRESS_HOST)
        return;
    if (progress == NIC_PROGRESS_THREAD)
        add_own_nic(p, rank, place);
    if (cores_count(&place->nic))
        return;
    place->nic = place->host;
    if (p->bound && !p->given && progress == NIC_PROGRESS_AUTO && p->bind <= LEVEL_CORE)
        add_neighbours(p, p->seat[rank], place);
}
