/* Whoever has put something where a peer's host looks wakes that host if it sleeps. */
#ifndef NIC_CORE_NOTIFY_H
#define NIC_CORE_NOTIFY_H

#include "core/doorbell.h"
#include "core/nic.h"

/* The peer keeps too many packets: nic_send to it is refused until it does not. */
void nic_note_clogged(struct nic *nic, unsigned peer);

/* After a packet: wakes the peer if it sleeps and must not sleep through it. */
static inline void nic_ring_if_asleep(struct nic *n, unsigned peer, bool service)
{
    struct nic_public *pub = &n->publics[peer];
    if (unlikely(service) || unlikely(!n->asymmetric))
        /* pairs with the locked instruction that set NIC_ARMED */
        atomic_thread_fence(memory_order_seq_cst);
    else
        /* pairs with nic_fence_all of the sleeping host */
        atomic_signal_fence(memory_order_seq_cst);
    uint32_t attention = atomic_load_explicit(&pub->attention, memory_order_relaxed);
    if (likely(!attention))
        return;
    if (attention & NIC_CLOGGED)
        nic_note_clogged(n, peer);
    if (attention & NIC_PARKED) {
        nic_doorbell_ring(pub, NIC_BELL_HOST);
        NIC_COUNT_SHARED(n, bells_host, 1);
    } else if (service && (attention & NIC_ARMED)) {
        nic_doorbell_ring(pub, NIC_BELL_THREAD);
        NIC_COUNT_SHARED(n, bells_thread, 1);
    }
}

#endif
