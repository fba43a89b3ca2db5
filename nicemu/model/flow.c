/* See model/flow.h.  Owner of all of it: the baton. */
#include "model/flow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/engine.h"
#include "model/send.h"
#include "nicemu/explain.h"
#include "reliable/fault.h"
#include "reliable/streams.h"
#include "reliable/window.h"

enum {
    FRAMES = 1024,              /* under way to a peer: well below half of 16 bits */
    LATER = 3,                  /* latencies by which a packet that is moved comes too late */
};
#define UNHURRIED (UINT64_MAX / 4)      /* a wire that loses nothing needs no patience */

/* A packet, kept until the peer has acknowledged it; its head, its data, and room for the mark. */
struct frame {
    struct frame *next;         /* waits for room in the window */
    struct nic_tx message;
    uint64_t from_host;
    uint32_t way;               /* of a model clock that is explained */
    bool left;                  /* it has been on the wire */
    unsigned char bytes[];
};

struct peer {
    struct nic_window window;
    void *kept[FRAMES];
    struct frame *first, **last;        /* waiting */
    uint64_t not_before;        /* it has been refused: the next try */
    uint64_t timer;             /* the next event of it; NIC_NEVER: there is none */
    bool gone;                  /* it has left */
};

struct nic_flow {
    struct nic_window_config config;
    struct nic_streams streams;
    struct nic_fault fault;
    struct peer **peer;         /* by rank; NULL: no packet either way */
    bool faulty, implicit, leaving;
    unsigned owes;              /* rank + 1 that gets its answer when the handler has been */
    int taken;                  /* stream of the packet that is handled; -1: none */
    size_t waiting;             /* frames that nobody has acknowledged */
};

static const struct nic_profile *profile_of(const struct nic *n)
{
    return &n->model->governor->set.profile;
}

static bool is_short(const struct nic *n, uint32_t bytes)
{
    return bytes <= profile_of(n)->flow.short_bytes;
}

static void *need(void *memory)
{
    if (!memory) {
        fputs("nicemu: no memory for packets of the model clock\n", stderr);
        abort();
    }
    return memory;
}

static struct peer *peer_of(struct nic *n, unsigned rank)
{
    struct nic_flow *f = n->model->flow;
    struct peer *p = f->peer[rank];
    if (p)
        return p;
    f->peer[rank] = p = need(calloc(1, sizeof *p));
    p->last = &p->first;
    p->timer = NIC_NEVER;
    nic_window_init(&p->window, &f->config, p->kept, 0);
    return p;
}

/* -- on the wire */

static void put(struct nic *n, unsigned rank, const struct nic_tx *m, struct nic_event_key *key,
                uint64_t later)
{
    key->time += later;
    if (n->model->explain && later)
        nic_explain_delayed(n->model->explain, key->time);
    nic_model_send_with_key(n, rank, m, key);
}

/* The mark stands behind the data: `data_bytes` do not contain it yet. */
static void transmit(struct nic *n, unsigned rank, const struct nic_tx *message,
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

static void answer(struct nic *n, unsigned rank, struct nic_flow_mark mark)
{
    unsigned char data[sizeof mark];
    const struct nic_tx m = { .data = data };
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_ANSWER, 1);
    transmit(n, rank, &m, mark);
}

/* -- sending */

static void frame_free(struct nic *n, struct frame *f)
{
    n->model->flow->waiting--;
    nic_critical_path_drop(n, &f->way);
    free(f);
}

/* All in front of `number` have come. */
static void acknowledged(struct nic *n, struct peer *p, uint32_t number, bool nack)
{
    uint32_t first, gone = nic_window_acked(&p->window, number, nack, n->model->clock.now, &first);
    for (; gone; gone--, first++) {
        frame_free(n, p->kept[first % FRAMES]);
        p->kept[first % FRAMES] = NULL;
    }
}

/* What needs no stream and follows nothing that does will be there. */
static void acknowledge_short(struct nic *n, struct peer *p)
{
    struct nic_window *w = &p->window;
    while (n->model->flow->implicit && w->oldest != w->again) {
        const struct frame *f = p->kept[w->oldest % FRAMES];
        if (!is_short(n, f->message.head_bytes + f->message.data_bytes))
            break;
        acknowledged(n, p, w->oldest + 1, false);
    }
}

static void set_timer(struct nic *n, unsigned rank, uint64_t time)
{
    struct peer *p = n->model->flow->peer[rank];
    if (time >= p->timer)
        return;
    p->timer = time;
    nic_model_event_at(n, NIC_EVENT_FLOW, time, &(struct nic_command){ .arg = rank });
}

static void send_frame(struct nic *n, unsigned rank, struct frame *f, uint32_t number)
{
    NIC_COUNT(n, wire_repeats, f->left);
    f->left = true;
    n->model->clock.from_host = f->from_host;
    transmit(n, rank, &f->message,
             (struct nic_flow_mark){ .number = (uint16_t)number, .kind = NIC_FLOW_DATA });
}

/* All that may leave.  fresh: what the handler sends by itself, whose way is its own. */
static void pump(struct nic *n, unsigned rank, const struct frame *fresh)
{
    struct peer *p = peer_of(n, rank);
    struct nic_window *w = &p->window;
    struct frame *f;
    uint32_t number;
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
        acknowledge_short(n, p);
    }
    if (w->again != w->next)
        set_timer(n, rank, p->not_before);
    else if (n->model->flow->faulty && w->deadline != NIC_WINDOW_NEVER)
        set_timer(n, rank, w->deadline);
}

static struct frame *frame_new(struct nic *n, const struct nic_tx *m)
{
    struct frame *f = need(malloc(sizeof *f + m->head_bytes + m->data_bytes
                                  + sizeof(struct nic_flow_mark)));
    *f = (struct frame){ .message = *m, .from_host = n->model->clock.from_host };
    if (m->head_bytes)
        memcpy(f->bytes, m->head, m->head_bytes);
    if (m->data_bytes)
        memcpy(f->bytes + m->head_bytes, m->data, m->data_bytes);
    f->message.head = f->bytes;
    f->message.data = f->bytes + m->head_bytes;
    return f;
}

static void flow_send(struct nic *n, unsigned rank, const struct nic_tx *m)
{
    struct nic_flow *flow = n->model->flow;
    struct peer *p = peer_of(n, rank);
    struct frame *f = frame_new(n, m);
    n->model->clock.from_host = 0;
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_CHECK, 1);
    f->way = nic_critical_path_save(n);
    flow->waiting++;
    if (p->gone) {
        frame_free(n, f);
        return;
    }
    *p->last = f;
    p->last = &f->next;
    pump(n, rank, f);
}

static void flow_timer(struct nic *n, const struct nic_event *e)
{
    unsigned rank = e->command.arg;
    struct peer *p = n->model->flow->peer[rank];
    if (e->key.time == p->timer)
        p->timer = NIC_NEVER;
    if (n->model->flow->faulty)
        nic_window_tick(&p->window, n->model->clock.now);
    pump(n, rank, NULL);
}

/* -- receiving */

/* The number that these 16 bits mean, near to one that is known. */
static uint32_t near(uint32_t known, uint16_t bits)
{
    return known + (uint32_t)(int32_t)(int16_t)(bits - (uint16_t)known);
}

static void answered(struct nic *n, unsigned rank, const struct nic_flow_mark *mark)
{
    struct nic_clock *c = &n->model->clock;
    struct peer *p = peer_of(n, rank);
    uint32_t number = near(p->window.oldest, mark->number);
    nic_clock_charge_some(c, NIC_COST_FLOW_ANSWERED, 1);
    acknowledged(n, p, number, mark->kind == NIC_FLOW_NACK);
    acknowledge_short(n, p);
    const struct frame *f = p->window.again != p->window.next
                            ? p->kept[p->window.again % FRAMES] : NULL;
    if (f && mark->kind == NIC_FLOW_NACK && profile_of(n)->flow.backoff)
        p->not_before = c->now + mark->place * nic_clock_transfer(c, f->message.head_bytes
                                                                  + f->message.data_bytes);
    pump(n, rank, NULL);
}

static void forget(struct nic *n, unsigned rank)
{
    struct peer *p = peer_of(n, rank);
    struct nic_window *w = &p->window;
    p->gone = true;
    for (struct frame *f; (f = p->first); frame_free(n, f))
        p->first = f->next;
    p->last = &p->first;
    for (uint32_t i = w->oldest; i != w->next; i++)
        frame_free(n, p->kept[i % FRAMES]);
    w->oldest = w->again = w->sent = w->next;
    w->deadline = NIC_WINDOW_NEVER;
}

/* The acknowledgment or refusal that the window asks for. */
static void give_answer(struct nic *n, unsigned rank, uint32_t place)
{
    struct peer *p = peer_of(n, rank);
    bool nack;
    if (nic_window_answer(&p->window, n->model->clock.now) == NIC_WINDOW_NOTHING)
        return;
    uint32_t number = nic_window_answered(&p->window, &nack);
    if (!nack)
        nic_streams_accept(&n->model->flow->streams);
    answer(n, rank, (struct nic_flow_mark){ .number = (uint16_t)number, .place = (uint16_t)place,
                                            .kind = nack ? NIC_FLOW_NACK : NIC_FLOW_ACK });
}

/* False: the packet needs a stream, and there is none. */
static bool find_stream(struct nic *n, uint32_t bytes)
{
    struct nic_flow *flow = n->model->flow;
    if (!flow->streams.count || is_short(n, bytes))
        return true;
    flow->taken = nic_streams_take(&flow->streams, n->model->clock.now);
    n->stats.value[NIC_STAT_streams] = flow->streams.used;
    return flow->taken >= 0;
}

static bool data_arrived(struct nic *n, const struct nic_event *e)
{
    struct nic_flow *flow = n->model->flow;
    struct nic_window *w = &peer_of(n, e->key.source)->window;
    uint32_t number = near(w->expected, e->mark.number), place = 0;
    bool ours = false;
    if (e->mark.spoilt) {
        nic_window_refused(w, number);
    } else if (number == w->expected && !find_stream(n, e->length)) {
        nic_window_refused(w, number);
        place = nic_streams_refuse(&flow->streams);
        NIC_COUNT(n, streams_refused, 1);
    } else {
        ours = nic_window_arrived(w, number, n->model->clock.now) == NIC_WINDOW_NEXT;
    }
    if (ours && flow->implicit && is_short(n, e->length))
        nic_window_answered(w, &(bool){ false });
    else if (ours)
        flow->owes = e->key.source + 1;
    else
        give_answer(n, e->key.source, place);
    return ours;
}

static bool flow_accept(struct nic *n, const struct nic_event *e)
{
    n->model->flow->taken = -1;
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_CHECK, 1);
    switch (e->mark.kind) {
    case NIC_FLOW_ACK: case NIC_FLOW_NACK:
        if (!e->mark.spoilt)
            answered(n, e->key.source, &e->mark);
        return false;
    case NIC_FLOW_BYE:
        forget(n, e->key.source);
        return false;
    default:
        return data_arrived(n, e);
    }
}

static unsigned flow_keep_stream(struct nic *n)
{
    int taken = n->model->flow->taken;
    n->model->flow->taken = -1;
    return (unsigned)(taken + 1);
}

static void flow_release(struct nic *n, unsigned stream, uint64_t time)
{
    if (stream)
        nic_streams_release(&n->model->flow->streams, (int)stream - 1, time);
}

static void flow_processed(struct nic *n)
{
    struct nic_flow *flow = n->model->flow;
    unsigned rank = flow->owes;
    flow->owes = 0;
    if (rank)
        give_answer(n, rank - 1, 0);
    flow_release(n, flow_keep_stream(n), nic_clock_complete(&n->model->clock));
}

static const struct nic_flow_ops ops = {
    .send = flow_send, .accept = flow_accept, .processed = flow_processed, .timer = flow_timer,
    .keep_stream = flow_keep_stream, .release = flow_release,
};

/* -- life */

bool nic_flow_is_quiet(const struct nic *n)
{
    return !n->model->flow || !n->model->flow->waiting;
}

/* Past all that this rank has handled, sent and said; without faults, since nobody is left to try
 * again. */
void nic_flow_leave(struct nic *n)
{
    struct nic_model *m = n->model;
    struct nic_flow_mark mark = { .kind = NIC_FLOW_BYE };
    const struct nic_tx bye = { .data = &mark, .data_bytes = sizeof mark };
    if (!m->flow)
        return;
    m->clock.now = nic_time_later(*nic_model_host(m), m->clock.free_at[NIC_RES_LINK]);
    m->clock.now = nic_time_later(m->clock.now, m->clock.free_at[NIC_RES_PROCESSOR]);
    m->clock.now = nic_time_later(nic_time_later(m->clock.now, m->nic_free), m->handling);
    if (m->published != NIC_NEVER)
        m->clock.now = nic_time_later(m->clock.now, m->published);
    for (unsigned r = 0; r < n->ranks; r++)
        if (r != n->rank)
            nic_model_packet_at(n, r, &bye, m->clock.now + m->clock.cost[NIC_COST_HOP]);
}

static int read_faults(struct nic_flow *f, unsigned rank)
{
    const char *text = getenv("NICEMU_FAULT");
    char why[120];
    if (!text || !*text)
        return 0;
    if (nic_fault_parse(&f->fault, text, why, sizeof why)) {
        fprintf(stderr, "nicemu: NICEMU_FAULT: %s\n", why);
        return -EINVAL;
    }
    nic_fault_begin(&f->fault, rank);
    f->faulty = true;
    return 0;
}

int nic_flow_open(struct nic *n)
{
    const struct nic_profile *p = profile_of(n);
    struct nic_flow *f = calloc(1, sizeof *f);
    int rc = f ? read_faults(f, n->rank) : -ENOMEM;
    if (rc || (!f->faulty && !p->flow.streams)) {
        free(f);
        return rc;
    }
    uint64_t wait = f->faulty ? p->flow.patience : UNHURRIED;
    f->config = (struct nic_window_config){ .frames = FRAMES, .ack_every = 1, .wait = wait,
                                            .wait_most = f->faulty ? 8 * wait : wait,
                                            .give_up = UINT64_MAX, .each = true };
    f->implicit = p->flow.implicit && !f->faulty;
    f->taken = -1;
    f->peer = calloc(n->ranks, sizeof *f->peer);
    uint64_t *until = calloc(p->flow.streams + 1, sizeof *until);
    if (!f->peer || !until) {
        free(f->peer);
        free(until);
        free(f);
        return -ENOMEM;
    }
    nic_streams_init(&f->streams, (uint32_t)p->flow.streams, until);
    n->model->flow = f;
    n->model->flow_ops = &ops;
    return 0;
}

void nic_flow_close(struct nic *n)
{
    struct nic_flow *f = n->model->flow;
    if (!f)
        return;
    for (unsigned r = 0; r < n->ranks; r++)
        if (f->peer[r]) {
            forget(n, r);
            free(f->peer[r]);
        }
    free(f->peer);
    free(f->streams.until);
    free(f);
    n->model->flow = NULL;
}
