/* See model/flow_wire.h. */
#include "model/flow_wire.h"

#include <string.h>

#include "model/node.h"
#include "model/send.h"
#include "reliable/crc32.h"

enum { LATER = 3 };     /* latencies by which a packet that is moved comes too late */

static void put(struct nic *n, unsigned rank, const struct nic_tx *m, struct nic_event_key *key,
                uint64_t later)
{
    key->time += later;
    if (n->model->explain && later)
        nic_explain_delayed(n->model->explain, key->time);
    nic_model_send_over(n, rank, m, key, n->model->clock.header + m->head_bytes + m->data_bytes
                    - sizeof(struct nic_flow_mark));
}

/* -- end to end, where the wire may spoil packets */

static uint32_t checksum(const void *head, size_t head_bytes, const void *data, size_t data_bytes,
                         struct nic_flow_mark mark)
{
    mark.crc = 0;
    uint32_t crc = head_bytes ? nic_crc32(0, head, head_bytes) : 0;
    crc = data_bytes ? nic_crc32(crc, data, data_bytes) : crc;
    return nic_crc32(crc, &mark, sizeof mark);
}

bool nic_flow_is_spoilt(const struct nic_event *e)
{
    return e->mark.sealed && checksum(NULL, 0, e->payload, e->length, e->mark) != e->mark.crc;
}

/* A bit of it, which bit by its number; of an empty one in the checksum.  Once more: as it was. */
static void spoil(const struct nic_tx *message, struct nic_flow_mark *mark)
{
    const size_t bits = 8 * (size_t)message->data_bytes, at = mark->number * 2654435761u;
    unsigned char *byte = (unsigned char *)message->data;
    if (bits)
        byte[at % bits / 8] ^= (unsigned char)(1u << at % 8);
    else
        mark->crc ^= UINT32_C(1) << at % 32;
}

void nic_flow_transmit(struct nic *n, unsigned rank, const struct nic_tx *message,
                     struct nic_flow_mark mark)
{
    struct nic_model *m = n->model;
    bool happens[NIC_FAULT_COUNT] = { false };
    struct nic_tx marked = *message;
    nic_node_aim(n, rank);
    struct nic_event_key key = nic_clock_depart(&m->clock, n->rank,
                                                message->head_bytes + message->data_bytes);
    if (m->flow->faulty)
        nic_fault_draw(&m->flow->fault, happens);
    for (unsigned i = 0; i < NIC_FAULT_COUNT; i++)
        NIC_COUNT(n, wire_faults, happens[i]);
    if (m->flow->faulty) {
        mark.sealed = 1;
        mark.crc = checksum(message->head, message->head_bytes, message->data,
                            message->data_bytes, mark);
    }
    if (happens[NIC_FAULT_corrupt])
        spoil(message, &mark);
    memcpy((char *)message->data + message->data_bytes, &mark, sizeof mark);
    marked.data_bytes += sizeof mark;
    uint64_t latency = nic_clock_latency(&m->clock);
    if (!happens[NIC_FAULT_drop])
        put(n, rank, &marked, &key, happens[NIC_FAULT_reorder] ? LATER * latency : 0);
    if (!happens[NIC_FAULT_drop] && happens[NIC_FAULT_dup]) {
        key.sequence = (uint32_t)m->clock.sequence++;
        put(n, rank, &marked, &key, latency);
    }
    if (happens[NIC_FAULT_corrupt])     /* what is kept, to be sent again, is whole */
        spoil(message, &mark);
}

