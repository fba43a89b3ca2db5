/* Bounds, and who sleeps; see time/governor.h. */
#define _GNU_SOURCE
#include "time/governor.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

enum { LOCK_SPINS = 100 };

/* Behind the governor: the ranks, then the nodes of both trees, 1 the root, 2i and 2i + 1 the
 * children of i, `leaves` + r the leaf of rank r. */
enum tree { BOUNDS, ASLEEP, TREES };

static uint32_t leaves_for(unsigned ranks)
{
    uint32_t n = 1;
    while (n < ranks)
        n *= 2;
    return n;
}

static uint64_t ranks_at(void) { return sizeof(struct nic_governor_state); }
static uint64_t nodes_at(unsigned ranks)
{
    return ranks_at() + ranks * sizeof(struct nic_governed_rank);
}

uint64_t nic_governor_bytes(unsigned ranks)
{
    uint64_t end = nodes_at(ranks) + TREES * 2 * sizeof(uint64_t) * leaves_for(ranks);
    return (end + 63) & ~UINT64_C(63);
}

void nic_governor_point(struct nic_governor *g, void *at, unsigned ranks)
{
    char *base = at;
    g->ranks = ranks;
    g->leaves = leaves_for(ranks);
    g->shared = at;
    g->rank = (struct nic_governed_rank *)(base + ranks_at());
    g->nodes = (_Atomic uint64_t *)(base + nodes_at(ranks));
}

struct nic_governed_rank *nic_governor_rank(struct nic_governor *g, unsigned rank)
{
    return &g->rank[rank];
}

static _Atomic uint64_t *nodes(const struct nic_governor *g, enum tree t)
{
    return g->nodes + (uint64_t)t * 2 * g->leaves;
}

static inline uint64_t get(const _Atomic uint64_t *node, uint32_t i)
{
    return atomic_load_explicit(&node[i], memory_order_relaxed);
}
static inline void put(_Atomic uint64_t *node, uint32_t i, uint64_t v)
{
    atomic_store_explicit(&node[i], v, memory_order_relaxed);
}
static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static void set(struct nic_governor *g, enum tree t, unsigned rank, uint64_t value)
{
    _Atomic uint64_t *node = nodes(g, t);
    uint32_t i = g->leaves + rank;
    put(node, i, value);
    for (i /= 2; i; i /= 2) {
        uint64_t v = least(get(node, 2 * i), get(node, 2 * i + 1));
        if (v == get(node, i))
            break;
        put(node, i, v);
    }
}

/* All ranks are absent with a bound of 0, so nobody runs ahead of those that start late. */
void nic_governor_init(struct nic_governor *g)
{
    for (uint32_t i = 1; i < 2 * g->leaves; i++) {
        put(nodes(g, BOUNDS), i, 0);
        put(nodes(g, ASLEEP), i, NIC_NEVER);
    }
    for (unsigned r = g->ranks; r < g->leaves; r++)
        set(g, BOUNDS, r, NIC_NEVER);
}

/* -- lock */

static void wait_on(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0);
}
static void wake_on(_Atomic uint32_t *word, int count)
{
    syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

void nic_governor_lock(struct nic_governor *g)
{
    uint32_t free = 0;
    for (unsigned i = 0; i < LOCK_SPINS; i++) {
        free = 0;
        if (atomic_compare_exchange_weak_explicit(&g->shared->lock, &free, 1, memory_order_acquire,
                                                  memory_order_relaxed))
            return;
        nic_relax();
    }
    while (atomic_exchange_explicit(&g->shared->lock, 2, memory_order_acquire))
        wait_on(&g->shared->lock, 2);
}

void nic_governor_unlock(struct nic_governor *g)
{
    if (atomic_exchange_explicit(&g->shared->lock, 0, memory_order_release) == 2)
        wake_on(&g->shared->lock, 1);
}

/* -- bounds */

uint64_t nic_governor_bound(struct nic_governor *g, unsigned rank)
{
    return get(nodes(g, BOUNDS), g->leaves + rank);
}

void nic_governor_set_bound(struct nic_governor *g, unsigned rank, uint64_t bound)
{
    set(g, BOUNDS, rank, bound);
    if (nic_governor_rank(g, rank)->state == NIC_GOVERNED_ASLEEP)
        set(g, ASLEEP, rank, bound);
}

void nic_governor_lower_bound(struct nic_governor *g, unsigned rank, uint64_t time)
{
    if (time < nic_governor_bound(g, rank))
        nic_governor_set_bound(g, rank, time);
}

/* Least bounds of the ranks below and above this one. */
static void others(const struct nic_governor *g, unsigned rank, uint64_t *below, uint64_t *above)
{
    const _Atomic uint64_t *node = nodes(g, BOUNDS);
    *below = *above = NIC_NEVER;
    for (uint32_t i = g->leaves + rank; i > 1; i /= 2)
        if (i & 1)
            *below = least(*below, get(node, i - 1));
        else
            *above = least(*above, get(node, i + 1));
}

uint64_t nic_governor_horizon(struct nic_governor *g, unsigned rank)
{
    uint64_t below, above;
    others(g, rank, &below, &above);
    return g->set.serial ? least(below, nic_time_add(above, 1))
           : nic_time_add(least(below, above), g->set.lookahead);
}

uint64_t nic_governor_horizon_after_send(const struct nic_governor *g, unsigned rank, unsigned peer,
                                         uint64_t arrival, uint64_t horizon)
{
    return least(horizon, nic_time_add(arrival, !g->set.serial ? g->set.lookahead : peer > rank));
}

/* -- sleeping */

void nic_governor_wake(struct nic_governor *g, unsigned rank)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    if (rank >= g->ranks || r->state != NIC_GOVERNED_ASLEEP)
        return;
    r->state = NIC_GOVERNED_AWAKE;
    set(g, ASLEEP, rank, NIC_NEVER);
    /* before the look at in_kernel; the sleeper does it the other way round */
    atomic_fetch_add(&r->bell, 1);
    if (atomic_load(&r->in_kernel))
        wake_on(&r->bell, 1);
}

/* The leftmost leaf of the tree with that value. */
static unsigned find(const struct nic_governor *g, enum tree t, uint64_t value)
{
    const _Atomic uint64_t *node = nodes(g, t);
    uint32_t i = 1;
    while (i < g->leaves)
        i = 2 * i + (get(node, 2 * i) != value);
    return i - g->leaves;
}

static bool anybody_left(struct nic_governor *g)
{
    for (unsigned r = 0; r < g->ranks; r++)
        if (nic_governor_rank(g, r)->state != NIC_GOVERNED_GONE)
            return true;
    return false;
}

/* All that are asleep with a bound below the least of all plus
 * the lookahead are safe, and nobody else. */
void nic_governor_wake_safe(struct nic_governor *g)
{
    const _Atomic uint64_t *asleep = nodes(g, ASLEEP);
    uint64_t first = get(nodes(g, BOUNDS), 1);
    if (first == NIC_NEVER) {
        if (anybody_left(g))
            atomic_store(&g->shared->standstill, NIC_STANDS);
        return;
    }
    if (g->set.serial) {
        nic_governor_wake(g, find(g, BOUNDS, first));
        return;
    }
    uint64_t end = nic_time_add(first, g->set.lookahead);
    /* A tree that somebody has spoilt does not keep us here. */
    for (unsigned most = g->ranks; most && get(asleep, 1) < end; most--)
        nic_governor_wake(g, find(g, ASLEEP, get(asleep, 1)));
}

uint64_t nic_governed_check(const struct nic_governed_rank *r, unsigned number)
{
    uint64_t hash = nic_clock_mix(number + UINT64_C(1), r->hash);
    return nic_clock_mix(nic_clock_mix(hash, r->events), r->time);
}

uint32_t nic_governor_mark_asleep(struct nic_governor *g, unsigned rank)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    r->state = NIC_GOVERNED_ASLEEP;
    set(g, ASLEEP, rank, nic_governor_bound(g, rank));
    return atomic_load_explicit(&r->bell, memory_order_relaxed);
}

void nic_governor_sleep(struct nic_governor *g, unsigned rank, uint32_t bell, unsigned looks)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    for (; looks && atomic_load_explicit(&r->bell, memory_order_acquire) == bell; looks--)
        nic_relax();
    if (looks)
        return;
    atomic_store(&r->in_kernel, 1);
    while (atomic_load(&r->bell) == bell)
        wait_on(&r->bell, bell);
    atomic_store(&r->in_kernel, 0);
}

bool nic_governor_awaited(const struct nic_governor *g, uint64_t bound)
{
    return get(nodes(g, ASLEEP), 1) < nic_time_add(bound, g->set.lookahead);
}
