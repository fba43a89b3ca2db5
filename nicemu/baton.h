/* The baton: who may step a NIC.
 *
 * Hosts take it often, the NIC thread seldom, so it is biased: a host stores host_in and looks at thread_in, with no fence and no locked
 * instruction; the NIC thread stores thread_in, runs membarrier, and looks at host_in.  membarrier puts a full fence
 * into every running thread of the process, so one of the two sees the other (Dekker).  The NIC thread gives way; a host waits.
 * Where membarrier is missing both sides use a full fence.
 *
 * Edges:  B0 release store of host_in = 0    -> B1 acquire load of host_in by the NIC thread
 *         B2 release store of thread_in = 0  -> B3 acquire load of thread_in by a host
 * Several host threads settle it among themselves with host_lock first. */
#ifndef NIC_BATON_H
#define NIC_BATON_H

#include "engine.h"

static inline void nic_baton_fence(const struct nic *n)
{
    if (likely(n->asymmetric))
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
}

static inline bool nic_baton_try(struct nic *n)
{
    if (unlikely(n->shared) && atomic_exchange_explicit(&n->host_lock, 1, memory_order_acquire))
        return false;
    atomic_store_explicit(&n->host_in, 1, memory_order_relaxed);
    nic_baton_fence(n);
    if (likely(!atomic_load_explicit(&n->thread_in, memory_order_acquire)))     /* B3 */
        return true;
    atomic_store_explicit(&n->host_in, 0, memory_order_release);
    if (n->shared)
        atomic_store_explicit(&n->host_lock, 0, memory_order_release);
    return false;
}

static inline void nic_baton_give(struct nic *n)
{
    atomic_store_explicit(&n->host_in, 0, memory_order_release);                /* B0 */
    if (unlikely(n->shared))
        atomic_store_explicit(&n->host_lock, 0, memory_order_release);
}

static inline bool nic_baton_thread_try(struct nic *n)
{
    atomic_store_explicit(&n->thread_in, 1, memory_order_seq_cst);
    nic_fence_process(n);
    if (!atomic_load_explicit(&n->host_in, memory_order_acquire))               /* B1 */
        return true;
    atomic_store_explicit(&n->thread_in, 0, memory_order_release);
    return false;
}

static inline void nic_baton_thread_give(struct nic *n)
{
    atomic_store_explicit(&n->thread_in, 0, memory_order_release);              /* B2 */
}

#endif
