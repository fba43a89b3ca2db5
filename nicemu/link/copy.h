/* Copies from and to a peer by address. */
#ifndef NIC_LINK_COPY_H
#define NIC_LINK_COPY_H

#include "nicemu/model.h"
#include "nicemu/rdma.h"

/* The bytes that move besides a message, as the mode says;
 * 0 or a negative errno.  Charges nothing. */
int nic_rdma_copy(struct nic *nic, unsigned peer, const struct nic_transfer_mode *how);

#endif
