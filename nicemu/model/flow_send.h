/* The sender's side of flow control: packets kept until their peer has acknowledged them. */
#ifndef NIC_MODEL_FLOW_SEND_H
#define NIC_MODEL_FLOW_SEND_H

#include "model/flow_state.h"

/* Made when it is first asked for. */
struct nic_flow_peer *nic_flow_peer_of(struct nic *nic, unsigned rank);

/* All in front of `number` have come; nack: that one has been refused. */
void nic_flow_acknowledged(struct nic *nic, struct nic_flow_peer *peer, uint32_t number,
                           bool nack);
/* What needs no stream and follows nothing that does will be there. */
void nic_flow_acknowledge_short(struct nic *nic, struct nic_flow_peer *peer);

/* All that may leave.  fresh: what the handler sends by itself, whose way is its own. */
void nic_flow_pump(struct nic *nic, unsigned rank, const struct nic_flow_frame *fresh);

/* The peer has left: nothing of it is waited for. */
void nic_flow_forget(struct nic *nic, unsigned rank);

/* Nobody needs it any more. */
void nic_flow_frame_free(struct nic *nic, struct nic_flow_frame *frame);

/* Of the table of operations. */
void nic_flow_send(struct nic *nic, unsigned rank, const struct nic_tx *message);
void nic_flow_timer(struct nic *nic, const struct nic_event *event);

#endif
