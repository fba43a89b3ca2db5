/* Sleeping and ringing, and the fences that go with it. */
#ifndef NIC_CORE_DOORBELL_H
#define NIC_CORE_DOORBELL_H

#include "core/nic.h"

enum { NIC_BELL_HOST = 1, NIC_BELL_THREAD = 2, NIC_BELL_QUIT = 4 /* the thread: to end */ };
void nic_doorbell_ring(struct nic_public *pub, unsigned bells);
/* Sleeps until rung, unless the doorbell has left `seen`; timeout_ns 0: for ever. */
void nic_doorbell_sleep(struct nic_public *pub, uint32_t seen, unsigned bells, uint64_t timeout_ns);
/* What comes over a wire rings from now on, or the sleep is to be a nap: its timeout, which may be
 * 0, changes.  False: something has come.  Any thread, without the baton. */
bool nic_arm(struct nic *nic, uint64_t *timeout_ns);
/* True if membarrier can order this process' fast paths; registers it. */
bool nic_fence_register(void);
/* The slow side of an asymmetric fence with every process / every thread of this process. */
bool nic_fence_all(void);
void nic_fence_process(const struct nic *nic);

/* Hosts of this rank that sleep while somebody else may have completed what they wait for. */
static inline void nic_wake_parked(struct nic *n)
{
    /* pairs with the fence between parked++ and the look at events (park in wait.c), and with that
     * of a host that leaves a command behind (nic_submit) */
    if (likely(n->asymmetric))
        atomic_signal_fence(memory_order_seq_cst);
    else
        atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&n->parked, memory_order_relaxed))
        nic_doorbell_ring(n->own, NIC_BELL_HOST);
}

#endif
