/* Transfers under way. */
#ifndef NIC_REMOTE_TRANSFER_H
#define NIC_REMOTE_TRANSFER_H

#include "core/nic.h"

/* One piece of the first one in the list, which is not empty; true: something moved. */
bool nic_transfers_advance(struct nic *nic);
/* Those with lost ranks end; true: there were some. */
bool nic_transfers_lose(struct nic *nic);

#endif
