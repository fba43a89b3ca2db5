/* The receiver's side of flow control: numbers, streams, answers. */
#ifndef NIC_MODEL_FLOW_RECEIVE_H
#define NIC_MODEL_FLOW_RECEIVE_H

#include "model/flow_state.h"

/* Of the table of operations. */
bool nic_flow_accept(struct nic *nic, const struct nic_event *event);
void nic_flow_processed(struct nic *nic);
unsigned nic_flow_keep_stream(struct nic *nic);
void nic_flow_release(struct nic *nic, unsigned stream, uint64_t time);

#endif
