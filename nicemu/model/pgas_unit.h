/* The unit that executes command queues where a profile has one (pgas.unit): hardware beside the
 * NIC's processor, in which a command comes in while the one before is executed.  The ranks of a
 * node share it, with the node's bus in both directions and its link.
 *
 * The node's first rank keeps what they share.  A message of a rank's queue reaches that rank as an
 * event when it has crossed the bus; there it takes its turn on the bus, at the unit and on the
 * link, and goes to the first rank of the node where it is for; there it takes its turn on the bus
 * to memory, and reaches the rank itself when it has crossed that.  What is answered goes straight
 * to who has asked: an acknowledgment waits for nothing. */
#ifndef NIC_MODEL_PGAS_UNIT_H
#define NIC_MODEL_PGAS_UNIT_H

#include "model/state.h"

extern const struct nic_pgas_unit_ops nic_pgas_unit_ops;

/* 0 or -errno; model->unit stays NULL where there is none. */
int nic_pgas_unit_open(struct nic *nic);
void nic_pgas_unit_close(struct nic *nic);

/* model->unit_ops: send: true: this packet is the unit's to send, or an answer of it, and has been
 * sent; takes: the event of a packet of type NIC_PGAS_UNIT_PACKET. */

#endif
