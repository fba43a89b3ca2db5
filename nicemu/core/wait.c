/* How a host waits: spins while every runnable thread may have a core of its own, then yields, and
 * sleeps on the doorbell when a yield's budget is used up (a wake-up costs several yields).
 * Parking and unparking: see tests/model/park.pml. */
#define _GNU_SOURCE
#include <sched.h>

#include "core/callers.h"
#include "core/baton.h"
#include "core/doorbell.h"
#include "core/room.h"

enum {
    POLLS_PER_SPIN = 64,
    /* where a turn looks at a wire too: what lies there waits meanwhile */
    POLLS_PER_LOOK_AT_WIRE = 4,
    /* some 50 us, where every rank has a core; else none: whom we wait for needs ours */
    SPINS = 400,
    /* in a job of several machines: there a look may be a system call */
    SPIN_NS = 50 * 1000,
    /* So many yields in a row that take so long have let others run; a single one may have been an
     * interrupt, or this NIC's own thread.  And for how long that is remembered. */
    SHARED_NS = 4 * 1000, SHARED_YIELDS = 3, SHARED_FOR_NS = 20 * 1000 * 1000,
    YIELDS_PER_LOOK = 8,            /* between looks at the time */
    YIELD_NS = 1000 * 1000,         /* how long to yield before sleeping, */
    /* and how often at least where many take turns: a millisecond is a few of them, and a bell for
     * each costs more */
    YIELDS_BY_TURNS = 128,
    /* sleep with requests under way that need polling (a full inbox of a peer): so long at first,
     * and at most as often as long as so many ranks for each core go into it.  255 ranks that send
     * to one, us for each message, before and so: 1 KiB 382, 12; 16 KiB more than 1,000, 29. */
    NAP_NS = 200 * 1000,
    NAP_SHARING = 4,
    TIMED_NS = 1000 * 1000,         /* sleep where no fence protects against a missed ring */
};

static inline bool has_come(const struct nic_wait *w) { return w->ready && w->ready(w->argument); }

/* The NIC thread has the engine for itself: wait for it to move something. */
static void watch_thread(struct nic *n, struct nic_wait *w)
{
    uint32_t events = atomic_load_explicit(&n->events, memory_order_relaxed);
    nic_baton_give(n);
    for (unsigned i = 0; i < POLLS_PER_SPIN
         && atomic_load_explicit(&n->events, memory_order_relaxed) == events && !has_come(w); i++)
        nic_relax();
    w->spins++;
    nic_enter(n);
}

/* Nobody else could put anything into the inbox of a NIC that is alone on its machine. */
static unsigned looks_per_turn(const struct nic *n)
{
    if (likely(!n->wires))
        return POLLS_PER_SPIN;
    return n->job->layout.here > 1 ? POLLS_PER_LOOK_AT_WIRE : 0;
}

static void spin(struct nic *n, const struct nic_wait *w)
{
    const unsigned most = looks_per_turn(n);
    if (w->ready)
        for (unsigned i = 0; i < most && !w->ready(w->argument) && !n->link->ready(n); i++)
            nic_one_look();
    else
        for (unsigned i = 0; i < most && !n->link->ready(n); i++)
            nic_one_look();
}

/* The last host up takes the bit away.  One that went to sleep in between set it before us: give it
 * back and let that host look again. */
static void unpark(struct nic *n)
{
    if (atomic_fetch_sub(&n->parked, 1) != 1)
        return;
    atomic_fetch_and(&n->own->attention, ~(uint32_t)NIC_PARKED);
    if (atomic_load(&n->parked)) {
        atomic_fetch_or(&n->own->attention, NIC_PARKED);
        nic_doorbell_ring(n->own, NIC_BELL_HOST);
    }
}

void nic_on_long_wait(struct nic *n, uint64_t every_ns, void (*look)(void *), void *argument)
{
    n->long_wait.argument = argument;
    n->long_wait.every_ns = every_ns;
    atomic_store(&n->long_wait.looked_ns, nic_now());
    n->long_wait.look = look;
}

/* One host at a time is enough. */
static void look_after_others(struct nic *n)
{
    struct nic_long_wait *l = &n->long_wait;
    uint64_t now = nic_now(), last = atomic_load(&l->looked_ns);
    if (now - last >= l->every_ns && atomic_compare_exchange_strong(&l->looked_ns, &last, now))
        l->look(l->argument);
}

/* True: nobody has rung, but that is not a wake-up which counts. */
static bool sleep_and_look(struct nic *n, uint32_t seen, uint64_t timeout)
{
    nic_doorbell_sleep(n->own, seen, NIC_BELL_HOST, timeout ? timeout : n->long_wait.every_ns);
    if (!n->long_wait.look)
        return false;
    look_after_others(n);
    return atomic_load(&n->own->doorbell) == seen;
}

/* Sleeps unless something came meanwhile, which is false.  `events` is what the caller saw before
 * it last looked at what it waits for. */
static bool park(struct nic *n, const struct nic_wait *w, uint32_t events, uint64_t timeout,
                 const struct nic_refusal *refused)
{
    uint32_t seen = atomic_load(&n->own->doorbell);
    atomic_fetch_add(&n->parked, 1);
    atomic_fetch_or(&n->own->attention, NIC_PARKED);
    if (refused->by)
        nic_room_ask(n, refused->by - 1);
    /* pairs with nic_notify and nic_ring_if_asleep of every sender, with nic_wake_parked, and with
     * nic_room_tell */
    if (!nic_fence_all() && !timeout)
        timeout = TIMED_NS;
    bool stay = nic_arm(n, &timeout) && !nic_cmdq_pending(&n->cmdq) && !n->link->coming(n)
                && !(refused->by && nic_room_is_there(n, refused))
                && atomic_load(&n->events) == events && !has_come(w);
    if (stay) {
        nic_hosts_sleep(n);
        bool looked = sleep_and_look(n, seen, timeout);
        nic_hosts_wake(n);
        if (!timeout && !looked)
            atomic_fetch_add_explicit(&n->own->sleeps, 1, memory_order_relaxed);
    }
    if (refused->by)
        nic_room_forget(n);
    unpark(n);
    return stay;
}

static void say_what_for(struct nic *n, const struct nic_wait *w)
{
    char text[NIC_NOTE_BYTES] = "";
    nic_job_set_note(n->job, n->rank, w->note ? w->note(w->argument, text, sizeof text) : text);
}

static void change_yielding(struct nic *n, uint32_t by)
{
    uint32_t hosts = atomic_load_explicit(&n->yielding, memory_order_relaxed);
    atomic_store_explicit(&n->yielding, hosts + by, memory_order_relaxed);
}

/* Machines of one job may share processors, as containers and namespaces do, of which none knows
 * the others' ranks: what tells is a yield.  Baton held before and after. */
static void yield(struct nic *n)
{
    uint64_t begin = unlikely(n->wires != NULL) ? nic_now() : 0, end;
    change_yielding(n, 1);
    nic_baton_give(n);
    sched_yield();
    nic_enter(n);
    change_yielding(n, (uint32_t)-1);
    if (likely(!begin))
        return;
    end = nic_now();
    if (end - begin <= SHARED_NS) {
        n->long_yields = 0;
        return;
    }
    if (n->long_yields < SHARED_YIELDS)
        n->long_yields++;
    if (n->long_yields == SHARED_YIELDS)
        n->shares_core_until = end + SHARED_FOR_NS;
}

static bool may_sleep(const struct nic_wait *w, uint64_t now)
{
    bool patient = w->by_turns && !w->slept;
    return now - w->since > YIELD_NS && (!patient || w->yields > YIELDS_BY_TURNS);
}

/* Each that is refused again takes a turn from who is to make room: where many share a core they
 * sleep the longer the more they are, and the longer they have waited.  Who naps for anything else
 * does not.  Baton held. */
static uint64_t nap(struct nic *n, struct nic_wait *w, struct nic_refusal *refused)
{
    const uint32_t sharing = n->job->layout.here / n->job->layout.cores / NAP_SHARING;
    const uint64_t most = NAP_NS * (uint64_t)(sharing ? sharing : 1);
    const uint64_t refusals = n->stats.value[NIC_STAT_inbox_full];
    if (refusals == n->refusals)
        w->naps = 0;
    n->refusals = refusals;
    *refused = n->refused;
    n->refused.by = 0;
    const uint64_t ns = (uint64_t)NAP_NS << w->naps;
    w->naps += ns < most;
    return ns < most ? ns : most;
}

static void rest(struct nic *n, struct nic_wait *w)
{
    uint32_t events = atomic_load_explicit(&n->events, memory_order_relaxed);
    bool crowd_nap = n->active > 0 || w->polled;
    struct nic_refusal refused = { 0 };
    nic_room_tell(n);
    if (w->yields++ % YIELDS_PER_LOOK == 0) {
        uint64_t now = nic_now();
        nic_hosts_rest(n, now);
        if (!w->since)
            w->since = now;
        if (may_sleep(w, now)) {
            say_what_for(n, w);
            nic_hosts_park(n);
            uint64_t timeout = crowd_nap ? nap(n, w, &refused) : w->most_ns;
            nic_baton_give(n);
            bool slept = park(n, w, events, timeout, &refused);
            nic_enter(n);
            NIC_COUNT(n, host_sleeps, slept);
            w->yields = 0;
            w->slept = true;
            return;
        }
    }
    NIC_COUNT(n, host_yields, 1);
    yield(n);
}

/* The host is here: the NIC thread needs no ring any more. */
static inline void attend(struct nic *n)
{
    if (unlikely(n->left)) {
        n->armed = n->left = false;
        atomic_fetch_and(&n->own->attention, ~(uint32_t)(NIC_ARMED | NIC_LEFT));
    }
}

/* Not before there is time: a turn that has moved something may be the last one of a short wait. */
static inline void check_host(struct nic *n, struct nic_wait *w)
{
    if (unlikely(!w->begun || (n->callers.wait != w && !n->shared)))
        nic_hosts_wait(n, w);
}

/* Not where whom we wait for may need our core. */
static inline bool may_spin(const struct nic *n, struct nic_wait *w)
{
    if (n->oversubscribed || w->spins >= SPINS
        || atomic_load_explicit(&n->host_wants, memory_order_relaxed))
        return false;
    if (likely(!n->wires))
        return true;
    uint64_t now = nic_now();
    if (!w->since)
        w->since = now;
    return now - w->since < SPIN_NS && now >= n->shares_core_until;
}

void nic_wait_turn(struct nic *n, struct nic_wait *w)
{
    if (unlikely(n->model != NULL)) {
        check_host(n, w);
        n->model_ops->wait_turn(n, w);
        return;
    }
    attend(n);
    if (nic_step(n)) {
        n->moved = true;
        /* who puts a packet into an inbox rings for hosts that sleep; for what comes over the wire
         * only the watch does, if it gets to see it before this host has taken it */
        if (unlikely(n->wires != NULL) && n->shared)
            nic_wake_parked(n);
        w->spins = w->yields = 0;
        w->since = 0;
        w->slept = false;
        w->naps = 0;
        return;
    }
    check_host(n, w);
    if (may_spin(n, w)) {
        if (n->progress == NIC_PROGRESS_THREAD) {
            watch_thread(n, w);
        } else {
            w->spins++;
            spin(n, w);
        }
        return;
    }
    rest(n, w);
}
