/* A NIC that forwards packets between the wire and a host that does the rest. */
#ifndef NIC_MODEL_FORWARD_H
#define NIC_MODEL_FORWARD_H

#include "model/state.h"

/* A packet into an event, made with room for it, that sends it later. */
void nic_forward_pack(struct nic_event *event, const struct nic_tx *message);
/* In place of nic_model_send, to a peer. */
void nic_forward_send(struct nic *nic, unsigned peer, const struct nic_tx *message);
/* The same to many, at least one: it crosses the bus once, and is sent to one after the other. */
void nic_forward_send_to_many(struct nic *nic, const uint16_t *ranks, unsigned count,
                              const struct nic_tx *message);

/* Around the NIC's part of an event, which takes its processor and not the host's. */
static inline bool nic_is_forwarding(const struct nic_event *e)
{
    return e->kind == NIC_EVENT_FORWARD_OUT || e->kind == NIC_EVENT_FORWARD_IN
           || e->kind == NIC_EVENT_FORWARD_LAND || e->kind == NIC_EVENT_FLOW;
}
void nic_forward_begin(struct nic_model *model);
void nic_forward_end(struct nic_model *model);

/* That part: a packet of the host leaves; one for the host has come. */
void nic_forward_out(struct nic *nic, const struct nic_event *event);
void nic_forward_in(struct nic *nic, const struct nic_event *event);

/* Long messages, of which the host hears twice (completion.announce).  The host handles the first,
 * and says where the data go; the NIC lands them; the host hears of the end, and what the program
 * had completed meanwhile is complete. */
void nic_forward_announced(struct nic *nic, const struct nic_event *event);
void nic_forward_land(struct nic *nic, const struct nic_event *event);
void nic_forward_ended(struct nic *nic, const struct nic_event *event);

#endif
