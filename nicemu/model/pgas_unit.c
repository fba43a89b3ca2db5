/* The unit that executes command queues; see model/pgas_unit.h. */
#include "model/pgas_unit.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/engine.h"
#include "model/host.h"
#include "model/node.h"
#include "model/send.h"
#include "nicemu/pgas_queue.h"

/* Most that the message of a queue has: a head of the hardware's, data and what stands before. */
enum { MESSAGE_MOST = 1024, COPY_LINES = 4 };

enum stage { COMES_IN, GOES_OUT, SPACE };

/* Behind what a packet carries. */
struct trailer { uint16_t rank, target, data; uint8_t type, stage; uint64_t bytes; };
static_assert(sizeof(struct trailer) == 16, "what is sent has no rubbish in it");

struct nic_pgas_unit {
    /* of this rank: bytes of its queue, written, known to be free again, and free */
    uint64_t written, known, freed;
    uint64_t copied;            /* when the core's copy of data is out */
    uint64_t ready;             /* when what was written last is at the bus */
    uint64_t bytes, data;       /* of the message being started: of the queue, of data */
    unsigned first, ranks;      /* of the node */
    /* the first rank's, for the node: when bus and link are free */
    uint64_t bus_in, bus_out, link;
    uint64_t *consumed;         /* bytes of each rank's queue */
};

static unsigned first_of(const struct nic_pgas_unit *u, unsigned rank)
{
    return rank - rank % u->ranks;
}

/* -- the host's side */

static const char *note(void *argument, char *text, size_t size)
{
    (void)argument, (void)text, (void)size;
    return "room in a one-sided command queue";
}

/* The word of free space is read when what is known of it is used up. */
static void wait_for_space(struct nic *n, uint64_t bytes)
{
    struct nic_pgas_unit *u = n->model->unit;
    struct nic_wait w = { .note = note };
    if (u->written + bytes <= u->known + NIC_PGAS_BYTES)
        return;
    while (u->written + bytes > u->freed + NIC_PGAS_BYTES)
        nic_model_wait(n, &w);
    nic_clock_charge_host(&n->model->clock, NIC_COST_PGAS_SPACE, 1);
    u->known = u->freed;
}

/* A core composes a command while data of those before are still being copied: by so many lines. */
static void copy(struct nic_model *m, uint64_t data)
{
    struct nic_pgas_unit *u = m->unit;
    uint64_t *host = nic_model_host(m);
    uint64_t ahead = nic_clock_price(&m->clock, NIC_COST_PGAS_COPY_BYTE, COPY_LINES * 64);
    u->copied = nic_time_later(u->copied, *host)
                + nic_clock_price(&m->clock, NIC_COST_PGAS_COPY_BYTE, data);
    nic_clock_tell(&m->clock, NIC_COST_PGAS_COPY_BYTE, data,
                   nic_clock_price(&m->clock, NIC_COST_PGAS_COPY_BYTE, data));
    if (u->copied > ahead)
        *host = nic_time_later(*host, u->copied - ahead);
    u->ready = nic_time_later(*host, u->copied);
}

static void written(struct nic *n, unsigned commands, uint64_t data, uint64_t bytes)
{
    struct nic_model *m = n->model;
    nic_model_charge_call(m);
    wait_for_space(n, bytes);
    nic_clock_charge_host(&m->clock, NIC_COST_PGAS_ISSUE, commands);
    nic_clock_charge_host(&m->clock, NIC_COST_PGAS_WORD, (data + 3) / 4);
    copy(m, data);
    m->unit->written += bytes;
}

/* A handler that is called while the host starts a message does not start it. */
static void begin(struct nic *n, uint64_t bytes, uint64_t data)
{
    struct nic_pgas_unit *u = n->model->unit;
    n->model->unit_starts = 1 + n->model->in_handler;
    u->bytes = bytes;
    u->data = data;
}

/* What became no message has gone from the queue, and nobody else will tell of it. */
static void dropped(struct nic *n, uint64_t bytes) { n->model->unit->written -= bytes; }

static void end(struct nic *n)
{
    struct nic_pgas_unit *u = n->model->unit;
    n->model->unit_starts = 0;
    dropped(n, u->bytes);
    u->bytes = 0;
}

const struct nic_pgas_unit_ops nic_pgas_unit_ops = { .written = written, .begin = begin,
                                                     .end = end, .dropped = dropped };

/* -- on the way */

/* wire: so many bytes of it; 0: by the bus. */
static void pass(struct nic *n, unsigned peer, struct nic_tx *message,
                 const struct nic_event_key *from, uint64_t time, uint64_t wire)
{
    struct nic_model *m = n->model;
    struct nic_event_key key = *from;
    key.time = time;
    message->flags |= NIC_PACKET_CARRIED | NIC_PACKET_STORED;
    if (m->explain && !wire)
        nic_explain_by_bus(m->explain, time);
    if (m->explain)
        nic_explain_carried(m->explain, time);
    if (wire)
        nic_model_send_over(n, peer, message, &key, wire);
    else
        nic_model_send_with_key(n, peer, message, &key);
}

static void tell_latency(struct nic_model *m)
{
    nic_clock_tell(&m->clock, NIC_COST_PGAS_LATENCY, 1, m->profile->bus.latency);
}

static struct nic_event_key new_key(struct nic *n)
{
    return (struct nic_event_key){ .source = n->rank,
                                   .sequence = (uint32_t)n->model->clock.sequence++ };
}

/* To the first rank of the next node. */
static void pass_on(struct nic *n, unsigned peer, const struct nic_event *e,
                    const struct trailer *t, uint64_t time, uint64_t wire)
{
    unsigned char bytes[MESSAGE_MOST + sizeof *t];
    uint32_t length = e->length - sizeof *t;
    struct nic_tx next = { .type = NIC_PGAS_UNIT_PACKET, .flags = e->flags, .match = e->match,
                           .data = bytes, .data_bytes = length + sizeof *t };
    memcpy(bytes, e->payload, length);
    memcpy(bytes + length, t, sizeof *t);
    pass(n, peer, &next, &e->key, time, wire);
}

static void start(struct nic *n, unsigned peer, const struct nic_tx *message)
{
    struct nic_model *m = n->model;
    struct nic_pgas_unit *u = m->unit;
    unsigned char bytes[MESSAGE_MOST + sizeof(struct trailer)];
    struct trailer t = { .rank = (uint16_t)n->rank, .target = (uint16_t)peer, .bytes = u->bytes,
                         .data = (uint16_t)u->data, .type = message->type, .stage = COMES_IN };
    uint32_t length = message->head_bytes + message->data_bytes;
    struct nic_tx first = { .type = NIC_PGAS_UNIT_PACKET, .flags = message->flags,
                            .match = message->match, .data = bytes,
                            .data_bytes = length + sizeof t };
    struct nic_event_key key = new_key(n);
    if (message->head_bytes)
        memcpy(bytes, message->head, message->head_bytes);
    if (message->data_bytes)
        memcpy(bytes + message->head_bytes, message->data, message->data_bytes);
    memcpy(bytes + length, &t, sizeof t);
    /* The host may have gone on since it wrote, and has promised by its own time: a call, handlers
     * that it runs, a processor that it waits for. */
    if (!m->in_handler)
        m->clock.now = nic_time_later(u->ready, *nic_model_host(m));
    u->bytes = 0;
    tell_latency(m);
    pass(n, u->first, &first, &key, m->clock.now + m->profile->bus.latency, 0);
}

/* What has been asked for is there when the unit answers: over the wire. */
static void answer(struct nic *n, unsigned peer, const struct nic_tx *message)
{
    struct nic_clock *c = &n->model->clock;
    struct nic_tx reply = *message;
    struct nic_event_key key = new_key(n);
    const uint64_t bytes = n->model->profile->pgas.header + message->data_bytes;
    nic_clock_occupy(c, NIC_COST_PGAS_WIRE_BYTE, bytes, NULL);
    nic_node_aim(n, peer);
    pass(n, peer, &reply, &key, c->now + nic_clock_over(c), bytes);
}

static bool send(struct nic *n, unsigned peer, const struct nic_tx *message)
{
    struct nic_model *m = n->model;
    if (m->in_handler && m->unit_serves) {
        answer(n, peer, message);
        return true;
    }
    bool starts = m->unit_starts == 1u + m->in_handler
                  && (uint32_t)message->head_bytes + message->data_bytes <= MESSAGE_MOST;
    if (starts)
        start(n, peer, message);
    return starts;
}

/* -- the first rank of a node */

/* The word of free space, when another 512 bytes have been consumed; the rank sees it a crossing
 * later.  What comes from the wire and waits for that bus waits in the network, so that the word
 * has not to; but it takes its time there. */
static void tell_space(struct nic *n, const struct trailer *t, uint64_t before)
{
    struct nic_model *m = n->model;
    struct nic_pgas_unit *u = m->unit;
    const uint64_t consumed = u->consumed[t->rank - u->first], now = m->clock.now;
    if (before / NIC_PGAS_UPDATE_BYTES == consumed / NIC_PGAS_UPDATE_BYTES)
        return;
    struct trailer told = { .rank = t->rank, .target = t->rank, .stage = SPACE,
                            .bytes = consumed - consumed % NIC_PGAS_UPDATE_BYTES };
    struct nic_tx word = { .type = NIC_PGAS_UNIT_PACKET, .data = &told,
                           .data_bytes = sizeof told };
    struct nic_event_key key = new_key(n);
    /* the unit goes on meanwhile */
    const uint64_t takes = nic_clock_delay(&m->clock, NIC_COST_PGAS_UPDATE);
    u->bus_out = nic_time_later(u->bus_out, now) + takes;
    tell_latency(m);
    pass(n, t->rank, &word, &key, now + takes + m->profile->bus.latency, 0);
}

static void goes_out(struct nic *n, const struct nic_event *e, const struct trailer *t)
{
    struct nic_clock *c = &n->model->clock;
    struct nic_tx last = { .type = t->type, .match = e->match, .data = e->payload,
                           .flags = e->flags & NIC_PACKET_FLAGS,
                           .data_bytes = e->length - (uint32_t)sizeof *t };
    nic_clock_occupy(c, NIC_COST_PGAS_OUT_BYTE,
                     nic_clock_bus_bytes(c, t->data), &n->model->unit->bus_out);
    tell_latency(n->model);
    pass(n, t->target, &last, &e->key, c->now + n->model->profile->bus.latency, 0);
}

static void comes_in(struct nic *n, const struct nic_event *e, struct trailer *t)
{
    struct nic_model *m = n->model;
    struct nic_pgas_unit *u = m->unit;
    struct nic_clock *c = &m->clock;
    uint64_t *consumed = &u->consumed[t->rank - u->first], before = *consumed;
    nic_clock_occupy(c, NIC_COST_PGAS_BUS_BYTE, nic_clock_bus_bytes(c, t->bytes), &u->bus_in);
    *consumed += t->bytes;
    tell_space(n, t, before);
    nic_clock_occupy(c, NIC_COST_PGAS_COMMAND, 1, NULL);
    t->stage = GOES_OUT;
    if (first_of(u, t->target) == u->first) {
        goes_out(n, e, t);
        return;
    }
    if (u->link > c->now)       /* who waits for the link keeps what comes behind on the bus */
        u->bus_in += u->link - c->now;
    const uint64_t bytes = m->profile->pgas.header + t->data;
    nic_clock_occupy(c, NIC_COST_PGAS_WIRE_BYTE, bytes, &u->link);
    nic_node_aim(n, t->target);
    pass_on(n, first_of(u, t->target), e, t, c->now + nic_clock_over(c), bytes);
}

/* Nothing that comes is believed. */
static bool is_sound(const struct nic *n, const struct nic_event *e, const struct trailer *t)
{
    const struct nic_pgas_unit *u = n->model->unit;
    const uint32_t length = e->length - (uint32_t)sizeof *t;
    return t->stage <= SPACE && t->rank < n->ranks && t->target < n->ranks
           && length <= MESSAGE_MOST && t->data <= MESSAGE_MOST
           && (t->stage == SPACE ? t->target == n->rank
               : first_of(u, t->stage == COMES_IN ? t->rank : t->target) == n->rank);
}

static void takes(struct nic *n, const struct nic_event *e)
{
    struct trailer t;
    if (e->length < sizeof t)
        return;
    memcpy(&t, e->payload + e->length - sizeof t, sizeof t);
    if (!is_sound(n, e, &t))
        return;
    if (t.stage == COMES_IN)
        comes_in(n, e, &t);
    else if (t.stage == GOES_OUT)
        goes_out(n, e, &t);
    else
        n->model->unit->freed = t.bytes;
}

static const struct nic_model_unit_ops unit_ops = { .send = send, .takes = takes };

/* -- life */

int nic_pgas_unit_open(struct nic *n)
{
    const struct nic_profile *p = n->model->profile;
    if (!p->pgas.unit)
        return 0;
    struct nic_pgas_unit *u = calloc(1, sizeof *u);
    if (!u || !(u->consumed = calloc(p->pgas.ranks, sizeof *u->consumed))) {
        free(u);
        return -ENOMEM;
    }
    u->ranks = (unsigned)p->pgas.ranks;
    u->first = first_of(u, n->rank);
    n->model->unit = u;
    n->model->unit_ops = &unit_ops;
    return 0;
}

void nic_pgas_unit_close(struct nic *n)
{
    if (n->model->unit)
        free(n->model->unit->consumed);
    free(n->model->unit);
    n->model->unit = NULL;
}
