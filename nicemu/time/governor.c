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

enum { LOCK_SPINS = 100 };

/* Behind the governor: the ranks, then the nodes of both trees, 1 the root, 2i and 2i + 1 the
 * children of i, `leaves` + r the leaf of rank r, then what each rank that sleeps does next. */
enum tree { PROMISES, ASLEEP, TREES };

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

static uint64_t next_at(unsigned ranks)
{
    return nodes_at(ranks) + TREES * 2 * sizeof(uint64_t) * leaves_for(ranks);
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
    g->leaves = leaves_for(ranks);
    g->shared = at;
    g->rank = (struct nic_governed_rank *)(base + ranks_at());
    g->nodes = (_Atomic uint64_t *)(base + nodes_at(ranks));
    g->next = (_Atomic uint64_t *)(base + next_at(ranks));
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

/* All ranks are absent, with the promise of those that are at time 0: nobody runs further ahead of
 * those that start late. */
void nic_governor_init(struct nic_governor *g)
{
    uint64_t promise = g->set.serial ? 0 : g->set.lookahead;
    for (uint32_t i = 1; i < 2 * g->leaves; i++) {
        put(nodes(g, PROMISES), i, promise);
        put(nodes(g, ASLEEP), i, NIC_NEVER);
    }
    for (unsigned r = g->ranks; r < g->leaves; r++)
        set(g, PROMISES, r, NIC_NEVER);
    atomic_store_explicit(&g->shared->awake, 0, memory_order_relaxed);
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
    return get(nodes(g, PROMISES), g->leaves + rank);
}

void nic_governor_set_promise(struct nic_governor *g, unsigned rank, uint64_t promise)
{
    set(g, PROMISES, rank, promise);
}

/* Whose turn it is among those asleep, the least first: where each has a core all that are safe
 * run, and what they do next says who is.  Where they share cores it is the rank whose promise
 * holds up the others; who does something sooner but promises more runs later, and then further. */
static void set_turn(struct nic_governor *g, unsigned rank)
{
    uint64_t turn = g->set.cores ? nic_governor_promise(g, rank) : get(g->next, rank);
    if (turn != get(nodes(g, ASLEEP), g->leaves + rank))
        set(g, ASLEEP, rank, turn);
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
    if (nic_governor_rank(g, rank)->state != NIC_GOVERNED_ASLEEP)
        return;
    put(g->next, rank, least(time, get(g->next, rank)));
    set_turn(g, rank);
}

/* Least promises of the ranks below and above this one. */
static void others(const struct nic_governor *g, unsigned rank, uint64_t *below, uint64_t *above)
{
    const _Atomic uint64_t *node = nodes(g, PROMISES);
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
           : least(below, above);
}

uint64_t nic_governor_horizon_after_send(const struct nic_governor *g, unsigned rank, unsigned peer,
                                         uint64_t arrival, bool carried, uint64_t horizon)
{
    return least(horizon, g->set.serial ? nic_time_add(arrival, peer > rank)
                 : answer_to(g, peer, arrival, carried));
}

/* -- sleeping */

static void count(struct nic_governor *g, struct nic_governed_rank *r, bool awake)
{
    uint32_t n = atomic_load_explicit(&g->shared->awake, memory_order_relaxed);
    if (r->counted != awake)
        atomic_store_explicit(&g->shared->awake, awake ? n + 1 : n - 1, memory_order_relaxed);
    r->counted = awake;
}

static bool cores_left(const struct nic_governor *g)
{
    return !g->set.cores
           || atomic_load_explicit(&g->shared->awake, memory_order_relaxed) < g->set.cores;
}

static void mark(struct nic_governor *g, unsigned rank, enum nic_governed state)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    r->state = (uint8_t)state;
    atomic_store_explicit(&r->excused, 0, memory_order_relaxed);
    count(g, r, state == NIC_GOVERNED_AWAKE);
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

/* It sleeps and may go on: before the least promise of all; whose promise that is goes on before
 * it. */
static bool is_safe(const struct nic_governor *g, unsigned rank)
{
    return g->rank[rank].state == NIC_GOVERNED_ASLEEP
           && get(g->next, rank) < get(nodes(g, PROMISES), 1);
}

/* Whose promise is the least is safe if it sleeps, and has the first turn; so somebody goes on. */
void nic_governor_wake_safe(struct nic_governor *g)
{
    const _Atomic uint64_t *asleep = nodes(g, ASLEEP);
    uint64_t first = get(nodes(g, PROMISES), 1);
    if (first == NIC_NEVER) {
        if (anybody_left(g))
            atomic_store(&g->shared->standstill, NIC_STANDS);
        return;
    }
    if (g->set.serial) {
        nic_governor_wake(g, find(g, PROMISES, first));
        return;
    }
    /* A tree that somebody has spoilt does not keep us here. */
    for (unsigned most = g->ranks; most && cores_left(g); most--) {
        unsigned rank = find(g, ASLEEP, get(asleep, 1));
        if (rank >= g->ranks || !is_safe(g, rank))
            return;
        nic_governor_wake(g, rank);
    }
}

uint64_t nic_governed_check(const struct nic_governed_rank *r, unsigned number)
{
    uint64_t hash = nic_clock_mix(number + UINT64_C(1), r->hash);
    return nic_clock_mix(nic_clock_mix(hash, r->events), r->time);
}

uint32_t nic_governor_mark_asleep(struct nic_governor *g, unsigned rank, uint64_t next)
{
    mark(g, rank, NIC_GOVERNED_ASLEEP);
    put(g->next, rank, next);
    set_turn(g, rank);
    return atomic_load_explicit(&nic_governor_rank(g, rank)->bell, memory_order_relaxed);
}

/* Those awake have not fallen asleep for long: whoever of them is outside its calls does not count
 * until it is back, and others take its core.  They may wait for us in another way too: if we are
 * safe we go on. */
static void excuse_outside(struct nic_governor *g, unsigned rank)
{
    nic_governor_lock(g);
    for (unsigned i = 0; i < g->ranks && !cores_left(g); i++) {
        struct nic_governed_rank *r = nic_governor_rank(g, i);
        if (r->state == NIC_GOVERNED_AWAKE && r->counted
            && atomic_load_explicit(&r->outside, memory_order_relaxed)) {
            atomic_store_explicit(&r->excused, 1, memory_order_relaxed);
            count(g, r, false);
        }
    }
    nic_governor_wake_safe(g);
    if (is_safe(g, rank))
        nic_governor_wake(g, rank);
    nic_governor_unlock(g);
}

void nic_governor_sleep(struct nic_governor *g, unsigned rank, uint32_t bell, unsigned looks)
{
    struct nic_governed_rank *r = nic_governor_rank(g, rank);
    for (; looks && atomic_load_explicit(&r->bell, memory_order_acquire) == bell; looks--)
        nic_relax();
    if (looks)
        return;
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
    return get(nodes(g, ASLEEP), 1) < promise && cores_left(g);
}
