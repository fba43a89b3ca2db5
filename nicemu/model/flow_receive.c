/* See model/flow_receive.h. */
#include "model/flow_receive.h"

#include "model/flow_boot.h"
#include "model/flow_send.h"
#include "model/flow_wire.h"

static void answer(struct nic *n, unsigned rank, struct nic_flow_mark mark)
{
    unsigned char data[sizeof mark];
    const struct nic_tx m = { .data = data };
    if (nic_flow_boots(n))
        mark.from = n->model->flow->boots->own;
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_ANSWER, 1);
    nic_flow_transmit(n, rank, &m, mark);
}

/* -- answers of peers */

/* The peer's place in line says when to try again. */
static void wait_in_line(struct nic *n, struct nic_flow_peer *p, unsigned place)
{
    struct nic_clock *c = &n->model->clock;
    const struct nic_flow_frame *f = p->window.again != p->window.next
                            ? p->kept[p->window.again % NIC_FLOW_FRAMES] : NULL;
    if (f && nic_flow_profile(n)->backoff)
        p->not_before = c->now + place * nic_clock_transfer(c, f->message.head_bytes
                                                            + f->message.data_bytes);
}

/* The peer is booting.  Who has never been up is waited for by a program that cannot do without a
 * message. */
static void refused_by_boot(struct nic *n, unsigned rank, const struct nic_flow_mark *mark,
                            uint32_t number)
{
    struct nic_flow *flow = n->model->flow;
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
    if (!nic_incarnation_is_booting(&p->incarnation, flow->boots->own, mark->from, mark->to))
        return;
    if (mark->from || flow->failed) {
        nic_flow_fail(n, rank, number + 1);
        return;
    }
    nic_flow_acknowledged(n, p, p->window.oldest, true);
    p->not_before = n->model->clock.now + nic_flow_profile(n)->patience;
}

static void answered(struct nic *n, unsigned rank, const struct nic_flow_mark *mark)
{
    struct nic_flow *flow = n->model->flow;
    struct nic_flow_peer *p = nic_flow_peer_of(n, rank);
    uint32_t oldest = p->window.oldest, number = nic_number_near(oldest, mark->number);
    bool first = mark->kind == NIC_FLOW_FIRST || mark->kind == NIC_FLOW_FIRST_NACK;
    bool nack = mark->kind == NIC_FLOW_NACK || mark->kind == NIC_FLOW_FIRST_NACK;
    enum nic_incarnation_answer what = NIC_ANSWER_OURS;
    nic_clock_charge_some(&n->model->clock, NIC_COST_FLOW_ANSWERED, 1);
    if (mark->kind == NIC_FLOW_PREBOOT) {
        if (flow->boots)
            refused_by_boot(n, rank, mark, number);
        nic_flow_pump(n, rank, NULL);
        return;
    }
    if (flow->boots)
        what = nic_incarnation_answer(&p->incarnation, flow->boots->own, mark->from, mark->to,
                                      first);
    if (what == NIC_ANSWER_OTHERS)
        return;
    if (what == NIC_ANSWER_FIRST)
        nic_flow_fail(n, rank, nic_number_near(oldest, mark->place));
    nic_flow_acknowledged(n, p, number, nack);
    nic_flow_acknowledge_short(n, p);
    if (nack)
        wait_in_line(n, p, first ? 0 : mark->place);
    nic_flow_pump(n, rank, NULL);
}

/* -- packets */

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
    struct nic_flow_mark mark = { .number = (uint16_t)number, .place = (uint16_t)place,
                                  .kind = nack ? NIC_FLOW_NACK : NIC_FLOW_ACK };
    if (nic_flow_boots(n)) {
        mark.to = p->incarnation.its;
        if (p->incarnation.stale) {
            mark.kind = nack ? NIC_FLOW_FIRST_NACK : NIC_FLOW_FIRST;
            mark.place = (uint16_t)p->incarnation.first;
        }
    }
    answer(n, rank, mark);
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

/* Of NICs that boot: the packet goes further.  One that is booting itself refuses it. */
static bool is_for_us(struct nic *n, const struct nic_event *e)
{
    struct nic_flow_peer *p = nic_flow_peer_of(n, e->key.source);
    const struct nic_incarnation_frame frame = { e->mark.from, e->mark.to, e->mark.number,
                                                 e->mark.place };
    if (nic_flow_is_spoilt(e))
        return !nic_flow_is_down(n->model->flow);
    if (!nic_flow_is_down(n->model->flow))
        return nic_incarnation_frame(&p->incarnation, &p->window, n->model->flow->boots->own,
                                     &frame);
    answer(n, e->key.source, (struct nic_flow_mark){ .number = e->mark.number, .to = e->mark.from,
                                                     .kind = NIC_FLOW_PREBOOT });
    return false;
}

static bool data_arrived(struct nic *n, const struct nic_event *e)
{
    struct nic_flow *flow = n->model->flow;
    struct nic_window *w = &nic_flow_peer_of(n, e->key.source)->window;
    bool ours = false;
    if (flow->boots && !is_for_us(n, e))
        return false;
    uint32_t number = nic_number_near(w->expected, e->mark.number), place = 0;
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
    case NIC_FLOW_ACK: case NIC_FLOW_NACK: case NIC_FLOW_FIRST: case NIC_FLOW_FIRST_NACK:
    case NIC_FLOW_PREBOOT:
        if (!nic_flow_is_spoilt(e) && !nic_flow_is_down(n->model->flow))
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
