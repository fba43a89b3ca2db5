/* A NIC that forwards (protocol.offload = forward): the host runs the firmware, and its NIC's
 * processor moves packets, each of both at its own time.  A packet that the host sends crosses the
 * bus as a command, is taken in by the NIC, read from host memory and sent; one that arrives is
 * taken in, written to host memory, and the host told. */
#include <string.h>

#include "model/forward.h"
#include "model/inbox.h"

static const struct nic_profile *profile_of(const struct nic_model *m)
{
    return m->profile;
}

/* The other processor's turn: its time, and no bus before the engines. */
static void swap(struct nic_model *m)
{
    uint64_t *processor = &m->clock.free_at[NIC_RES_PROCESSOR], time = *processor;
    *processor = m->nic_free;
    m->nic_free = time;
    time = m->clock.to_engine;
    m->clock.to_engine = m->nic_to_engine;
    m->nic_to_engine = time;
}

void nic_forward_begin(struct nic_model *m)
{
    swap(m);
    if (m->explain)
        nic_explain_by_nic(m->explain, true);
}

void nic_forward_end(struct nic_model *m)
{
    swap(m);
    if (m->explain)
        nic_explain_by_nic(m->explain, false);
}

/* -- out */

/* The host writes the command, and short data with it. */
static void write_command(struct nic_model *m, uint32_t data)
{
    const struct nic_profile *p = profile_of(m);
    uint64_t bytes = p->bus.command_bytes + (data <= p->bus.pio_bytes ? data : 0);
    if (m->in_handler)
        nic_clock_charge(&m->clock, NIC_COST_PIO_BYTE, bytes);
    else
        nic_clock_charge_host(&m->clock, NIC_COST_PIO_BYTE, bytes);
}

void nic_forward_pack(struct nic_event *e, const struct nic_tx *message)
{
    e->type = message->type;
    e->flags = message->flags;
    e->match = message->match;
    e->length = message->head_bytes + message->data_bytes;
    if (message->head_bytes)
        memcpy(e->payload, message->head, message->head_bytes);
    if (message->data_bytes)
        memcpy(e->payload + message->head_bytes, message->data, message->data_bytes);
}

/* A list of ranks stands behind the data; the command has one. */
static void hand_over(struct nic *n, const struct nic_command *command,
                      const struct nic_tx *message, const uint16_t *ranks, unsigned count)
{
    struct nic_model *m = n->model;
    const uint32_t bytes = message->head_bytes + message->data_bytes;
    struct nic_event *e = nic_event_new(&m->events, bytes + count * (uint32_t)sizeof *ranks);
    write_command(m, message->data_bytes);
    uint64_t now = m->in_handler ? m->clock.now : *nic_model_host(m);
    m->last_forward = nic_time_later(m->last_forward, now + m->clock.to_engine);
    e->key = (struct nic_event_key){ .time = m->last_forward, .source = n->rank,
                                     .sequence = (uint32_t)m->clock.sequence++ };
    e->kind = NIC_EVENT_FORWARD_OUT;
    nic_forward_pack(e, message);
    e->command = *command;
    e->ranks = (uint16_t)count;
    if (count)
        memcpy(e->payload + bytes, ranks, count * sizeof *ranks);
    if (m->explain)
        e->way = nic_explain_event(m->explain, &e->key, m->clock.to_engine);
    nic_clock_tell(&m->clock, NIC_COST_DOORBELL, 1, m->clock.to_engine);
    m->forwarding++;
    nic_events_push(&m->events, e);
}

void nic_forward_send(struct nic *n, unsigned peer, const struct nic_tx *message)
{
    const struct nic_command command = { .op = message->head_bytes, .arg = peer };
    hand_over(n, &command, message, NULL, 0);
}

void nic_forward_send_to_many(struct nic *n, const uint16_t *ranks, unsigned count,
                              const struct nic_tx *message)
{
    const struct nic_command command = { .op = message->head_bytes };
    hand_over(n, &command, message, ranks, count);
}

/* The first copy is ready as the host has written it.  While the engine sends one the processor
 * makes the next: the engine waits for whichever takes longer. */
static void depart_to_each(struct nic *n, const struct nic_event *e, const struct nic_tx *message)
{
    struct nic_clock *c = &n->model->clock;
    const uint64_t from_host = c->from_host;
    for (unsigned i = 0; i < e->ranks; i++) {
        uint16_t rank;
        memcpy(&rank, e->payload + e->length + i * sizeof rank, sizeof rank);
        if (i)
            nic_clock_charge(c, NIC_COST_FORWARD_AGAIN, 1);
        c->from_host = i ? 0 : from_host;
        n->model_ops->depart(n, rank, message);
    }
}

void nic_forward_out(struct nic *n, const struct nic_event *e)
{
    struct nic_model *m = n->model;
    const struct nic_profile *p = profile_of(m);
    uint32_t head = e->command.op, data = e->length - head;
    struct nic_tx message = { .type = e->type, .flags = e->flags, .match = e->match,
                              .head_bytes = (uint8_t)head, .data_bytes = data,
                              .head = head ? e->payload : NULL,
                              .data = data ? e->payload + head : NULL };
    m->forwarding--;
    nic_clock_charge(&m->clock, NIC_COST_FORWARD_OUT, 1);
    if (!p->bus.pio_bytes || data > p->bus.pio_bytes)
        m->clock.from_host = p->protocol.header + e->length;
    if (e->ranks)
        depart_to_each(n, e, &message);
    else
        n->model_ops->depart(n, e->command.arg, &message);
}

/* -- in */

/* What the host hears of, when all that was landed and written is there. */
static struct nic_event *tell(struct nic *n, const struct nic_event *e, enum nic_event_kind kind,
                              uint32_t payload)
{
    struct nic_model *m = n->model;
    struct nic_clock *c = &m->clock;
    struct nic_event *told = nic_event_new(&m->events, payload);
    nic_clock_land(c);
    nic_clock_charge(c, NIC_COST_FORWARD_TELL, 1);
    told->key = e->key;
    told->key.time = nic_clock_complete(c) + m->to_host;
    told->kind = (uint8_t)kind;
    if (m->explain)
        told->way = nic_explain_event(m->explain, &told->key, m->to_host);
    nic_clock_tell(c, NIC_COST_CROSSING, 1, m->to_host);
    nic_events_push(&m->events, told);
    return told;
}

static bool is_announced(const struct nic *n, const struct nic_event *e)
{
    uint64_t most = profile_of(n->model)->completion.announce;
    return most && e->length > most && nic_model_data_of_host(n, e->type);
}

void nic_forward_in(struct nic *n, const struct nic_event *e)
{
    struct nic_model *m = n->model;
    struct nic_clock *c = &m->clock;
    uint64_t header = profile_of(m)->protocol.header, tail = nic_clock_stream(c, e->length);
    bool announced = is_announced(n, e);
    nic_clock_charge(c, NIC_COST_FORWARD_IN, 1);
    c->landing = announced ? 0 : e->length;
    c->to_host = announced ? header : header + e->length;
    c->tail = e->key.time + tail;
    struct nic_event *told = tell(n, e, NIC_EVENT_PACKET, e->length);
    told->type = e->type;
    told->flags = e->flags;
    told->match = e->match;
    told->announced = announced;
    told->tail = c->tail;
    if (announced && m->flow)
        told->stream = (uint16_t)m->flow_ops->keep_stream(n);
    memcpy(told->payload, e->payload, e->length);
}

/* -- in, twice */

void nic_forward_announced(struct nic *n, const struct nic_event *e)
{
    struct nic_model *m = n->model;
    struct nic_event *land = nic_event_new(&m->events, 0);
    land->kind = NIC_EVENT_FORWARD_LAND;
    land->key.source = e->key.source;
    land->match = e->length;
    land->tail = e->tail;
    land->stream = e->stream;
    m->landing = land;
    nic_inbox_deliver(n, e);
    m->landing = NULL;
    write_command(m, 0);
    m->last_forward = nic_time_later(m->last_forward, m->clock.now + m->clock.to_engine);
    land->key = (struct nic_event_key){ .time = m->last_forward, .source = n->rank,
                                        .sequence = (uint32_t)m->clock.sequence++ };
    if (m->explain)
        land->way = nic_explain_event(m->explain, &land->key, m->clock.to_engine);
    nic_clock_tell(&m->clock, NIC_COST_DOORBELL, 1, m->clock.to_engine);
    m->forwarding++;
    nic_events_push(&m->events, land);
}

void nic_forward_land(struct nic *n, const struct nic_event *e)
{
    struct nic_clock *c = &n->model->clock;
    n->model->forwarding--;
    nic_clock_charge(c, NIC_COST_FORWARD_OUT, 1);
    c->landing = c->to_host = e->match;
    c->tail = e->tail;
    struct nic_event *end = tell(n, e, NIC_EVENT_FORWARD_END, 0);
    end->command = e->command;
    if (e->stream)
        n->model->flow_ops->release(n, e->stream, nic_clock_complete(c));
}

void nic_forward_ended(struct nic *n, const struct nic_event *e)
{
    if (e->command.object)
        n->program->command(n, n->context, &e->command);
}
