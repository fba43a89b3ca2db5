/* What comes from other machines. */
#ifndef NIC_WIRE_RECEIVE_H
#define NIC_WIRE_RECEIVE_H

#include "wire/state.h"

/* Delivers at most one packet; true: something moved. */
bool nic_wire_poll(struct nic *nic);
/* The same while closing: packets are dropped. */
bool nic_wire_drop(struct nic *nic);

#endif
