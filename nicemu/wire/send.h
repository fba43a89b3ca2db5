/* Packets to other machines. */
#ifndef NIC_WIRE_SEND_H
#define NIC_WIRE_SEND_H

#include "wire/state.h"

/* As struct nic_link_ops. */
int nic_wire_send(struct nic *nic, unsigned peer, const struct nic_tx *packet);
/* What waits leaves, as far as the wire takes it; true: something has. */
bool nic_wire_flush(struct nic *nic);
/* The end of a frame, as an event tells it. */
void nic_wire_sent(struct nic *nic, const struct nic_wire_event *event);
/* A frame without packets; -EAGAIN, or there is no way to the peer. */
int nic_wire_say(struct nic *nic, struct nic_wire_peer *peer, enum nic_frame_kind kind);

#endif
