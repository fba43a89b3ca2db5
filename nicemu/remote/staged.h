/* The staged path. */
#ifndef NIC_REMOTE_STAGED_H
#define NIC_REMOTE_STAGED_H

#include "remote/op.h"

/* Sends what there is room for; true: something. */
bool nic_staged_advance(struct nic *nic, struct nic_op *op);

/* Handlers. */
void nic_staged_put_arrived(struct nic *nic, const struct nic_packet *packet);
void nic_staged_get_arrived(struct nic *nic, const struct nic_packet *packet);
void nic_staged_put_replied(struct nic *nic, const struct nic_packet *packet);
void nic_staged_get_replied(struct nic *nic, const struct nic_packet *packet);

#endif
