/* Hardware queues out of the writer's reach. */
#ifndef NIC_OFFLOAD_QUEUE_CREDIT_H
#define NIC_OFFLOAD_QUEUE_CREDIT_H

#include "offload/queues.h"

/* nic_queue_send, where the queue is out of reach. */
int nic_queue_send_packet(struct nic *nic, uint32_t rank, uint64_t queue,
                          const struct nic_words *message);

/* There is room again: for messages that are kept. */
void nic_queue_refill(struct nic *nic, struct nic_queue *queue);

/* The queue goes: writers of what is kept are told. */
void nic_queue_refuse_kept(struct nic *nic, struct nic_queue *queue);

/* nic_close: the scratchpad's areas go with it. */
void nic_queues_close(struct nic *nic);

/* Handlers. */
void nic_queue_arrived(struct nic *nic, const struct nic_packet *packet);
void nic_queue_replied(struct nic *nic, const struct nic_packet *packet);

#endif
