/* See model/flow_receive.h. */
#include "model/flow_receive.h"

#include "model/flow_send.h"
#include "model/flow_wire.h"

static void answer(struct nic *n, unsigned rank, struct nic_flow_mark mark)
{
    unsigned char data[sizeof mark];
    const struct nic_tx m = { .data = data };
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_ANSWER, 1);
    nic_flow_transmit(n, rank, &m, mark);
}

/* The number that these 16 bits mean, near to one that is known. */
static uint32_t near(uint32_t known, uint16_t bits)
{
    return known + (uint32_t)(int32_t)(int16_t)(bits - (uint16_t)known);
}

static void answered(struct nic *n, unsigned rank, const struct nic_flow_mark *mark)
{
    struct nic_clock *c = &n->model->clock;
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
    uint32_t number = near(p->window.oldest, mark->number);
    nic_clock_charge_some(c, NIC_COST_FLOW_ANSWERED, 1);
    nic_flow_acknowledged(n, p, number, mark->kind == NIC_FLOW_NACK);
    nic_flow_acknowledge_short(n, p);
    const struct nic_flow_frame *f = p->window.again != p->window.next
                            ? p->kept[p->window.again % NIC_FLOW_FRAMES] : NULL;
    if (f && mark->kind == NIC_FLOW_NACK && nic_flow_profile(n)->backoff)
        p->not_before = c->now + mark->place * nic_clock_transfer(c, f->message.head_bytes
                                                                  + f->message.data_bytes);
    nic_flow_pump(n, rank, NULL);
}

/* The acknowledgment or refusal that the window asks for. */
static void give_answer(struct nic *n, unsigned rank, uint32_t place)
{
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
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
    if (!flow->streams.count || nic_flow_is_short(n, bytes))
        return true;
    flow->taken = nic_streams_take(&flow->streams, n->model->clock.now);
    n->stats.value[NIC_STAT_streams] = flow->streams.used;
    return flow->taken >= 0;
}

static bool data_arrived(struct nic *n, const struct nic_event *e)
{
    struct nic_flow *flow = n->model->flow;
    struct nic_window *w = &nic_flow_peer_of(n, e->key.source)->window;
    uint32_t number = near(w->expected, e->mark.number), place = 0;
    bool ours = false;
    if (nic_flow_is_spoilt(e)) {
        nic_window_refused(w, number);
    } else if (number == w->expected && !find_stream(n, e->length)) {
        nic_window_refused(w, number);
        place = nic_streams_refuse(&flow->streams);
        NIC_COUNT(n, streams_refused, 1);
    } else {
        ours = nic_window_arrived(w, number, n->model->clock.now) == NIC_WINDOW_NEXT;
    }
    if (ours && flow->implicit && nic_flow_is_short(n, e->length))
        nic_window_answered(w, &(bool){ false });
    else if (ours)
        flow->owes = e->key.source + 1;
    else
        give_answer(n, e->key.source, place);
    return ours;
}

bool nic_flow_accept(struct nic *n, const struct nic_event *e)
{
    n->model->flow->taken = -1;
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_CHECK, 1);
    switch (e->mark.kind) {
    case NIC_FLOW_ACK: case NIC_FLOW_NACK:
        if (!nic_flow_is_spoilt(e))
            answered(n, e->key.source, &e->mark);
        return false;
    case NIC_FLOW_BYE:
        nic_flow_forget(n, e->key.source);
        return false;
    default:
        return data_arrived(n, e);
    }
}

unsigned nic_flow_keep_stream(struct nic *n)
{
    int taken = n->model->flow->taken;
    n->model->flow->taken = -1;
    return (unsigned)(taken + 1);
}

void nic_flow_release(struct nic *n, unsigned stream, uint64_t time)
{
    if (stream)
        nic_streams_release(&n->model->flow->streams, (int)stream - 1, time);
}

void nic_flow_processed(struct nic *n)
{
    struct nic_flow *flow = n->model->flow;
    unsigned rank = flow->owes;
    flow->owes = 0;
    if (rank)
        give_answer(n, rank - 1, 0);
    nic_flow_release(n, nic_flow_keep_stream(n), nic_clock_complete(&n->model->clock));
}
