/* The baton: who may step a NIC.
 *
 * Hosts take it often, the NIC thread seldom, so it is biased: see struct nic_fast_path in nicemu.h
 * for the host's side.  The NIC thread gives way; a host waits.  Where membarrier is missing both
 * sides use a full fence.  Several host threads settle it among themselves with host_lock first,
 * and are biased against the NIC thread as one is.
 *
 * Edges:  B0 release store of host_in = 0    -> B1 acquire load of host_in by the NIC thread
 *         B2 release store of thread_in = 0  -> B3 acquire load of thread_in by a host
 * Checked, with what becomes of commands left behind, in tests/model/baton.pml; handing over to the
 * thread in tests/model/handover.pml. */
#ifndef NIC_CORE_BATON_H
#define NIC_CORE_BATON_H

#include <stdio.h>
#include <stdlib.h>

#include "core/doorbell.h"
#include "core/nic.h"

#ifndef NIC_DEBUG
#define NIC_DEBUG 0
#endif

/* In debug builds: somebody holds the baton while the engine's state changes. */
static inline void nic_baton_check(const struct nic *n)
{
    if (NIC_DEBUG && !__atomic_load_n(&n->fast_path.host_in, __ATOMIC_RELAXED)
        && !__atomic_load_n(&n->fast_path.thread_in, __ATOMIC_RELAXED)) {
        fputs("nicemu: the engine runs and nobody holds the baton\n", stderr);
        abort();
    }
}

/* Gives it back and does nothing else: in the middle of a wait. */
static inline void nic_baton_give(struct nic *n)
{
    __atomic_store_n(&n->fast_path.host_in, 0, __ATOMIC_RELEASE);                   /* B0 */
    if (unlikely(n->shared))
        atomic_store_explicit(&n->host_lock, 0, memory_order_release);
}

static inline bool nic_baton_thread_try(struct nic *n)
{
    __atomic_store_n(&n->fast_path.thread_in, 1, __ATOMIC_SEQ_CST);
    nic_fence_process(n);
    if (!__atomic_load_n(&n->fast_path.host_in, __ATOMIC_ACQUIRE))                  /* B1 */
        return true;
    __atomic_store_n(&n->fast_path.thread_in, 0, __ATOMIC_RELEASE);
    return false;
}

static inline void nic_baton_thread_give(struct nic *n)
{
    __atomic_store_n(&n->fast_path.thread_in, 0, __ATOMIC_RELEASE);                 /* B2 */
}

#endif
