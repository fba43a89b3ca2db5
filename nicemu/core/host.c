/* The host's doors to its NIC: taking the baton and giving it
 * back, handing over to the NIC thread, commands. */
#define _GNU_SOURCE
#include <sched.h>

#include "core/callers.h"
#include "core/baton.h"
#include "core/demand.h"
#include "core/doorbell.h"
#include "core/step.h"
#include "core/thread.h"

/* Behind the lock among hosts, which host_in needs not: as nic_fast_path_enter, where the NIC
 * thread's membarrier is. */
static bool host_in_first(struct nic *n)
{
    if (likely(n->shared && n->asymmetric)) {
        __atomic_store_n(&n->fast_path.host_in, 1, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } else {
        __atomic_store_n(&n->fast_path.host_in, 1, __ATOMIC_SEQ_CST);
        atomic_thread_fence(memory_order_seq_cst);
    }
    return !__atomic_load_n(&n->fast_path.thread_in, __ATOMIC_ACQUIRE);             /* B3 */
}

/* A host that had the lock among hosts in vain, since the NIC thread is inside, looks for commands
 * when it has given it back: another host may have found it taken and left its command to us.  The
 * thread, if it is still inside then, looks after it. */
static bool host_try(struct nic *n)
{
    do {
        if (n->shared && atomic_exchange_explicit(&n->host_lock, 1, memory_order_acquire))
            return false;
        if (host_in_first(n))
            return true;
        nic_baton_give(n);
        if (!n->shared)
            return false;
        atomic_thread_fence(memory_order_seq_cst);      /* pairs with nic_submit's */
    } while (nic_cmdq_pending(&n->cmdq)
             && !__atomic_load_n(&n->fast_path.thread_in, __ATOMIC_RELAXED));
    return false;
}

bool nic_try_enter_slow(struct nic *n)
{
    if (n->model) {
        n->model_ops->enter(n);
        return true;
    }
    if (!host_try(n))
        return false;
    __atomic_store_n(&n->fast_path.queued, 0, __ATOMIC_RELAXED);
    /* what a host left before comes before what this one is about to do */
    while (nic_cmdq_pending(&n->cmdq))
        if (!nic_execute_commands(n))
            /* one is being pushed, and behind it may be one of ours */
            sched_yield();
    return true;
}

void nic_enter_wait(struct nic *n)
{
    nic_hosts_meet(n, atomic_fetch_add(&n->host_wants, 1) > 0);
    for (unsigned spins = 0; !nic_try_enter(n); spins++)
        if (spins % 64 == 63)
            sched_yield();
    atomic_fetch_sub(&n->host_wants, 1);
}

/* The host goes away while requests need service: the NIC thread takes over.  True: there is work
 * for it now, or nobody will ring it for what comes.  While it stands back nobody need: it looks by
 * itself, and until then a ring would cost its sender a call of the kernel. */
static bool hand_over(struct nic *n)
{
    if (n->progress == NIC_PROGRESS_HOST || nic_thread_start(n))
        return false;
    NIC_COUNT(n, handovers, 1);
    /* pairs with the stores around standing back (thread.c); a thread that has gone to sleep since,
     * which nobody rings now, is rung by depart */
    bool arm = !n->armed && !atomic_load(&n->stands_back);
    if (arm || !n->left) {
        n->armed |= arm;
        n->left = true;
        /* locked: comes before the look into the inbox */
        atomic_fetch_or(&n->own->attention, NIC_LEFT | (arm ? NIC_ARMED : 0));
    }
    return !n->armed || nic_has_work(n);
}

/* The host has gone: counted, and then a look at the thread, which does it the other way round
 * before it sleeps.  Not before the baton is back: a thread that found it taken would take the
 * departure for one before that.  For the same reason a thread that sleeps is no proof that it has
 * seen what came between our look for work and here: its sender may have rung it while we were
 * still inside. */
static void depart(struct nic *n, bool work)
{
    atomic_fetch_add(&n->departures, 1);
    if (atomic_load(&n->thread_asleep) && (work || n->link->coming(n)))
        nic_doorbell_ring(n->own, NIC_BELL_THREAD);
}

static void leave(struct nic *n)
{
    bool away = n->service > 0, work = away && hand_over(n);
    nic_baton_give(n);
    if (away)
        depart(n, work);
}

void nic_leave_slow(struct nic *n)
{
    if (n->model) {
        n->model_ops->leave(n);
        return;
    }
    if (likely(!n->shared)) {
        leave(n);
        return;
    }
    do {
        leave(n);
        nic_wake_parked(n);
        /* a command pushed just before we gave the baton back, by a host that saw it taken: who
         * takes it executes that, and leaves as from any other, since it may need service */
    } while (nic_cmdq_pending(&n->cmdq) && nic_try_enter(n));
}

void nic_share(struct nic *n)
{
    nic_baton_check(n);
    if (n->model)
        n->model_ops->share(n);
    n->shared = true;
    /* ours, as host_in is; nic_leave releases both */
    atomic_store_explicit(&n->host_lock, 1, memory_order_relaxed);
    nic_refresh_slow_reasons(n);
}

void nic_submit(struct nic *n, const struct nic_command *c)
{
    if (unlikely(n->model != NULL)) {
        NIC_COUNT(n, commands, 1);
        n->model_ops->submit(n, c);
        return;
    }
    for (;;) {
        if (nic_try_enter(n)) {
            n->program->command(n, n->context, c);
            NIC_COUNT(n, commands, 1);
            nic_leave(n);
            return;
        }
        if (nic_cmdq_push(&n->cmdq, c))
            break;
        sched_yield();
    }
    __atomic_store_n(&n->fast_path.queued, 1, __ATOMIC_RELAXED);
    /* One of us executes it: of several hosts the one that gives the baton back next, which fences
     * nothing where membarrier is (nic_wake_parked), or we. */
    if (n->shared)
        nic_fence_process(n);
    else
        atomic_thread_fence(memory_order_seq_cst);
    if (nic_try_enter(n))
        nic_leave(n);
}
