/* See model/flow_send.h. */
#include "model/flow_send.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/critical_path.h"
#include "model/engine.h"
#include "model/flow_wire.h"
#include "nicemu/explain.h"
#include "profile/quantity.h"

static void *need(void *memory)
{
    if (!memory) {
        fputs("nicemu: no memory for packets of the model clock\n", stderr);
        abort();
    }
    return memory;
}

struct nic_flow_peer *nic_flow_peer_of(struct nic *n, unsigned rank)
{
    struct nic_flow *f = n->model->flow;
    struct nic_flow_peer *p = f->peer[rank];
    if (p)
        return p;
    f->peer[rank] = p = need(calloc(1, sizeof *p));
    p->last = &p->first;
    p->timer = NIC_NEVER;
    if (n->model->on_host)              /* that answers in its calls, however late these are */
        f->config.give_up = UINT64_MAX;
    nic_window_init(&p->window, &f->config, p->kept, 0);
    nic_incarnation_init(&p->incarnation, 1, !f->failed || !f->boots || f->boots->own == 1);
    return p;
}

void nic_flow_frame_free(struct nic *n, struct nic_flow_frame *f)
{
    n->model->flow->waiting--;
    nic_critical_path_drop(n, &f->way);
    free(f);
}

void nic_flow_acknowledged(struct nic *n, struct nic_flow_peer *p, uint32_t number, bool nack)
{
    uint32_t first, gone = nic_window_acked(&p->window, number, nack, n->model->clock.now, &first);
    for (; gone; gone--, first++) {
        nic_flow_frame_free(n, p->kept[first % NIC_FLOW_FRAMES]);
        p->kept[first % NIC_FLOW_FRAMES] = NULL;
    }
}

void nic_flow_acknowledge_short(struct nic *n, struct nic_flow_peer *p)
{
    struct nic_window *w = &p->window;
    while (n->model->flow->implicit && w->oldest != w->again) {
        const struct nic_flow_frame *f = p->kept[w->oldest % NIC_FLOW_FRAMES];
        if (!nic_flow_is_short(n, f->message.head_bytes + f->message.data_bytes))
            break;
        nic_flow_acknowledged(n, p, w->oldest + 1, false);
    }
}

static void set_timer(struct nic *n, unsigned rank, uint64_t time)
{
    struct nic_flow_peer *p = n->model->flow->peer[rank];
    if (time >= p->timer)
        return;
    p->timer = time;
    nic_model_event_at(n, NIC_EVENT_FLOW, time, &(struct nic_command){ .arg = rank });
}

static void send_frame(struct nic *n, unsigned rank, struct nic_flow_frame *f, uint32_t number)
{
    NIC_COUNT(n, wire_repeats, f->left);
    f->left = true;
    n->model->clock.from_host = f->from_host;
    struct nic_flow_mark mark = { .number = (uint16_t)number, .kind = NIC_FLOW_DATA };
    if (nic_flow_boots(n)) {
        const struct nic_flow_peer *p = n->model->flow->peer[rank];
        mark.from = n->model->flow->boots->own;
        mark.to = p->incarnation.meant;
        mark.place = (uint16_t)(number - p->window.oldest);
    }
    nic_flow_transmit(n, rank, &f->message, mark);
    nic_window_leaves(&n->model->flow->peer[rank]->window,
                      n->model->clock.free_at[NIC_RES_LINK]);
}

void nic_flow_pump(struct nic *n, unsigned rank, const struct nic_flow_frame *fresh)
{
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
    struct nic_window *w = &p->window;
    struct nic_flow_frame *f;
    uint32_t number;
    if (nic_flow_is_down(n->model->flow))
        return;
    while ((f = p->first) && nic_window_has_room(w)) {
        if (!(p->first = f->next))
            p->last = &p->first;
        nic_window_add(w, f);
    }
    while (n->model->clock.now >= p->not_before
           && (f = nic_window_pop(w, n->model->clock.now, &number))) {
        if (f != fresh)
            nic_critical_path_join(n, f->way, NIC_PART_WAIT);
        send_frame(n, rank, f, number);
        nic_flow_acknowledge_short(n, p);
    }
    if (w->again != w->next)
        set_timer(n, rank, p->not_before);
    else if (n->model->flow->faulty && w->deadline != NIC_WINDOW_NEVER)
        set_timer(n, rank, w->deadline);
}

static struct nic_flow_frame *frame_new(struct nic *n, const struct nic_tx *m)
{
    struct nic_flow_frame *f = need(malloc(sizeof *f + m->head_bytes + m->data_bytes
                                  + sizeof(struct nic_flow_mark)));
    *f = (struct nic_flow_frame){ .message = *m, .from_host = n->model->clock.from_host };
    if (m->head_bytes)
        memcpy(f->bytes, m->head, m->head_bytes);
    if (m->data_bytes)
        memcpy(f->bytes + m->head_bytes, m->data, m->data_bytes);
    f->message.head = f->bytes;
    f->message.data = f->bytes + m->head_bytes;
    return f;
}

void nic_flow_send(struct nic *n, unsigned rank, const struct nic_tx *m)
{
    struct nic_flow *flow = n->model->flow;
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
    struct nic_flow_frame *f = frame_new(n, m);
    n->model->clock.from_host = 0;
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_CHECK, 1);
    f->way = nic_critical_path_keep(n);
    flow->waiting++;
    if (p->gone) {
        nic_flow_frame_free(n, f);
        return;
    }
    *p->last = f;
    p->last = &f->next;
    nic_flow_pump(n, rank, f);
}

/* Its messages fail, and nobody here has a use for a job without one of its ranks. */
static void fail(struct nic *n, unsigned rank)
{
    static const struct nic_profile_key time = { .kind = NIC_KEY_TIME };
    char text[NIC_QUANTITY_TEXT];
    nic_profile_format(&time, n->model->flow->config.give_up, text);
    fprintf(stderr, "nicemu: rank %u has answered none of rank %u's packets for %s of virtual "
            "time: they fail\n", rank, n->rank, text);
    nic_job_set_abort(n->job, n->rank, 1);
    _exit(1);
}

void nic_flow_timer(struct nic *n, const struct nic_event *e)
{
    unsigned rank = e->command.arg;
    struct nic_flow_peer *p = n->model->flow->peer[rank];
    if (e->key.time == p->timer)
        p->timer = NIC_NEVER;
    if (n->model->flow->faulty && !nic_window_tick(&p->window, n->model->clock.now))
        fail(n, rank);
    nic_flow_pump(n, rank, NULL);
}

void nic_flow_forget(struct nic *n, unsigned rank)
{
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
    struct nic_window *w = &p->window;
    p->gone = true;
    for (struct nic_flow_frame *f; (f = p->first); nic_flow_frame_free(n, f))
        p->first = f->next;
    p->last = &p->first;
    for (uint32_t i = w->oldest; i != w->next; i++)
        nic_flow_frame_free(n, p->kept[i % NIC_FLOW_FRAMES]);
    w->oldest = w->again = w->sent = w->next;
    w->deadline = NIC_WINDOW_NEVER;
}
