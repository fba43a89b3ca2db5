/* A peer's host that sleeps is woken for what is no packet. */
#include "core/notify.h"

void nic_notify(struct nic *n, unsigned rank) { nic_ring_if_asleep(n, rank, false); }
