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
/* As it is, with a key of its own. */
void nic_model_send_with_key(struct nic *nic, unsigned peer, const struct nic_tx *message,
                             const struct nic_event_key *key);
/* Before the clock is charged for what is sent; an event of
 * one's own; a packet that arrives at that time. */
void nic_model_begin_sending(struct nic *nic);
void nic_model_command_at(struct nic *nic, uint64_t time, const struct nic_command *command);
void nic_model_packet_at(struct nic *nic, unsigned peer, const struct nic_tx *message,
                         uint64_t time);

#endif
