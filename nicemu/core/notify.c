/* A peer's host that sleeps is woken for what is no packet. */
#include "core/notify.h"

#include "core/demand.h"
#include "nicemu/threads.h"

void nic_notify(struct nic *n, unsigned rank) { nic_ring_if_asleep(n, rank, false); }
void nic_notify_service(struct nic *n, unsigned rank) { nic_ring_if_asleep(n, rank, true); }

_Static_assert((int)NIC_ASLEEP == (int)NIC_PARKED, "the bit of a host that sleeps");
_Static_assert((int)NIC_AWAY == (int)NIC_LEFT, "the bit of a host that is away");

/* The sleeper's fence (doorbell.c) stands for the one between the caller's store and its look. */
const uint32_t *nic_attention(const struct nic *n, unsigned rank)
{
    return (const uint32_t *)(const void *)&n->publics[rank].attention;
}

void nic_note_clogged(struct nic *n, unsigned peer)
{
    if (n->peer[peer].clogged)
        return;
    n->peer[peer].clogged = true;
    n->held++;
    nic_refresh_slow_reasons(n);
}
