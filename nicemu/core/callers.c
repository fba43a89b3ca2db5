/* See callers.h.  Calls at once are found where that costs nothing: in waits, in the way into a
 * baton that is taken, and on the model clock at each call. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/callers.h"
#include "core/nic.h"
#include "nicemu/threads.h"

enum { RESTED_NS = 100 * 1000, YIELDS = 1000, LOOKS = 10 * 1000, NAP_US = 100 };

static int32_t thread_id(void) { return (int32_t)syscall(SYS_gettid); }

/* -- the sanitizer's thread */

/* Defined where the thread sanitizer's runtime is in the process. */
extern void __tsan_init(void) __attribute__((weak));

static int32_t runtime_thread;

static void *nothing(void *argument) { return argument; }

/* The number of a thread of this process that is not the calling one, 0: there is none. */
static int32_t other_thread(void)
{
    DIR *threads = opendir("/proc/self/task");
    int32_t found = 0, self = thread_id();
    struct dirent *thread;
    while (threads && !found && (thread = readdir(threads)))
        if (isdigit((unsigned char)thread->d_name[0]) && atoi(thread->d_name) != self)
            found = atoi(thread->d_name);
    if (threads)
        closedir(threads);
    return found;
}

/* The thread sanitizer's runtime starts a thread of its own together with the first thread of the
 * process.  So one is started here, where the program has not come to run yet: what is left when
 * it has ended can be nobody else's.  Constructors of the program come later, as do those of
 * libraries that know this one. */
__attribute__((constructor(101))) static void find_runtime_thread(void)
{
    pthread_t thread;
    if (!__tsan_init || other_thread() || pthread_create(&thread, NULL, nothing, NULL))
        return;
    pthread_join(thread, NULL);
    runtime_thread = other_thread();
}

/* After a fork the process is without it. */
static int32_t runtime_thread_here(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)runtime_thread);
    return runtime_thread && !access(path, F_OK) ? runtime_thread : 0;
}

/* Before look number i; a thread that others keep from a processor may need a second. */
static void rest_before(unsigned i)
{
    if (i > YIELDS)
        usleep(NAP_US);
    else if (i)
        sched_yield();
}

/* 0: there is none, or its number is not known.  One that has just been started says it soon; but
 * in the job's memory, into which others may have written, so nobody waits for ever. */
static int32_t own_thread(const struct nic *n)
{
    int32_t id = 0;
    for (unsigned i = 0; n->thread_started && !id && i < LOOKS; i++) {
        rest_before(i);
        id = atomic_load(&n->hosts->nic);
    }
    return id;
}

bool nic_alone(const struct nic *n)
{
    DIR *threads = opendir("/proc/self/task");
    const int32_t nic = own_thread(n), self = thread_id(), watch = atomic_load(&n->hosts->watch);
    bool alone = threads != NULL;
    struct dirent *thread;
    while (alone && (thread = readdir(threads)))
        if (isdigit((unsigned char)thread->d_name[0])) {
            const int id = atoi(thread->d_name);
            alone = id == self || id == nic || id == watch;
        }
    if (threads)
        closedir(threads);
    return alone;
}

/* -- what the launcher sees */

void nic_hosts_open(struct nic *n, const void *word)
{
    atomic_store(&n->hosts->one, 0);
    atomic_store(&n->hosts->nic, 0);
    atomic_store(&n->hosts->runtime, runtime_thread_here());
    atomic_store(&n->hosts->waiting, 0);
    atomic_store(&n->hosts->watch, 0);
    atomic_store(&n->hosts->under_way, 0);
    atomic_store(&n->hosts->polls, n->progress == NIC_PROGRESS_THREAD);
    atomic_store(&n->hosts->word, (uint64_t)(uintptr_t)word);
}

void nic_hosts_thread(struct nic *n, bool runs)
{
    atomic_store(&n->hosts->nic, runs ? thread_id() : 0);
}

void nic_hosts_watch(struct nic *n, bool runs)
{
    atomic_store(&n->hosts->watch, runs ? thread_id() : 0);
}

void nic_hosts_await_watch(const struct nic *n)
{
    for (unsigned i = 1; !atomic_load(&n->hosts->watch) && i < LOOKS; i++)
        rest_before(i);
}

void nic_hosts_idle(struct nic *n) { atomic_fetch_add(&n->hosts->idle, 1); }
void nic_hosts_sleep(struct nic *n) { atomic_fetch_add(&n->hosts->waiting, 1); }
void nic_hosts_wake(struct nic *n) { atomic_fetch_sub(&n->hosts->waiting, 1); }

void nic_hosts_rest(struct nic *n, uint64_t now)
{
    atomic_store_explicit(&n->hosts->rested, now, memory_order_relaxed);
}

void nic_hosts_park(struct nic *n)
{
    if (!n->moved)
        return;
    n->moved = false;
    uint32_t before = atomic_load_explicit(&n->hosts->rests, memory_order_relaxed);
    atomic_store_explicit(&n->hosts->rests, before + 1, memory_order_release);
}

/* Asleep in a wait, or yielding there a moment ago: then it leaves a core of its own to others, but
 * no part of one that it shares. */
static bool rests(const struct nic *n, unsigned rank, uint64_t now)
{
    const struct nic_hosts *h = &nic_job_owned(n->job, rank)->note.hosts;
    uint64_t rested = atomic_load_explicit(&h->rested, memory_order_relaxed);
    return atomic_load_explicit(&h->waiting, memory_order_relaxed)
           || (!n->oversubscribed && rested && now - rested < RESTED_NS);
}

bool nic_hosts_need_all(const struct nic *n)
{
    uint64_t now = nic_now();
    uint32_t busy = 0;
    for (unsigned r = 0; r < n->ranks && busy < n->job->layout.cores; r++)
        busy += nic_job_is_here(n->job, r) && !rests(n, r, now);
    return busy >= n->job->layout.cores;
}

void nic_on_misuse(struct nic *n, void (*misuse)(enum nic_misuse kind, const char *what))
{
    n->callers.misuse = misuse;
}

void nic_on_waiter(struct nic *n, void (*waiter)(void)) { n->callers.waits = waiter; }

void nic_one_host(struct nic *n)
{
    n->callers.one = pthread_self();
    n->callers.is_one = true;
    atomic_store(&n->hosts->one, thread_id());
}

/* -- who calls */

/* initial-exec: no call to find it; a byte of what loaders keep for libraries that come later. */
static _Thread_local bool inside __attribute__((tls_model("initial-exec")));

void nic_goes_inside(bool is) { inside = is; }

_Noreturn static void end(struct nic *n, const char *why)
{
    fprintf(stderr, "nicemu: %s\n", why);
    nic_job_set_abort(n->job, n->rank, 1);
    _exit(1);
}

void nic_hosts_at_once(struct nic *n)
{
    if (n->callers.misuse)
        n->callers.misuse(NIC_MISUSE_AT_ONCE, NULL);
    end(n, "several threads of a rank call at once without nic_share");
}

/* It would wait for its own way out of that function. */
static void waits_inside(struct nic *n, const struct nic_wait *w)
{
    char text[NIC_NOTE_BYTES] = "";
    if (n->callers.misuse)
        n->callers.misuse(NIC_MISUSE_INSIDE,
                          w && w->note ? w->note(w->argument, text, sizeof text) : NULL);
    end(n, "a call waits inside a function that must not");
}

void nic_hosts_meet(struct nic *n, bool others)
{
    if (inside)
        waits_inside(n, NULL);
    if (others && !n->shared)
        nic_hosts_at_once(n);
}

/* From here on any thread may call, one at a time: the launcher must not rely on what is not kept.
 * */
static void another_waits(struct nic *n)
{
    n->callers.is_one = false;
    atomic_store(&n->hosts->one, 0);
    if (n->callers.misuse)
        n->callers.misuse(NIC_MISUSE_OTHER, NULL);
}

/* Where one host calls at a time: a wait that is not new has been overtaken if another thread's has
 * begun since; a new one overtakes if another thread sleeps. */
void nic_hosts_wait(struct nic *n, struct nic_wait *w)
{
    struct nic_callers *c = &n->callers;
    if (inside && !w->begun)
        waits_inside(n, w);
    if (!w->begun && c->waits && (n->shared || !pthread_equal(c->waiter, pthread_self())))
        c->waits();
    if (n->shared) {
        w->begun = true;
        return;
    }
    bool others = c->wait && !pthread_equal(c->waiter, pthread_self());
    if (others && (w->begun || atomic_load_explicit(&n->parked, memory_order_relaxed)))
        nic_hosts_at_once(n);
    if (c->is_one && !pthread_equal(c->one, pthread_self()))
        another_waits(n);
    w->begun = true;
    c->wait = w;
    c->waiter = pthread_self();
}
