/* Chains of operations that counters trigger. */
#ifndef NIC_OFFLOAD_TRIGGERS_H
#define NIC_OFFLOAD_TRIGGERS_H

#include "core/nic.h"

/* True: some operation was started. */
bool nic_triggers_advance(struct nic *nic);

#endif
