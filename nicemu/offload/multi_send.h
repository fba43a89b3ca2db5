/* Packets for many ranks: see nicemu/multi.h. */
#ifndef NIC_OFFLOAD_MULTI_SEND_H
#define NIC_OFFLOAD_MULTI_SEND_H

#include "core/nic.h"

void nic_multi_arrived(struct nic *nic, const struct nic_packet *packet);

#endif
