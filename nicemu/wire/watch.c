/* Sleeping where the doorbell and the wire both wake.
 *
 * Hosts and the NIC's thread sleep on the doorbell's word, which ranks of this machine move.  For
 * the wire a thread of its own sleeps in poll(2) on the wire's descriptor, while it is armed, and
 * rings the doorbell once when the descriptor becomes readable.  Whoever is about to sleep arms it
 * again: so it costs nothing while messages come to NICs that are awake.
 *
 *   A0 armed = 1, behind may_sleep (sleeper)         -> A1 the watch takes it back before it rings
 *   A2 NIC_PARKED in attention, before A0 (sleeper)  -> A3 attention, read behind A1 (watch): the
 *   bell that the sleeper hears */
#define _GNU_SOURCE
#include "wire/watch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/callers.h"
#include "core/doorbell.h"

enum { STACK_BYTES = 64 * 1024 };

static void wait_while_unarmed(struct nic_wire_watch *w)
{
    syscall(SYS_futex, &w->armed, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void ring(struct nic *n)
{
    uint32_t attention = atomic_load(&n->own->attention);          /* A3 */
    nic_doorbell_ring(n->own, attention & NIC_PARKED ? NIC_BELL_HOST : NIC_BELL_THREAD);
}

static void *watch(void *argument)
{
    struct nic *n = argument;
    struct nic_wire_watch *w = &n->wires->watch;
    struct pollfd fds[] = { { .fd = w->fd, .events = POLLIN },
                            { .fd = w->stop, .events = POLLIN } };
    nic_hosts_watch(n, true);
    while (!atomic_load(&w->quit)) {
        if (!atomic_load(&w->armed))
            wait_while_unarmed(w);
        else if (poll(fds, 2, -1) > 0 && atomic_exchange(&w->armed, 0))        /* A1 */
            ring(n);
    }
    nic_hosts_watch(n, false);
    return NULL;
}

static void start(struct nic *n)
{
    struct nic_wire_watch *w = &n->wires->watch;
    sigset_t all, before;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    w->started = !pthread_create(&w->thread, &attr, watch, n);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (!w->started)
        return;
    pthread_setname_np(w->thread, "nicemu-wire");
    nic_hosts_await_watch(n);
}

void nic_wire_watch_open(struct nic *n)
{
    struct nic_wire_watch *w = &n->wires->watch;
    w->fd = n->wires->ops->fd(n->wires->wire);
    w->stop = w->fd < 0 ? -1 : eventfd(0, EFD_CLOEXEC);
    if (w->stop >= 0)
        start(n);
}

void nic_wire_watch_close(struct nic *n)
{
    struct nic_wire_watch *w = &n->wires->watch;
    const uint64_t one = 1;
    if (w->started) {
        atomic_store(&w->quit, 1);
        atomic_store(&w->armed, 1);
        syscall(SYS_futex, &w->armed, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        while (write(w->stop, &one, sizeof one) < 0 && errno == EINTR)
            ;
        pthread_join(w->thread, NULL);
    }
    if (w->stop >= 0)
        close(w->stop);
    w->started = false;
}

enum nic_arming nic_wire_arm(struct nic *n)
{
    struct nic_wires *w = n->wires;
    /* what the wire has refused is tried again: nobody rings when it would take that */
    if (!w->watch.started || nic_wire_queued(w))
        return NIC_NEVER_RINGS;
    /* Also while armed: the watch sleeps on if somebody else has taken what its descriptor told. */
    if (!w->ops->may_sleep(w->wire))
        return NIC_HAS_COME;
    if (atomic_load(&w->watch.armed))
        return NIC_WILL_RING;
    atomic_store(&w->watch.armed, 1);                               /* A0 */
    syscall(SYS_futex, &w->watch.armed, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return NIC_WILL_RING;
}
