/* A peer's host that sleeps is woken for what is no packet. */
#include "core/notify.h"

#include "core/demand.h"

void nic_notify(struct nic *n, unsigned rank) { nic_ring_if_asleep(n, rank, false); }

void nic_note_clogged(struct nic *n, unsigned peer)
{
    if (n->peer[peer].clogged)
        return;
    n->peer[peer].clogged = true;
    n->held++;
    nic_refresh_slow_reasons(n);
}
