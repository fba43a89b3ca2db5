/* See model/node.h. */
#include "model/node.h"

#include "model/forward.h"

static const unsigned char shared[] = { NIC_RES_BUS, NIC_RES_PROCESSOR, NIC_RES_TX, NIC_RES_RX,
                                        NIC_RES_LINK };
enum { SHARED = sizeof shared };

void nic_node_open(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_nodes *nodes = &m->governor->node;
    const uint64_t cpus = m->governor->set.profile.node.cpus;
    const unsigned first = nic_node_first(nodes, n->rank);
    if (!nic_nodes_share(nodes))
        return;
    m->share = &nodes->share[first];
    if (cpus && cpus < nic_node_end(nodes, n->rank) - first) {
        m->cpu = &nodes->cpu[first];
        m->cpus = (unsigned)cpus;
    }
}

/* Where the host runs the handlers, the clock's processor is its own. */
static uint64_t *own_time(struct nic_model *m, unsigned resource)
{
    return m->forwards && resource == NIC_RES_PROCESSOR ? &m->nic_free
           : &m->clock.free_at[resource];
}

void nic_node_host_runs_handlers(struct nic_model *m)
{
    if (!m->share || m->forwards)
        return;
    m->nic_free = m->clock.free_at[NIC_RES_PROCESSOR];
    m->clock.free_at[NIC_RES_PROCESSOR] = 0;
}

void nic_node_take(struct nic *n)
{
    struct nic_model *m = n->model;
    if (likely(!m->share) || m->has_share)
        return;
    m->has_share = true;
    for (unsigned i = 0; i < SHARED; i++)
        *own_time(m, shared[i]) = m->share->free_at[shared[i]];
}

void nic_node_give(struct nic *n)
{
    struct nic_model *m = n->model;
    for (unsigned i = 0; i < SHARED && m->has_share; i++)
        m->share->free_at[shared[i]] = *own_time(m, shared[i]);
    m->has_share = false;
}

/* -- processors */

/* Its last one, if that is free then; else the one that is free first. */
static struct nic_node_cpu *choose(const struct nic *n, uint64_t time)
{
    const struct nic_model *m = n->model;
    struct nic_node_cpu *best = m->cpu;
    for (struct nic_node_cpu *c = m->cpu; c < m->cpu + m->cpus; c++) {
        if (c->last == n->rank + 1 && c->free_at <= time)
            return c;
        if (c->free_at < best->free_at)
            best = c;
    }
    return best;
}

static bool changes(const struct nic *n, const struct nic_node_cpu *c)
{
    return c->last && c->last != n->rank + 1;
}

void nic_node_get_processor(struct nic *n)
{
    struct nic_model *m = n->model;
    uint64_t *host = nic_model_host(m);
    if (likely(!m->cpu) || m->has_cpu || m->in_handler || m->over)
        return;
    nic_node_take(n);
    m->has_cpu = choose(n, *host);
    *host = nic_time_later(*host, m->has_cpu->free_at);
    if (changes(n, m->has_cpu))
        nic_clock_charge_host(&m->clock, NIC_COST_CHANGE, 1);
}

void nic_node_let_processor(struct nic *n, uint64_t until)
{
    struct nic_model *m = n->model;
    if (likely(!m->has_cpu) || m->in_handler)
        return;
    m->has_cpu->free_at = nic_time_later(*nic_model_host(m), until);
    m->has_cpu->last = n->rank + 1;
    m->has_cpu = NULL;
}

/* A host that computes, or is in a call, has its processor for its handlers too. */
uint64_t nic_node_begin_handler(struct nic *n, uint64_t time)
{
    struct nic_model *m = n->model;
    m->of_handler = NULL;
    if (likely(!m->cpu) || m->has_cpu || m->computing)
        return time;
    m->of_handler = choose(n, time);
    return nic_time_later(time, m->of_handler->free_at);
}

void nic_node_charge_handler(struct nic *n)
{
    struct nic_model *m = n->model;
    if (m->of_handler && changes(n, m->of_handler))
        nic_clock_charge(&m->clock, NIC_COST_CHANGE_HANDLER, 1);
}

void nic_node_end_handler(struct nic *n)
{
    struct nic_node_cpu *c = n->model->of_handler;
    if (likely(!c))
        return;
    c->free_at = n->model->clock.now;
    c->last = n->rank + 1;
    n->model->of_handler = NULL;
}

/* -- events */

/* So that it uses what is shared, if it does, when it runs.  What the host has just asked for is
 * done before it goes on. */
bool nic_node_puts_off(struct nic *n, struct nic_event *e, uint64_t until)
{
    struct nic_model *m = n->model;
    bool at_once = e->kind == NIC_EVENT_COMMAND || e->kind == NIC_EVENT_CALL;
    if (likely(!m->share) || at_once || until <= e->key.time)
        return false;
    if (m->explain)
        nic_explain_waited(m->explain, e->way, until);
    e->key.time = until;
    nic_events_push(&m->events, e);
    return true;
}

bool nic_node_sends(struct nic *n, unsigned peer, const struct nic_tx *message)
{
    struct nic_model *m = n->model;
    if (likely(!m->share) || m->in_handler || m->forwards || peer == n->rank)
        return false;
    const uint32_t bytes = message->head_bytes + message->data_bytes;
    struct nic_event *e = nic_event_new(&m->events, bytes);
    e->key = (struct nic_event_key){ .time = m->clock.now, .source = n->rank,
                                     .sequence = (uint32_t)m->clock.sequence++ };
    e->kind = NIC_EVENT_LEAVE;
    nic_forward_pack(e, message);
    e->command = (struct nic_command){ .op = message->head_bytes, .arg = peer };
    if (m->explain)
        e->way = nic_explain_event(m->explain, &e->key, 0);
    m->forwarding++;
    nic_events_push(&m->events, e);
    return true;
}

void nic_node_sent(struct nic *n, const struct nic_event *e)
{
    const uint32_t head = e->command.op, data = e->length - head;
    const struct nic_tx message = { .type = e->type, .flags = e->flags, .match = e->match,
                                    .head_bytes = (uint8_t)head, .data_bytes = data,
                                    .head = head ? e->payload : NULL,
                                    .data = data ? e->payload + head : NULL };
    n->model->forwarding--;
    n->model_ops->send(n, e->command.arg, &message);
}
