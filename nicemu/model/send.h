/* Sending on the model clock. */
#ifndef NIC_MODEL_SEND_H
#define NIC_MODEL_SEND_H

#include "model/state.h"

int nic_model_send(struct nic *nic, unsigned peer, const struct nic_tx *message);
/* Copies that a NIC makes which forwards; false: ours does not. */
bool nic_model_send_to_many(struct nic *nic, const uint16_t *ranks, unsigned count,
                            const struct nic_tx *message);
/* From here on through the engine. */
void nic_model_depart(struct nic *nic, unsigned peer, const struct nic_tx *message);
/* As it is, with a key of its own, past the network's links. */
void nic_model_send_with_key(struct nic *nic, unsigned peer, const struct nic_tx *message,
                             const struct nic_event_key *key);
/* The same to another rank; false: it has left. */
bool nic_model_try_send(struct nic *nic, unsigned peer, const struct nic_tx *message,
                        const struct nic_event_key *key);
/* From here on by the network: so many bytes on the wire, there at the key's time if they wait for
 * nothing.  The clock has aimed at that rank (nic_node_aim). */
void nic_model_send_over(struct nic *nic, unsigned peer, const struct nic_tx *message,
                         const struct nic_event_key *key, uint64_t bytes);
/* Before the clock is charged for what is sent; an event of
 * one's own; a packet that arrives at that time. */
void nic_model_begin_sending(struct nic *nic);
void nic_model_command_at(struct nic *nic, uint64_t time, const struct nic_command *command);
/* A packet that does not leave by the engine is there at this time, with so many bytes on the
 * wire. */
void nic_model_packet_at(struct nic *nic, unsigned peer, const struct nic_tx *message,
                         uint64_t time, uint64_t bytes);

#endif
