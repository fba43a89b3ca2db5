/* Remote atomic operations. */
#ifndef NIC_OFFLOAD_ATOMICS_H
#define NIC_OFFLOAD_ATOMICS_H

#include "core/nic.h"

/* nic_close: nobody waits any more. */
void nic_atomics_close(struct nic *nic);

/* Requests to lost ranks end; true: there were some. */
bool nic_atomics_lose(struct nic *nic);

/* Handlers. */
void nic_atomic_asked(struct nic *nic, const struct nic_packet *packet);
void nic_atomic_answered(struct nic *nic, const struct nic_packet *packet);

#endif
