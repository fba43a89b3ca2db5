/* Promises, and who sleeps; see time/governor.h. */
#define _GNU_SOURCE
#include "time/governor.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "time/minima.h"

enum { LOCK_SPINS = 100 };

/* Behind the governor: what nodes share, the ranks, then the nodes of both trees, then what each
 * rank that sleeps does next. */
enum tree { PROMISES, ASLEEP };
enum { NODES_PER_LEAF = 2 + 4 };    /* of both trees, per leaf of the first */

static uint64_t shares_at(void) { return sizeof(struct nic_governor_state); }
static uint64_t ranks_at(unsigned ranks) { return shares_at() + nic_nodes_bytes(ranks); }
static uint64_t nodes_at(unsigned ranks)
{
    return ranks_at(ranks) + ranks * sizeof(struct nic_governed_rank);
}

static uint64_t next_at(unsigned ranks)
{
    return nodes_at(ranks) + NODES_PER_LEAF * sizeof(uint64_t) * nic_minima_leaves(ranks);
}

uint64_t nic_governor_bytes(unsigned ranks)
{
    uint64_t end = next_at(ranks) + ranks * sizeof(uint64_t);
    return (end + 63) & ~UINT64_C(63);
}

void nic_governor_point(struct nic_governor *g, void *at, unsigned ranks)
{
    char *base = at;
    g->ranks = ranks;
    g->leaves = nic_minima_leaves(ranks);
    g->shared = at;
    g->rank = (struct nic_governed_rank *)(base + ranks_at(ranks));
    g->nodes = (_Atomic uint64_t *)(base + nodes_at(ranks));
    g->next = (_Atomic uint64_t *)(base + next_at(ranks));
    nic_nodes_point(&g->node, base + shares_at(), ranks);
}

struct nic_governed_rank *nic_governor_rank(struct nic_governor *g, unsigned rank)
{
    return &g->rank[rank];
}

static _Atomic uint64_t *nodes(const struct nic_governor *g, enum tree t)
{
    return g->nodes + (t == PROMISES ? 0 : 2 * (uint64_t)g->leaves);
}

static inline uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint32_t leaf_of(const struct nic_governor *g, enum tree t, unsigned rank)
{
    uint32_t group = nic_group_of(g, rank);
    return t == PROMISES ? g->leaves + rank
           : nic_group_leaf(g, group) + rank - nic_group_first(g, group);
}

static void set(struct nic_governor *g, enum tree t, unsigned rank, uint64_t value)
{
    nic_minima_set(nodes(g, t), leaf_of(g, t, rank), value);
}

/* All ranks are absent, with the promise of those that are at time 0: nobody runs further ahead of
 * those that start late. */
void nic_governor_init(struct nic_governor *g)
{
    uint64_t promise = g->set.serial ? 0 : g->set.lookahead;
    for (uint32_t i = 1; i < 2 * g->leaves; i++)
        nic_minima_put(nodes(g, PROMISES), i, promise);
    for (uint32_t i = 1; i < 4 * g->leaves; i++)
        nic_minima_put(nodes(g, ASLEEP), i, NIC_NEVER);
    for (unsigned r = g->ranks; r < g->leaves; r++)
        set(g, PROMISES, r, NIC_NEVER);
    for (uint32_t i = 0; i < NIC_GROUPS; i++)
        g->shared->awake[i] = 0;
    nic_nodes_init(&g->node, g->set.profile.node.ranks);
    atomic_store_explicit(&g->shared->idle, UINT64_MAX >> (NIC_GROUPS - nic_groups(g)),
                          memory_order_relaxed);
}

/* -- lock */

static long wait_on(_Atomic uint32_t *word, uint32_t value, const struct timespec *most)
{
    return syscall(SYS_futex, word, FUTEX_WAIT, value, most, NULL, 0);
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
        wait_on(&g->shared->lock, 2, NULL);
}

/* Who has given up looking at its bell: the sleeper says so before its last look at the bell. */
static void wake_sleeper(struct nic_governed_rank *r)
{
    if (atomic_load(&r->in_kernel))
        wake_on(&r->bell, 1);
}

void nic_governor_unlock(struct nic_governor *g)
{
    struct nic_governed_rank *rung[NIC_BELLS];
    unsigned bells = g->bells;
    memcpy(rung, g->rung, bells * sizeof *rung);
    g->bells = 0;
    if (atomic_exchange_explicit(&g->shared->lock, 0, memory_order_release) == 2)
        wake_on(&g->shared->lock, 1);
    while (bells)
        wake_sleeper(rung[--bells]);
}

/* -- promises */

uint64_t nic_governor_promise(struct nic_governor *g, unsigned rank)
{
    return nic_minima_get(nodes(g, PROMISES), g->leaves + rank);
}

void nic_governor_set_promise(struct nic_governor *g, unsigned rank, uint64_t promise)
{
    set(g, PROMISES, rank, promise);
}

/* Another rank of its node comes first. */
static bool is_behind(const struct nic_governor *g, unsigned rank)
{
    return nic_nodes_share(&g->node)
           && nic_minima_get(g->next, rank) >= nic_node_limit(&g->node, rank);
}

/* Of all who share a NIC: whoever of them may go on lets the others do so. */
static uint64_t promise_of_node(struct nic_governor *g, unsigned rank)
{
    uint64_t promise = nic_governor_promise(g, rank);
    if (nic_nodes_share(&g->node))
        for (unsigned m = nic_node_first(&g->node, rank); m < nic_node_end(&g->node, rank); m++)
            promise = least(promise, nic_governor_promise(g, m));
    return promise;
}

/* Whose turn it is among those asleep, the least first: where each has a core all that are safe
 * run, and what they do next says who is.  Where they share cores it is the rank whose promise
 * holds up the others; who does something sooner but promises more runs later, and then further. */
static void set_turn(struct nic_governor *g, unsigned rank)
{
    uint64_t turn = g->set.cores ? promise_of_node(g, rank) : nic_minima_get(g->next, rank);
    if (is_behind(g, rank))
        turn = NIC_NEVER;
    if (turn != nic_minima_get(nodes(g, ASLEEP), leaf_of(g, ASLEEP, rank)))
        set(g, ASLEEP, rank, turn);
}

/* Of a rank's node, as a time or a promise there has moved. */
static void set_turns(struct nic_governor *g, unsigned rank)
{
    if (nic_nodes_share(&g->node))
        for (unsigned m = nic_node_first(&g->node, rank); m < nic_node_end(&g->node, rank); m++)
            if (g->rank[m].state == NIC_GOVERNED_ASLEEP)
                set_turn(g, m);
}

void nic_governor_set_at(struct nic_governor *g, unsigned rank, uint64_t time)
{
    nic_node_set_at(&g->node, rank, time);
    set_turns(g, rank);
}

/* What a packet that arrives then leads to comes no sooner than this. */
static uint64_t answer_to(const struct nic_governor *g, unsigned rank, uint64_t time, bool carried)
{
    return g->set.serial ? time : nic_time_add(time, g->rank[rank].reaction[carried]);
}

void nic_governor_expect(struct nic_governor *g, unsigned rank, uint64_t time, bool carried)
{
    uint64_t answer = answer_to(g, rank, time, carried);
    if (answer < nic_governor_promise(g, rank))
        set(g, PROMISES, rank, answer);
    nic_node_expect(&g->node, rank, time);
    if (nic_governor_rank(g, rank)->state == NIC_GOVERNED_ASLEEP) {
        nic_minima_put(g->next, rank, least(time, nic_minima_get(g->next, rank)));
        set_turn(g, rank);
    }
    set_turns(g, rank);
}

/* Least promises of the ranks below and above this one. */
static void others(const struct nic_governor *g, unsigned rank, uint64_t *below, uint64_t *above)
{
    const _Atomic uint64_t *node = nodes(g, PROMISES);
    *below = *above = NIC_NEVER;
    for (uint32_t i = g->leaves + rank; i > 1; i /= 2)
        if (i & 1)
            *below = least(*below, nic_minima_get(node, i - 1));
        else
            *above = least(*above, nic_minima_get(node, i + 1));
}

uint64_t nic_governor_horizon(struct nic_governor *g, unsigned rank)
{
    uint64_t below, above;
    others(g, rank, &below, &above);
    return g->set.serial ? least(below, nic_time_add(above, 1))
           : least(least(below, above), nic_node_limit(&g->node, rank));
}

uint64_t nic_governor_horizon_after_send(const struct nic_governor *g, unsigned rank, unsigned peer,
                                         uint64_t arrival, bool carried, uint64_t horizon)
{
    bool in_order = g->set.serial || nic_node_is_same(&g->node, rank, peer);
    return least(horizon, in_order ? nic_time_add(arrival, peer > rank)
                 : answer_to(g, peer, arrival, carried));
}

/* -- sleeping */

static bool is_idle(const struct nic_governor *g, uint32_t group)
{
    return atomic_load_explicit(&g->shared->idle, memory_order_relaxed) >> group & 1;
}

static void count(struct nic_governor *g, unsigned rank, bool awake)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    uint32_t group = nic_group_of(g, rank), most = g->set.groups ? 1 : g->set.cores;
    uint64_t idle = atomic_load_explicit(&g->shared->idle, memory_order_relaxed);
    uint64_t bit = UINT64_C(1) << group;
    if (r->counted != awake)
        g->shared->awake[group] += awake ? 1 : UINT32_MAX;
    r->counted = awake;
    idle = !most || g->shared->awake[group] < most ? idle | bit : idle & ~bit;
    atomic_store_explicit(&g->shared->idle, idle, memory_order_relaxed);
}

static void mark(struct nic_governor *g, unsigned rank, enum nic_governed state)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    r->state = (uint8_t)state;
    atomic_store_explicit(&r->excused, 0, memory_order_relaxed);
    count(g, rank, state == NIC_GOVERNED_AWAKE);
    if (state != NIC_GOVERNED_ASLEEP)
        set(g, ASLEEP, rank, NIC_NEVER);
}

void nic_governor_mark_awake(struct nic_governor *g, unsigned rank)
{
    mark(g, rank, NIC_GOVERNED_AWAKE);
}

void nic_governor_mark_gone(struct nic_governor *g, unsigned rank)
{
    mark(g, rank, NIC_GOVERNED_GONE);
    set(g, PROMISES, rank, NIC_NEVER);
    if (nic_nodes_share(&g->node))
        nic_governor_set_at(g, rank, NIC_NEVER);
}

void nic_governor_wake(struct nic_governor *g, unsigned rank)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    if (rank >= g->ranks || r->state != NIC_GOVERNED_ASLEEP)
        return;
    nic_governor_mark_awake(g, rank);
    /* before the look at in_kernel; the sleeper does it the other way round */
    atomic_fetch_add(&r->bell, 1);
    if (g->bells == NIC_BELLS)
        wake_sleeper(g->rung[--g->bells]);
    g->rung[g->bells++] = r;
}

/* Who has the first turn in a group. */
static unsigned find_first(const struct nic_governor *g, uint32_t group)
{
    const _Atomic uint64_t *asleep = nodes(g, ASLEEP);
    uint32_t leaf = nic_minima_find(asleep, 2 * g->leaves, nic_group_node(g, group));
    return leaf - nic_group_leaf(g, group) + nic_group_first(g, group);
}

static bool anybody_left(struct nic_governor *g)
{
    for (unsigned r = 0; r < g->ranks; r++)
        if (nic_governor_rank(g, r)->state != NIC_GOVERNED_GONE)
            return true;
    return false;
}

/* It sleeps and may go on: before the least promise of all; whose promise that is goes on before
 * it. */
static bool is_safe(const struct nic_governor *g, unsigned rank)
{
    return g->rank[rank].state == NIC_GOVERNED_ASLEEP
           && nic_minima_get(g->next, rank) < nic_minima_get(nodes(g, PROMISES), 1)
           && !is_behind(g, rank);
}

/* As many as there are cores for.  A watcher is woken in the place of the first, which it then
 * wakes on its own core: from one core to another that costs many times as much. */
static void wake_group(struct nic_governor *g, uint32_t group)
{
    /* A tree that somebody has spoilt does not keep us here, nor does a watcher that is none. */
    for (unsigned most = g->ranks; most && is_idle(g, group); most--) {
        unsigned rank = find_first(g, group);
        if (rank >= g->ranks || !is_safe(g, rank))
            return;
        uint32_t watcher = atomic_load_explicit(&g->shared->watcher[group], memory_order_relaxed);
        if (watcher && watcher <= g->ranks && nic_group_of(g, watcher - 1) == group
            && g->rank[watcher - 1].state == NIC_GOVERNED_ASLEEP)
            rank = watcher - 1;
        nic_governor_wake(g, rank);
    }
}

/* Whose promise is the least is safe if it sleeps, and has the first turn; so somebody goes on. */
void nic_governor_wake_safe(struct nic_governor *g)
{
    uint64_t first = nic_minima_get(nodes(g, PROMISES), 1);
    if (first == NIC_NEVER) {
        if (anybody_left(g))
            atomic_store(&g->shared->standstill, NIC_STANDS);
        return;
    }
    if (g->set.serial) {
        nic_governor_wake(g, nic_minima_find(nodes(g, PROMISES), g->leaves, 1) - g->leaves);
        return;
    }
    uint64_t idle = atomic_load_explicit(&g->shared->idle, memory_order_relaxed);
    for (; idle; idle &= idle - 1)
        wake_group(g, (uint32_t)__builtin_ctzll(idle));
}

uint64_t nic_governed_check(const struct nic_governed_rank *r, unsigned number)
{
    uint64_t hash = nic_clock_mix(number + UINT64_C(1), r->hash);
    return nic_clock_mix(nic_clock_mix(hash, r->events), r->time);
}

static void set_watcher(struct nic_governor *g, unsigned rank, uint32_t watcher)
{
    if (g->set.groups)
        atomic_store_explicit(&g->shared->watcher[nic_group_of(g, rank)], watcher,
                              memory_order_relaxed);
}

uint32_t nic_governor_mark_asleep(struct nic_governor *g, unsigned rank, uint64_t next)
{
    mark(g, rank, NIC_GOVERNED_ASLEEP);
    /* the first in turn is woken by us, not by us for somebody else */
    set_watcher(g, rank, 0);
    nic_minima_put(g->next, rank, next);
    set_turn(g, rank);
    return atomic_load_explicit(&nic_governor_rank(g, rank)->bell, memory_order_relaxed);
}

/* Those awake have not fallen asleep for long: whoever of them is outside its calls does not count
 * until it is back, and others take its core.  They may wait for us in another way too: if we are
 * safe we go on. */
static void excuse_outside(struct nic_governor *g, unsigned rank)
{
    const uint32_t group = nic_group_of(g, rank), end = nic_group_first(g, group + 1);
    nic_governor_lock(g);
    for (unsigned i = nic_group_first(g, group); i < end && !is_idle(g, group); i++) {
        struct nic_governed_rank *r = nic_governor_rank(g, i);
        if (r->state == NIC_GOVERNED_AWAKE && r->counted
            && atomic_load_explicit(&r->outside, memory_order_relaxed)) {
            atomic_store_explicit(&r->excused, 1, memory_order_relaxed);
            count(g, i, false);
        }
    }
    nic_governor_wake_safe(g);
    if (is_safe(g, rank))
        nic_governor_wake(g, rank);
    nic_governor_unlock(g);
}

bool nic_governor_watch(struct nic_governor *g, unsigned rank)
{
    bool watch = g->set.groups && is_idle(g, nic_group_of(g, rank))
                 && nic_governor_rank(g, rank)->state == NIC_GOVERNED_ASLEEP;
    if (watch)
        set_watcher(g, rank, rank + 1);
    return watch;
}

/* Who reads the old value still wakes us, which is safe at any time. */
static void watch_no_more(struct nic_governor *g, unsigned rank)
{
    uint32_t own = rank + 1;
    if (g->set.groups)
        atomic_compare_exchange_strong_explicit(&g->shared->watcher[nic_group_of(g, rank)], &own, 0,
                                                memory_order_relaxed, memory_order_relaxed);
}

void nic_governor_sleep(struct nic_governor *g, unsigned rank, uint32_t bell, unsigned looks)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    for (unsigned i = looks; i; i--) {
        if (atomic_load_explicit(&r->bell, memory_order_acquire) != bell)
            return;
        nic_relax();
    }
    if (looks)
        watch_no_more(g, rank);
    atomic_store(&r->in_kernel, 1);
    const struct timespec patience = { .tv_sec = g->set.patience_us / 1000000,
                                       .tv_nsec = g->set.patience_us % 1000000 * 1000 };
    while (atomic_load(&r->bell) == bell)
        if (wait_on(&r->bell, bell, g->set.cores ? &patience : NULL) && errno == ETIMEDOUT)
            excuse_outside(g, rank);
    atomic_store(&r->in_kernel, 0);
}

bool nic_governor_awaited(const struct nic_governor *g, uint64_t promise)
{
    uint64_t idle = atomic_load_explicit(&g->shared->idle, memory_order_relaxed);
    for (; idle; idle &= idle - 1) {
        uint32_t group = (uint32_t)__builtin_ctzll(idle);
        if (nic_minima_get(nodes(g, ASLEEP), nic_group_node(g, group)) < promise)
            return true;
    }
    return false;
}
