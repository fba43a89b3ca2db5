/* The NIC's side of nicemu/mutex.h.  Baton held. */
#ifndef NIC_OFFLOAD_GUARD_H
#define NIC_OFFLOAD_GUARD_H

#include "core/nic.h"
#include "nicemu/mutex.h"

/* What guards the memory behind a key of this rank, or NULL. */
struct nic_mutex *nic_mutex_of(const struct nic *nic, uint32_t key);

void nic_mutex_enter_nic(struct nic *nic, struct nic_mutex *mutex);
void nic_mutex_leave_nic(struct nic *nic, struct nic_mutex *mutex);

#endif
