/* Who sits where.
 *
 * The next rank's seat is the best one (fewest ranks on the thread, then the earliest thread of its
 * core) of the next object, going round the objects of the mapping level, that has one as good as
 * the machine's best: so no rank shares a core or a thread while a better one is free. */
#include "launch/where/seats.h"
#include "launch/base/say.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* -- what is free */

static bool in_object(const struct plan *p, unsigned i, unsigned object)
{
    return thread_of(p, i)->allowed && thread_of(p, i)->in[p->policy.map_level] == object;
}

/* True at the first thread of a unit of which nothing is taken: who has a core besides his seat has
 * its first thread, too. */
static bool unit_free(const struct plan *p, unsigned i)
{
    return thread_free(p, i) && (p->unit == LEVEL_HWTHREAD
           || (!p->turn[i] && !p->ranks_near[thread_of(p, i)->in[LEVEL_CORE]]));
}

/* -- seats for one thread or core */

/* Smaller is better; UINT64_MAX: ranks may not go there. */
static uint64_t cost_of(const struct plan *p, unsigned i)
{
    unsigned turn = p->unit == LEVEL_HWTHREAD && p->policy.map_level == LEVEL_HWTHREAD ? 0
                    : p->turn[i];

    return thread_of(p, i)->allowed ? (uint64_t)p->ranks_on[i] << 32 | turn : UINT64_MAX;
}

/* The best thread of an object; UINT_MAX if none is allowed. */
static unsigned best_in(const struct plan *p, unsigned object, uint64_t *cost)
{
    unsigned best = UINT_MAX;

    *cost = UINT64_MAX;
    for (unsigned i = 0; i < p->machine->count; i++)
        if (in_object(p, i, object) && cost_of(p, i) < *cost) {
            best = i;
            *cost = cost_of(p, i);
        }
    return best;
}

static uint64_t best_cost(const struct plan *p)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < p->machine->count; i++)
        if (cost_of(p, i) < least)
            least = cost_of(p, i);
    return least;
}

static void sit_down(struct plan *p, unsigned rank, unsigned seat)
{
    p->seat[rank] = seat;
    p->ranks_on[seat]++;
    p->ranks_near[thread_of(p, seat)->in[LEVEL_CORE]]++;
}

/* From *object on, which is left at the one taken. */
static void seat_one(struct plan *p, unsigned rank, unsigned *object)
{
    unsigned objects = p->machine->objects[p->policy.map_level], seat;
    uint64_t wanted = best_cost(p), cost;

    while ((seat = best_in(p, *object, &cost)) == UINT_MAX || cost != wanted)
        *object = (*object + 1) % objects;
    sit_down(p, rank, seat);
}

/* -- several units for a rank */

/* Free units of an object that share a last-level cache with unit `i`, or all of them. */
static unsigned room(const struct plan *p, unsigned object, unsigned i, bool one_cache,
                     bool any_object)
{
    unsigned count = 0;

    for (unsigned k = 0; k < p->machine->count; k++)
        count += unit_free(p, k) && (any_object || in_object(p, k, object))
            && (!one_cache || same_cache(p, i, k));
    return count;
}

static unsigned cores_each(const struct plan *p)
{
    return p->policy.cores_each ? p->policy.cores_each : 1;
}

/* The first unit of an object from which on a rank finds what it needs: under one cache, with one
 * more for the NIC's thread if that is `busy`; or wherever it is.  UINT_MAX: there is none. */
static unsigned find_room(const struct plan *p, unsigned object, bool one_cache, bool busy)
{
    for (unsigned i = 0; i < p->machine->count; i++)
        if (in_object(p, i, object) && unit_free(p, i)
            && room(p, object, i, one_cache, false) >= cores_each(p) &&
            (!busy || room(p, object, i, one_cache, true) > cores_each(p)))
            return i;
    return UINT_MAX;
}

static void own(const struct plan *p, unsigned *owner, unsigned rank, unsigned i)
{
    unsigned k = i;

    do
        if (thread_of(p, k)->allowed)
            owner[k] = rank + 1;
    while (++k < p->machine->count && p->unit == LEVEL_CORE && same(p, i, k, LEVEL_CORE));
}

/* More of these mean nearer.  Threads of one core share its caches. */
static unsigned nearness(const struct plan *p, unsigned i, unsigned k)
{
    if (same(p, i, k, LEVEL_L2CACHE))
        return 4;
    return same_cache(p, i, k) ? 3 : same(p, i, k, LEVEL_NUMA) ? 2 : same(p, i, k, LEVEL_SOCKET);
}

/* The free unit nearest to the seat: behind the same cache if there is one, then of the same memory
 * node.  Of several the first one, which is on the seat's core if any is: a seat is the first free
 * unit of its caches. */
static unsigned nearest_free(const struct plan *p, unsigned seat)
{
    unsigned best = UINT_MAX;

    for (unsigned i = 0; i < p->machine->count; i++)
        if (unit_free(p, i) && (best == UINT_MAX || nearness(p, i, seat) > nearness(p, best, seat)))
            best = i;
    return best;
}

/* Under one cache, if find_room has found it so: those of a cache stand beside each other, and the
 * seat is the first of them that is free. */
static void take_units(struct plan *p, unsigned rank, unsigned object, unsigned seat, bool busy)
{
    unsigned left = cores_each(p) - 1;

    sit_down(p, rank, seat);
    for (unsigned i = seat + 1; i < p->machine->count && left; i++)
        if (in_object(p, i, object) && unit_free(p, i)) {
            own(p, p->owner, rank, i);
            left--;
        }
    if (busy)
        own(p, p->nic_owner, rank, nearest_free(p, seat));
}

/* From *object on, the first with enough room; one with room under one cache goes before all that
 * lack that.  False: there is none. */
static bool seat_several(struct plan *p, unsigned rank, unsigned *object, bool busy)
{
    unsigned objects = p->policy.per_object ? 1 : p->machine->objects[p->policy.map_level];

    for (int one_cache = 1; one_cache >= 0; one_cache--)
        for (unsigned n = 0; n < objects; n++) {
            unsigned o = (*object + n) % p->machine->objects[p->policy.map_level];
            unsigned seat = find_room(p, o, one_cache, busy);
            if (seat == UINT_MAX)
                continue;
            take_units(p, rank, o, seat, busy);
            *object = o;
            return true;
        }
    return false;
}

/* -- all ranks */

static void reset(struct plan *p)
{
    size_t threads = p->machine->count * sizeof *p->owner;

    memset(p->owner, 0, threads);
    memset(p->nic_owner, 0, threads);
    memset(p->ranks_on, 0, threads);
    memset(p->ranks_near, 0, p->machine->objects[LEVEL_CORE] * sizeof *p->ranks_near);
}

static unsigned next_object(const struct plan *p, unsigned object)
{
    return (object + 1) % p->machine->objects[p->policy.map_level];
}

/* Ranks may go there. */
static bool usable(const struct plan *p, unsigned object)
{
    uint64_t cost;

    return best_in(p, object, &cost) != UINT_MAX;
}

/* Object by object, so many ranks each.  Returns how many ranks found a place. */
static unsigned seat_per_object(struct plan *p, bool busy)
{
    unsigned rank = 0;
    uint64_t cost;

    for (unsigned o = 0; o < p->machine->objects[p->policy.map_level]; o++)
        for (unsigned k = 0; k < p->policy.per_object && rank < p->ranks && usable(p, o); k++,
             rank++) {
            if (busy || p->policy.cores_each) {
                unsigned at = o;
                if (!seat_several(p, rank, &at, busy))
                    return rank;
            } else {
                sit_down(p, rank, best_in(p, o, &cost));
            }
        }
    return rank;
}

static unsigned seat_round(struct plan *p, bool busy)
{
    unsigned object = 0;

    for (unsigned rank = 0; rank < p->ranks; rank++) {
        if (!busy && !p->policy.cores_each)
            seat_one(p, rank, &object);
        else if (!seat_several(p, rank, &object, busy))
            return rank;
        object = next_object(p, object);
    }
    return p->ranks;
}

unsigned seats_take(struct plan *p, bool busy)
{
    reset(p);
    return p->policy.per_object ? seat_per_object(p, busy) : seat_round(p, busy);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *one = a, *other = b;

    return (*one > *other) - (*one < *other);
}

enum { KEY_BITS = 20 };

/* Ranks in their new order, in the low bits of what is to be freed. */
static uint64_t *order_ranks(const struct plan *p)
{
    bool round = p->policy.order == ORDER_ROUND;
    enum level level = round ? p->policy.order_level : p->policy.map_level;
    unsigned *met = need(calloc(p->machine->objects[level], sizeof *met));
    uint64_t *key = need(calloc(p->ranks, sizeof *key));

    for (unsigned rank = 0; rank < p->ranks; rank++) {
        unsigned object = thread_of(p, p->seat[rank])->in[level];
        uint64_t turn = round ? met[object]++ : 0;
        key[rank] = (turn << KEY_BITS | object) << KEY_BITS | rank;
    }
    qsort(key, p->ranks, sizeof *key, compare_keys);
    free(met);
    return key;
}

void seats_renumber(struct plan *p)
{
    unsigned *seat = need(calloc(p->ranks, sizeof *seat)),
        *now = need(calloc(p->ranks, sizeof *now));
    uint64_t *key = order_ranks(p);

    for (unsigned next = 0; next < p->ranks; next++) {
        unsigned rank = key[next] & ((1u << KEY_BITS) - 1);
        seat[next] = p->seat[rank];
        now[rank] = next;
    }
    for (unsigned i = 0; i < p->machine->count; i++) {
        p->owner[i] = p->owner[i] ? now[p->owner[i] - 1] + 1 : 0;
        p->nic_owner[i] = p->nic_owner[i] ? now[p->nic_owner[i] - 1] + 1 : 0;
    }
    free(p->seat);
    free(now);
    free(key);
    p->seat = seat;
}

void seats_count_turns(struct plan *p)
{
    unsigned before = 0;

    for (unsigned i = 0; i < p->machine->count; i++) {
        before = i && same(p, i, i - 1, LEVEL_CORE) ? before : 0;
        p->turn[i] = before;
        before += thread_of(p, i)->allowed;
    }
}
