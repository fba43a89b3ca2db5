/* See model/flow_wire.h. */
#include "model/flow_wire.h"

#include <string.h>

#include "model/send.h"

enum { LATER = 3 };     /* latencies by which a packet that is moved comes too late */

static void put(struct nic *n, unsigned rank, const struct nic_tx *m, struct nic_event_key *key,
                uint64_t later)
{
    key->time += later;
    if (n->model->explain && later)
        nic_explain_delayed(n->model->explain, key->time);
    nic_model_send_with_key(n, rank, m, key);
}

void nic_flow_transmit(struct nic *n, unsigned rank, const struct nic_tx *message,
                     struct nic_flow_mark mark)
{
    struct nic_model *m = n->model;
    bool happens[NIC_FAULT_COUNT] = { false };
    struct nic_tx marked = *message;
    struct nic_event_key key = nic_clock_depart(&m->clock, n->rank,
                                                message->head_bytes + message->data_bytes);
    if (m->flow->faulty)
        nic_fault_draw(&m->flow->fault, happens);
    for (unsigned i = 0; i < NIC_FAULT_COUNT; i++)
        NIC_COUNT(n, wire_faults, happens[i]);
    mark.spoilt = happens[NIC_FAULT_corrupt];
    memcpy((char *)message->data + message->data_bytes, &mark, sizeof mark);
    marked.data_bytes += sizeof mark;
    if (happens[NIC_FAULT_drop])
        return;
    uint64_t latency = m->clock.cost[NIC_COST_HOP];
    put(n, rank, &marked, &key, happens[NIC_FAULT_reorder] ? LATER * latency : 0);
    if (happens[NIC_FAULT_dup]) {
        key.sequence = (uint32_t)m->clock.sequence++;
        put(n, rank, &marked, &key, latency);
    }
}

