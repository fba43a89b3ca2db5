/* The NIC's own thread. */
#ifndef NIC_CORE_THREAD_H
#define NIC_CORE_THREAD_H

#include "core/nic.h"

int nic_thread_start(struct nic *nic);
void nic_thread_stop(struct nic *nic);

#endif
