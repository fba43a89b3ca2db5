/* The ring of a hardware queue. */
#ifndef NIC_OFFLOAD_QUEUE_RING_H
#define NIC_OFFLOAD_QUEUE_RING_H

#include "offload/queues.h"

struct nic_queue *nic_queue_own(const struct nic *nic, uint64_t offset);

/* A queue in somebody's scratchpad; its capacity is read once,
 * and the whole of it lies inside. NULL: none. */
struct nic_queue_header *nic_queue_at(struct nic *nic, uint32_t rank, uint64_t offset,
                                      uint32_t *capacity);

/* Puts a message in where the queue is in reach. 0, -EAGAIN, -EINVAL, -EPROTO. */
int nic_queue_put(struct nic *nic, uint32_t rank, uint64_t queue, const struct nic_words *message);

#endif
