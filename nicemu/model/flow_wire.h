/* A packet of flow control on the wire, with its mark behind it, and what happens to it there. */
#ifndef NIC_MODEL_FLOW_WIRE_H
#define NIC_MODEL_FLOW_WIRE_H

#include "model/flow_state.h"

/* The mark stands behind the data: `data_bytes` do not contain it yet. */
void nic_flow_transmit(struct nic *nic, unsigned rank, const struct nic_tx *message,
                       struct nic_flow_mark mark);

/* The checksum of what has come is wrong. */
bool nic_flow_is_spoilt(const struct nic_event *event);

#endif
