/* See model/route.h. */
#include "model/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "model/engine.h"
#include "model/forward.h"
#include "model/inbox.h"
#include "model/send.h"

struct nic_routes {
    uint64_t ends;              /* behind the last */
    uint32_t nodes;             /* that have ranks */
    uint32_t routers;           /* 0: a crossbar, each node has a link out of it */
    uint64_t *written;          /* for each rank, since the last packet to it */
    uint64_t *free_at;          /* of each link of our routers; NULL: they are another rank's */
};

/* Behind the data of a packet on its way. */
struct trailer { uint64_t bytes; uint32_t router; uint16_t target; uint8_t type, flags; };

static unsigned owner_of(const struct nic_model *m, uint32_t router)
{
    return router % m->routes->nodes * m->network.of_node;
}

static uint64_t *links_of(const struct nic_routes *r, uint32_t router)
{
    return &r->free_at[router / r->nodes * NIC_NETWORK_LINKS];
}

/* -- one hop further */

static struct nic_event *copy_of(struct nic *n, const struct nic_event *e, uint64_t time)
{
    struct nic_event *c = nic_event_new(&n->model->events, e->length);
    c->key = e->key;
    c->key.time = time;
    c->kind = NIC_EVENT_PACKET;
    c->type = e->type;
    c->flags = e->flags;
    c->match = e->match;
    c->length = e->length;
    memcpy(c->payload, e->payload, e->length);
    return c;
}

static void keep_way(struct nic *n, struct nic_event *e)
{
    struct nic_critical_path way;
    if (!n->model->explain)
        return;
    nic_explain_packet(n->model->explain, e->key.sequence, &way);
    e->way = nic_explain_adopt(n->model->explain, &way);
}

/* Freed, or in the heap.  False: that rank has left. */
static bool hand_over(struct nic *n, unsigned rank, struct nic_event *e)
{
    struct nic_model *m = n->model;
    const struct nic_tx message = { .type = e->type, .flags = e->flags, .match = e->match,
                                    .data = e->payload, .data_bytes = e->length };
    if (rank == n->rank) {
        keep_way(n, e);
        if (e->type == NIC_ROUTED_PACKET)
            nic_events_push(&m->events, e);
        else
            nic_model_arrives(n, e);
        return true;
    }
    if (!nic_model_try_send(n, rank, &message, &e->key))
        return false;
    nic_event_free(&m->events, e);
    return true;
}

/* Out of the network.  A rank that has left does not miss it. */
static void deliver(struct nic *n, struct nic_event *e, const struct trailer *t)
{
    e->type = t->type;
    e->flags = t->flags;
    e->length -= (uint32_t)sizeof *t;
    e->key.time += n->model->routes->ends;
    if (!hand_over(n, t->target, e))
        nic_event_free(&n->model->events, e);
}

static void put_trailer(struct nic_event *e, const struct trailer *t)
{
    memcpy(e->payload + e->length - sizeof *t, t, sizeof *t);
}

static uint32_t next_router(const struct nic_model *m, const struct trailer *t, unsigned *link)
{
    const uint32_t to = nic_network_node(&m->network, t->target);
    *link = NIC_NETWORK_TO_NODE;
    return m->routes->routers ? nic_network_next(&m->network, t->router, to, link) : to;
}

/* From a router at the event's time, where nobody waits, to the next whose rank is there, or out of
 * the network. */
static void pass_on(struct nic *n, struct nic_event *e, struct trailer *t)
{
    struct nic_model *m = n->model;
    for (;;) {
        unsigned link;
        t->router = next_router(m, t, &link);
        if (link == NIC_NETWORK_TO_NODE) {
            if (m->explain)
                nic_explain_passed(m->explain, 0, e->key.time + m->routes->ends);
            deliver(n, e, t);
            return;
        }
        e->key.time += m->clock.cost[NIC_COST_ROUTER];
        if (m->explain)
            nic_explain_passed(m->explain, 0, e->key.time);
        put_trailer(e, t);
        if (hand_over(n, owner_of(m, t->router), e))
            return;
    }
}

/* -- at a router */

/* The link is taken from the head of the packet on, whose time that of the event is where packets
 * are cut through, else that of its last byte.  Returns how long it waits. */
static uint64_t take_link(struct nic_model *m, uint64_t *free_at, uint64_t time, uint64_t bytes)
{
    uint64_t wire = nic_clock_price(&m->clock, NIC_COST_WIRE_BYTE, bytes);
    uint64_t head = m->clock.cut_through ? time : time - (wire < time ? wire : time);
    uint64_t begin = nic_time_later(head, *free_at);
    *free_at = begin + wire;
    return begin - head;
}

/* Nothing that comes is believed. */
static bool is_sound(const struct nic *n, const struct trailer *t)
{
    const struct nic_model *m = n->model;
    const struct nic_routes *r = m->routes;
    return t->target < n->ranks && t->type != NIC_ROUTED_PACKET
           && t->router < (r->routers ? r->routers : r->nodes)
           && owner_of(m, t->router) == n->rank && r->free_at;
}

static void take(struct nic *n, const struct nic_event *e)
{
    struct nic_model *m = n->model;
    struct trailer t;
    unsigned link;
    if (!m->routes || e->length < sizeof t)
        return;
    memcpy(&t, e->payload + e->length - sizeof t, sizeof t);
    if (!is_sound(n, &t))
        return;
    next_router(m, &t, &link);
    uint64_t waits = take_link(m, &links_of(m->routes, t.router)[link], e->key.time, t.bytes);
    if (m->explain) {
        nic_explain_at_router(m->explain, 0);
        nic_explain_passed(m->explain, e->key.time + waits, 0);
    }
    pass_on(n, copy_of(n, e, e->key.time + waits), &t);
}

/* -- the ends */

/* The key says when it would be there if no link were taken; the clock has aimed at that rank. */
static void send(struct nic *n, unsigned peer, const struct nic_tx *message,
                 const struct nic_event_key *key, uint64_t bytes)
{
    struct nic_model *m = n->model;
    struct nic_routes *r = m->routes;
    struct trailer t = { .bytes = bytes + r->written[peer], .target = (uint16_t)peer,
                         .type = message->type, .flags = message->flags,
                         .router = nic_network_node(&m->network, r->routers ? n->rank : peer) };
    struct nic_event *e = nic_event_new(&m->events, message->head_bytes + message->data_bytes
                                        + (uint32_t)sizeof t);
    r->written[peer] = 0;
    nic_forward_pack(e, message);
    e->length += (uint32_t)sizeof t;
    e->key = *key;
    e->key.time -= r->ends + m->clock.hops * m->clock.cost[NIC_COST_ROUTER];
    e->kind = NIC_EVENT_PACKET;
    e->type = NIC_ROUTED_PACKET;
    e->flags = NIC_PACKET_CARRIED | NIC_PACKET_STORED;
    if (m->explain)
        nic_explain_only(m->explain, e->key.time);
    put_trailer(e, &t);
    if (!hand_over(n, owner_of(m, t.router), e))
        pass_on(n, e, &t);
}

static const struct nic_routes_ops ops = { .send = send, .take = take };

void nic_routes_has_written(struct nic *n, unsigned peer, uint64_t bytes)
{
    if (unlikely(n->model->routes != NULL) && peer < n->ranks)
        n->model->routes->written[peer] += bytes;
}

static struct nic_event *pop_routed(struct nic_model *m)
{
    while (m->events.count) {
        struct nic_event *e = nic_events_pop(&m->events);
        if (e->kind == NIC_EVENT_PACKET && e->type == NIC_ROUTED_PACKET)
            return e;
        nic_event_free(&m->events, e);
    }
    return NULL;
}

bool nic_routes_pass_on_rest(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_event *e = m->routes ? pop_routed(m) : NULL;
    struct trailer t;
    if (!e)
        return false;
    if (e->length >= sizeof t)
        memcpy(&t, e->payload + e->length - sizeof t, sizeof t);
    if (e->length < sizeof t || !is_sound(n, &t)) {
        nic_event_free(&m->events, e);
        return true;
    }
    if (m->explain)
        nic_explain_at_router(m->explain, e->way);
    pass_on(n, e, &t);
    return true;
}

int nic_routes_open(struct nic *n)
{
    struct nic_model *m = n->model;
    const struct nic_governor_settings *set = &m->governor->set;
    const struct nic_network *w = &m->network;
    if (set->profile.link.contention != NIC_CONTENTION_SHARED)
        return 0;
    struct nic_routes *r = calloc(1, sizeof *r);
    if (!r)
        return -ENOMEM;
    r->ends = w->of_node > 1 ? set->least_latency - set->least_latency / 2 : 0;
    r->nodes = nic_network_node(w, n->ranks - 1) + 1;
    r->routers = nic_network_routers(w);
    r->written = calloc(n->ranks, sizeof *r->written);
    m->routes = r;
    m->routes_ops = &ops;
    if (r->written && n->rank % w->of_node)
        return 0;
    const size_t own = (r->routers ? r->routers + r->nodes - 1 : r->nodes) / r->nodes;
    r->free_at = calloc(own * NIC_NETWORK_LINKS, sizeof *r->free_at);
    if (r->written && r->free_at)
        return 0;
    nic_routes_close(n);
    return -ENOMEM;
}

void nic_routes_close(struct nic *n)
{
    struct nic_routes *r = n->model->routes;
    if (r) {
        free(r->written);
        free(r->free_at);
    }
    free(r);
    n->model->routes = NULL;
}
