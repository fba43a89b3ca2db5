/* The sending half of the inbox. */
#ifndef NIC_LINK_SEND_H
#define NIC_LINK_SEND_H

#include "core/nic.h"

/* For links whose peers share the memory of the job's ranks: see struct nic_link_ops. */
int nic_inbox_send(struct nic *nic, unsigned peer, const struct nic_tx *message, bool service);
/* The packet as it is, of at most so many bytes of payload. */
int nic_inbox_send_lines(struct nic *nic, unsigned peer, const struct nic_tx *message,
                         uint64_t most);

#endif
