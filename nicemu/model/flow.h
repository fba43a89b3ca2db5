/* Flow control between two NICs on the model clock: packets are numbered, acknowledged, refused and
 * sent again (reliable/window.h, reliable/streams.h).  It is there if the profile has streams
 * (flow.streams), or the wire loses packets (NICEMU_FAULT), which are drawn per packet in the order
 * of sending.  What RDMA with counters carries (model/notified_rdma.h) is not under it. */
#ifndef NIC_MODEL_FLOW_H
#define NIC_MODEL_FLOW_H

#include "model/state.h"

/* 0 or -errno; model->flow stays NULL where nothing is to be done. */
int nic_flow_open(struct nic *nic);
void nic_flow_close(struct nic *nic);

/* The rest is called by model->flow_ops:
 *   send: a packet to a peer, in place of its departure; `from_host` of the clock counts for it
 *   accept: a packet has been taken in; false: it goes no further
 *   processed: the program's handler has worked on it: it is acknowledged, and its stream released
 *   timer: the event of a timer
 *   keep_stream: the stream that the handler's packet has taken, + 1, whose end somebody else
 *   knows and tells by release; 0: none */

/* All that was sent has been acknowledged.  This rank leaves: nobody waits for its answers. */
bool nic_flow_is_quiet(const struct nic *nic);
void nic_flow_leave(struct nic *nic);

#endif
