/* Sending on the model clock: a packet carries its key, and is in the peer's ring before anybody
 * may go past its time. */
#include "model/engine.h"
#include "model/forward.h"
#include "model/host.h"
#include "model/inbox.h"
#include "model/node.h"
#include "model/promise.h"
#include "model/proxy_copy.h"
#include "model/send.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

static void send_to_self(struct nic *n, const struct nic_tx *m,
                         const struct nic_event_key *key)
{
    uint32_t bytes = m->head_bytes + m->data_bytes;
    struct nic_event *e = nic_event_new(&n->model->events, bytes);
    e->key = *key;
    e->kind = NIC_EVENT_PACKET;
    e->type = m->type;
    e->flags = m->flags;
    e->match = m->match;
    if (m->head_bytes)
        memcpy(e->payload, m->head, m->head_bytes);
    if (m->data_bytes)
        memcpy(e->payload + m->head_bytes, m->data, m->data_bytes);
    if (n->model->explain) {
        struct nic_critical_path way;
        nic_explain_packet(n->model->explain, key->sequence, &way);
        e->way = nic_explain_adopt(n->model->explain, &way);
    }
    nic_events_push(&n->model->events, e);
}

/* Lock held.  -ESRCH: the rank has gone. */
static int put(struct nic *n, unsigned peer, const struct nic_tx *message,
               const struct nic_event_key *key, uint32_t *done)
{
    struct nic_model *m = n->model;
    struct nic_governor *g = m->governor;
    bool carried = message->flags & NIC_PACKET_CARRIED;
    if (nic_governor_rank(g, peer)->state == NIC_GOVERNED_GONE)
        return -ESRCH;
    int rc = nic_inbox_put_part(n, peer, message, key, done);
    if (rc) {
        nic_governor_wake(g, peer);     /* to empty its ring */
        return rc;
    }
    nic_governor_expect(g, peer, key->time, carried);
    m->horizon = nic_governor_horizon_after_send(g, n->rank, peer, key->time, carried,
                                                 m->horizon);
    nic_governor_wake_safe(g);
    return 0;
}

/* A full ring takes real time only.  Its owner empties it when
 * it is in a call; ours we empty meanwhile. */
static bool send_to_peer(struct nic *n, unsigned peer, const struct nic_tx *m,
                         const struct nic_event_key *key)
{
    for (uint32_t done = 0;;) {
        nic_governor_lock(n->model->governor);
        int rc = put(n, peer, m, key, &done);
        if (rc && rc != -ESRCH)
            nic_model_collect(n);
        nic_governor_unlock(n->model->governor);
        if (!rc || rc == -ESRCH)
            return !rc;
        nic_proxy_copies_do(n);
        sched_yield();
    }
}

bool nic_model_try_send(struct nic *n, unsigned peer, const struct nic_tx *m,
                        const struct nic_event_key *key)
{
    nic_model_keep_promise(n, key->time);
    return send_to_peer(n, peer, m, key);
}

/* What is sent to a rank that has gone is lost. */
void nic_model_send_with_key(struct nic *n, unsigned peer, const struct nic_tx *m,
                             const struct nic_event_key *key)
{
    if (peer == n->rank) {
        send_to_self(n, m, key);
        return;
    }
    nic_model_try_send(n, peer, m, key);
}

void nic_model_send_over(struct nic *n, unsigned peer, const struct nic_tx *m,
                         const struct nic_event_key *key, uint64_t bytes)
{
    if (unlikely(n->model->routes != NULL) && peer != n->rank && !n->model->clock.loops)
        n->model->routes_ops->send(n, peer, m, key, bytes);
    else
        nic_model_send_with_key(n, peer, m, key);
}

/* The host may send too. */
void nic_model_begin_sending(struct nic *n)
{
    struct nic_model *m = n->model;
    if (m->in_handler)
        return;
    nic_model_charge_call(m);
    m->clock.now = nic_time_later(m->clock.now, *nic_model_host(m));
}

void nic_model_depart(struct nic *n, unsigned peer, const struct nic_tx *message)
{
    uint64_t bytes = (uint64_t)message->head_bytes + message->data_bytes;
    nic_node_aim(n, peer);
    if (n->model->flow && peer != n->rank) {
        n->model->flow_ops->send(n, peer, message);
        return;
    }
    struct nic_event_key key = nic_clock_depart(&n->model->clock, n->rank, bytes);
    nic_model_send_over(n, peer, message, &key, n->model->clock.header + bytes);
}

int nic_model_send(struct nic *n, unsigned peer, const struct nic_tx *message)
{
    struct nic_model *m = n->model;
    uint64_t bytes = (uint64_t)message->head_bytes + message->data_bytes;
    if (message->head_bytes > NIC_HEAD_BYTES - sizeof(struct nic_event_key)
        || bytes > NIC_MODEL_MESSAGE_MAX + NIC_HEAD_BYTES)
        return -EMSGSIZE;
    if (m->unit && m->unit_ops->send(n, peer, message))
        return 0;
    nic_model_begin_sending(n);
    if (nic_node_sends(n, peer, message))
        return 0;
    if (m->forwards && peer != n->rank) {
        nic_forward_send(n, peer, message);
        return 0;
    }
    if (m->moves_data && nic_model_data_of_host(n, message->type)
        && message->data_bytes > m->profile->bus.pio_bytes)
        m->clock.from_host = message->data_bytes;
    nic_model_depart(n, peer, message);
    return 0;
}

bool nic_model_send_to_many(struct nic *n, const uint16_t *ranks, unsigned count,
                            const struct nic_tx *message)
{
    if (!n->model->forwards)
        return false;
    nic_model_begin_sending(n);
    if (count)
        nic_forward_send_to_many(n, ranks, count, message);
    return true;
}

void nic_model_command_at(struct nic *n, uint64_t time, const struct nic_command *c)
{
    struct nic_event *e = nic_model_event_at(n, NIC_EVENT_LATER, time, c);
    if (n->model->explain)
        nic_explain_landed(n->model->explain, &e->way, time);
}

void nic_model_packet_at(struct nic *n, unsigned peer, const struct nic_tx *message,
                         uint64_t time, uint64_t bytes)
{
    const struct nic_event_key key = { .time = time, .source = n->rank,
                                       .sequence = (uint32_t)n->model->clock.sequence++ };
    if (n->model->explain)
        nic_explain_carried(n->model->explain, time);
    nic_model_send_over(n, peer, message, &key, bytes);
}
