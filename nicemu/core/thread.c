/* The NIC's own thread: it serves what is due while the host
 * is away, or always (NIC_PROGRESS_THREAD). */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "core/callers.h"
#include "core/affinity.h"
#include "core/baton.h"
#include "core/doorbell.h"
#include "core/thread.h"

/* Where turns look at a wire each may be a system call, and a host that calls again and again is
 * left alone for longer. */
enum { IDLE_WIRE_TURNS = 4, WIRE_MOMENT_NS = 500 * 1000 };

enum { IDLE_TURNS = 200, NAP_NS = 100 * 1000, MOMENT_NS = 20 * 1000, MOMENTS = 20,
       STACK_BYTES = 128 * 1024 };

/* Where hosts compute on all processors.  Each moment's end takes one of them away for some 15 us;
 * a moment in which the host has done little else is as good as a whole one.  Of a processor that
 * several share each has a part, so it takes the longer. */
enum { BUSY_MOMENT_NS = 1000 * 1000, BUSY_MOMENTS = 10, COMPUTED_NS = 750 * 1000 };

static uint64_t busy_moment(const struct nic *n)
{
    const uint32_t sharing = n->job->layout.here / n->job->layout.cores;
    return (uint64_t)BUSY_MOMENT_NS * (sharing ? sharing : 1);
}

/* Steps until there is nothing to do, which is true, or a host wants the baton; baton held. */
static bool serve(struct nic *n)
{
    const unsigned most = n->wires ? IDLE_WIRE_TURNS : IDLE_TURNS;
    unsigned idle = 0;
    n->by_thread = true;
    while (idle < most && !atomic_load_explicit(&n->host_wants, memory_order_relaxed)) {
        NIC_COUNT(n, turns_thread, 1);
        if (nic_step(n))
            idle = 0;
        else
            idle++;
    }
    n->by_thread = false;
    return idle == most;
}

bool nic_by_thread(const struct nic *n) { return n->by_thread; }

/* Gives the baton back and wakes hosts that sleep for what
 * was done.  True: there is more to do at once. */
static bool finish_turn(struct nic *n)
{
    uint32_t events = atomic_load_explicit(&n->events, memory_order_relaxed);
    bool tell = events != n->events_told;
    n->events_told = events;
    if (n->service > 0 && !n->armed) {
        n->armed = n->left = true;
        /* locked: comes before the look into the inbox */
        atomic_fetch_or(&n->own->attention, NIC_ARMED | NIC_LEFT);
    }
    bool more = n->link->ready(n);
    nic_baton_thread_give(n);
    /* pairs with a host's fence between parked++ and its look at events */
    atomic_thread_fence(memory_order_seq_cst);
    if (tell && atomic_load_explicit(&n->parked, memory_order_relaxed))
        nic_doorbell_ring(n->own, NIC_BELL_HOST);
    return more || nic_cmdq_pending(&n->cmdq);
}

/* Asleep until rung: by a sender that saw NIC_ARMED or to quit (each moves the doorbell from
 * `seen`), or by a host that left work behind (it counts a departure and rings if the thread is
 * asleep). */
static void sleep_until_rung(struct nic *n, uint32_t seen, uint32_t departures, uint64_t timeout)
{
    atomic_store(&n->thread_asleep, 1);
    if (!atomic_load(&n->quit) && atomic_load(&n->departures) == departures) {
        NIC_COUNT_SHARED(n, thread_sleeps, 1);
        nic_doorbell_sleep(n->own, seen, NIC_BELL_THREAD, timeout);
    }
    atomic_store(&n->thread_asleep, 0);
}

/* Until then only the end of the thread wakes it. */
static void stand_back(struct nic *n, uint64_t ns)
{
    uint32_t seen = atomic_load(&n->own->doorbell);     /* before quit, which rings */
    if (!atomic_load(&n->quit))
        nic_doorbell_sleep(n->own, seen, NIC_BELL_QUIT, ns);
}

/* A host that has left may be about to call again, to start its next request or to wait, and then
 * it is better that it does the work itself: the thread stands back until no host has left for a
 * moment.  Returns the departures that the thread's next turn will have seen to. */
static uint32_t let_host_return(struct nic *n)
{
    uint64_t moment = MOMENT_NS;
    uint32_t departures = atomic_load(&n->departures);
    for (unsigned i = 0; i < MOMENTS; i++) {
        uint32_t before = departures;
        stand_back(n, moment);
        if (n->wires && moment < WIRE_MOMENT_NS)
            moment *= 2;
        if ((departures = atomic_load(&n->departures)) == before)
            break;
    }
    return departures;
}

static uint64_t processor_time(void)
{
    struct timespec t = { 0, 0 };
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Where hosts compute on all processors nothing hides behind that: the thread takes one of them
 * away for what the host itself does if it waits soon, at both ends at once and uninterrupted.  So
 * the thread stands back longer, once, until the host has computed for a while since it left, or
 * been away for long: one that calls now and then does the work itself meanwhile, and one that does
 * not get a processor would not get another for the thread. */
static uint32_t let_host_compute(struct nic *n, uint32_t departures)
{
    uint64_t since = processor_time();
    for (unsigned quiet = 0; quiet < BUSY_MOMENTS && processor_time() - since < COMPUTED_NS
         && !atomic_load(&n->quit) && nic_hosts_need_all(n); quiet++) {
        uint32_t before = departures;
        stand_back(n, busy_moment(n));
        departures = atomic_load(&n->departures);
        if (departures != before) {
            quiet = 0;
            since = processor_time();
        }
    }
    return departures;
}

/* A host is about to have the baton, also again after a yield, which is as good as inside.  A
 * thread that took it once more, while there is something to do that it then has to leave to that
 * host (serve), would keep the host out, for a time slice at a time where they share a core.  To be
 * read behind departures, of which that host's next one has not been. */
static bool host_enters(const struct nic *n)
{
    return atomic_load(&n->host_wants) > 0 || atomic_load(&n->yielding) > 0;
}

/* Of what there is more to do nothing can be done: the wire refuses it.  Whoever makes room there
 * may need this core. */
static bool is_refused(const struct nic *n) { return n->wires && !n->near_link->coming(n); }

/* stood_back: for which departure that was; of the thread alone. */
static void serve_while_away(struct nic *n, uint32_t *stood_back)
{
    uint32_t seen = atomic_load(&n->own->doorbell);
    uint32_t departures = atomic_load(&n->departures);
    atomic_store(&n->stands_back, 1);
    if (!nic_hosts_need_all(n))
        departures = let_host_return(n);
    if (departures != *stood_back)
        *stood_back = departures = let_host_compute(n, departures);
    atomic_store(&n->stands_back, 0);   /* who leaves from now on arms (hand_over) */
    /* a host is inside: it serves, and rings if it leaves work behind */
    if (host_enters(n) || !nic_baton_thread_try(n)) {
        /* pairs with nic_submit's: a host that found us trying has left its command to us */
        atomic_thread_fence(memory_order_seq_cst);
        if (nic_cmdq_pending(&n->cmdq))
            sched_yield();
        else
            sleep_until_rung(n, seen, departures, 0);
        return;
    }
    bool idle = serve(n);
    bool stuck = n->active > 0;         /* waits for room at a peer, say: nobody will ring for it */
    uint64_t timeout = stuck ? NAP_NS : 0;
    bool more = finish_turn(n);
    if (more ? idle && is_refused(n) : nic_arm(n, &timeout))
        sleep_until_rung(n, seen, departures, more ? NAP_NS : timeout);
}

static void serve_always(struct nic *n)
{
    if (nic_baton_thread_try(n)) {
        serve(n);
        if (!finish_turn(n))
            nic_hosts_idle(n);
    }
    sched_yield();
}

static void *thread_main(void *argument)
{
    struct nic *n = argument;
    nic_place_thread(n);
    nic_hosts_thread(n, true);
    uint32_t stood_back = atomic_load(&n->departures) - 1;
    while (!atomic_load_explicit(&n->quit, memory_order_acquire))
        if (n->progress == NIC_PROGRESS_THREAD)
            serve_always(n);
        else
            serve_while_away(n, &stood_back);
    return NULL;
}

/* The thread takes none of the program's signals. */
int nic_thread_start(struct nic *n)
{
    if (likely(n->thread_started))
        return 0;
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* before it runs: it reads nothing of this, hosts count events from here on */
    n->thread_started = true;
    int rc = pthread_create(&n->thread, &attr, thread_main, n);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (rc) {
        n->thread_started = false;
        n->progress = NIC_PROGRESS_HOST;    /* no thread to be had: progress inside calls only */
        return -rc;
    }
    pthread_setname_np(n->thread, "nicemu");
    return 0;
}

void nic_thread_stop(struct nic *n)
{
    if (!n->thread_started)
        return;
    atomic_store_explicit(&n->quit, 1, memory_order_seq_cst);
    nic_doorbell_ring(n->own, NIC_BELL_THREAD | NIC_BELL_QUIT);
    pthread_join(n->thread, NULL);
    nic_hosts_thread(n, false);
    n->thread_started = false;
}
