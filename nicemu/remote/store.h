/* Remote stores and messages. */
#ifndef NIC_REMOTE_STORE_H
#define NIC_REMOTE_STORE_H

#include "core/nic.h"

/* Writes a word into the scratchpad of `rank`, in reach, and wakes
 * its host.  -EINVAL: bytes, place or alignment. */
int nic_word_store(struct nic *nic, uint32_t rank, uint64_t offset, uint64_t value, unsigned bytes);

/* Handlers. */
void nic_store_arrived(struct nic *nic, const struct nic_packet *packet);
void nic_write_arrived(struct nic *nic, const struct nic_packet *packet);
void nic_message_arrived(struct nic *nic, const struct nic_packet *packet);

#endif
