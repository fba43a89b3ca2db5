/* The engine on the model clock: handles events, and when; see include/nicemu/model.h for what it
 * means and time/governor.h for when an event may be handled. */
#include "core/callers.h"
#include "core/step.h"
#include "model/engine.h"
#include "model/forward.h"
#include "model/inbox.h"
#include "model/interrupt.h"
#include "model/lists.h"
#include "model/node.h"
#include "model/promise.h"
#include "model/proxy_copy.h"
#include "model/tracer.h"

/* At the bell before a sleep: some 10 us, which a wake-up takes too; between cores that share their
 * ranks it takes twice as much. */
enum { LOOKS = 400, WATCH_LOOKS = 1000 };

/* -- own events */

struct nic_event *nic_model_bus_event_at(struct nic *n, enum nic_event_kind kind,
        uint64_t time, uint64_t crossing, const struct nic_command *command)
{
    struct nic_model *m = n->model;
    struct nic_event *e = nic_event_new(&m->events, 0);
    e->key = (struct nic_event_key){ .time = time, .source = n->rank,
                                     .sequence = (uint32_t)m->clock.sequence++ };
    e->kind = (uint8_t)kind;
    if (command)
        e->command = *command;
    if (m->explain)
        e->way = nic_explain_event(m->explain, &e->key, crossing);
    nic_clock_tell(&m->clock, kind == NIC_EVENT_LATER ? NIC_COST_CROSSING : NIC_COST_DOORBELL, 1,
                   crossing);
    nic_events_push(&m->events, e);
    return e;
}

struct nic_event *nic_model_event_at(struct nic *n, enum nic_event_kind kind, uint64_t time,
                                     const struct nic_command *command)
{
    return nic_model_bus_event_at(n, kind, time, 0, command);
}

static void advance_at(struct nic *n, uint64_t time)
{
    n->model->advance_due = true;
    nic_model_event_at(n, NIC_EVENT_ADVANCE, time, NULL);
}

void nic_model_activate(struct nic *n)
{
    struct nic_model *m = n->model;
    /* the end of a handler sees to what it does, and a unit to its messages */
    if (!m->in_handler && !m->advance_due && !m->unit_starts)
        advance_at(n, *nic_model_host(m));
}

/* -- handling */

/* Short data came with the header, and go to the host with its completion. */
static void expect_landing(struct nic *n, const struct nic_event *e)
{
    struct nic_model *m = n->model;
    bool of_host = m->moves_data && nic_model_data_of_host(n, e->type);
    if (of_host && e->length <= m->profile->bus.pio_bytes)
        return;
    m->clock.landing = e->length;
    m->clock.tail = e->key.time + nic_clock_stream(&m->clock, e->length);
    if (of_host)
        m->clock.to_host = e->length;
}

/* A word that a peer has stored, or what a unit brings: no processor takes it in. */
static bool is_stored(const struct nic_event *e)
{
    enum { STORED = NIC_PACKET_CARRIED | NIC_PACKET_STORED };
    return e->kind == NIC_EVENT_PACKET && (e->flags & STORED) == STORED;
}

/* From a unit to the next, or what it has brought. */
static void take_stored(struct nic *n, const struct nic_event *e)
{
    struct nic_model *m = n->model;
    if (e->type == NIC_ROUTED_PACKET) {
        if (n->model->routes)
            n->model->routes_ops->take(n, e);
        return;
    }
    if (e->type == NIC_PGAS_UNIT_PACKET) {
        if (m->unit)
            m->unit_ops->takes(n, e);
        return;
    }
    m->unit_serves = m->unit;
    nic_inbox_deliver(n, e);
    m->unit_serves = false;
}

/* There is something that goes on by turns: a unit needs none but for what waits for a buffer. */
static bool has_turns(const struct nic *n)
{
    return n->active > 0 || (n->pgas && (!n->model->unit || n->units->pending(n)));
}

/* True: it moved something, as far as that can be asked. */
static bool execute(struct nic *n, const struct nic_event *e)
{
    switch ((enum nic_event_kind)e->kind) {
    case NIC_EVENT_PACKET:
        if (e->mark.kind && !n->model->flow_ops->accept(n, e))
            break;
        if (!(e->flags & NIC_PACKET_CARRIED) && !n->model->forwards)
            expect_landing(n, e);
        if (is_stored(e))
            take_stored(n, e);
        else if (e->announced)
            nic_forward_announced(n, e);
        else
            nic_inbox_deliver(n, e);
        break;
    case NIC_EVENT_FORWARD_OUT: nic_forward_out(n, e); break;
    case NIC_EVENT_FORWARD_IN:
        if (!e->mark.kind || n->model->flow_ops->accept(n, e))
            nic_forward_in(n, e);
        break;
    case NIC_EVENT_FORWARD_LAND: nic_forward_land(n, e); break;
    case NIC_EVENT_FORWARD_END: nic_forward_ended(n, e); break;
    case NIC_EVENT_FLOW: n->model->flow_ops->timer(n, e); break;
    case NIC_EVENT_LEAVE: nic_node_sent(n, e); break;
    case NIC_EVENT_CALL: {
        struct nic_model_call *call = e->command.object;
        call->fn(call->argument);
        break;
    }
    case NIC_EVENT_ADVANCE:
        n->model->advance_due = false;
        return has_turns(n) && nic_engine_advance(n);
    default:
        n->program->command(n, n->context, &e->command);
    }
    return true;
}

static void note(struct nic *n, const struct nic_event *e, uint64_t start)
{
    struct nic_model *m = n->model;
    struct nic_log_record r = { .key = e->key, .rank = n->rank, .kind = e->kind, .start = start,
                                .end = m->clock.now, .charges = m->clock.hash,
                                    .host = *nic_model_host(m) };
    nic_log_add(&m->log, &r);
    if (m->clock.tracer)
        nic_trace_handled(m, e, start);
}

/* Nor the end of what works beside it. */
static bool is_off_processor(const struct nic_event *e)
{
    return e->kind == NIC_EVENT_LATER || e->kind == NIC_EVENT_LEAVE || is_stored(e);
}

/* Its handler runs on the host. */
static bool is_by_host(const struct nic_model *m, const struct nic_event *e)
{
    return m->on_host && !is_off_processor(e) && !(m->forwards && nic_is_forwarding(e));
}

static void charge_start(struct nic_model *m, const struct nic_event *e)
{
    bool packet = e->kind == NIC_EVENT_PACKET, ended = e->kind == NIC_EVENT_FORWARD_END;
    if (nic_model_is_interrupted(m, e))
        nic_clock_charge(&m->clock, NIC_COST_INTERRUPT, 1);
    if (ended || e->kind == NIC_EVENT_FLOW)
        return;
    nic_clock_charge(&m->clock, packet ? NIC_COST_DISPATCH : e->kind == NIC_EVENT_ADVANCE
                     ? NIC_COST_ADVANCE : NIC_COST_EXECUTE, 1);
}

/* When the processor begins: behind what it does, or if it does nothing when its loop has come
 * round, half a turn later. */
static uint64_t begin_at(const struct nic_model *m, const struct nic_event *e, uint64_t free,
                         bool of_nic)
{
    const struct nic_profile *p = m->profile;
    bool own = e->kind == NIC_EVENT_ADVANCE || e->kind == NIC_EVENT_TIMER
               || e->kind == NIC_EVENT_FLOW;
    if (own || free > e->key.time)
        return nic_time_later(free, e->key.time);
    return e->key.time + (of_nic ? p->nic.loop : p->host.loop) / 2;
}

/* What ends beside the processor does not take its time. */
static void handle(struct nic *n, struct nic_event *e)
{
    struct nic_model *m = n->model;
    struct nic_clock *c = &m->clock;
    bool off_processor = is_off_processor(e), forwards = m->forwards && nic_is_forwarding(e);
    bool of_nic = !m->on_host || forwards, by_host = is_by_host(m, e);
    uint64_t *processor = &c->free_at[of_nic ? NIC_RES_PROCESSOR : NIC_RES_HOST];
    nic_node_take(n);
    if (forwards)
        nic_forward_begin(m);
    uint64_t start = off_processor ? e->key.time : begin_at(m, e, *processor, of_nic);
    if (by_host)
        start = nic_node_begin_handler(n, start);
    m->in_handler = true;
    m->handling = e->key.time;
    c->now = start;
    c->dma_done = c->landing = c->to_host = c->from_host = c->tail = 0;
    if (m->clock.tracer)
        nic_trace_begin(m, e, off_processor);
    if (m->explain)
        nic_explain_begin(m->explain, e->way, e->key.time, start, off_processor);
    if (by_host)
        nic_node_charge_handler(n);
    if (!off_processor && !forwards)
        charge_start(m, e);
    bool moved = execute(n, e);
    nic_clock_land(c);
    if (m->flow)
        m->flow_ops->processed(n);
    if (e->kind == NIC_EVENT_CALL) {
        struct nic_model_call *call = e->command.object;
        call->end = c->now;
        call->done = true;
    }
    if (!off_processor) {
        if (!forwards)
            nic_timed_lists_update(n);
        *processor = c->now;
    }
    nic_node_end_handler(n);
    m->in_handler = false;
    if (m->explain)
        nic_explain_end(m->explain);
    if (forwards)
        nic_forward_end(m);
    note(n, e, start);
    if (!forwards && has_turns(n) && moved && !m->advance_due)
        advance_at(n, e->kind == NIC_EVENT_ADVANCE ? nic_clock_complete(c) : c->now);
    if (m->explain)
        nic_explain_over(m->explain);
    nic_event_free(&m->events, e);
}

/* While the host computes: one that interrupts it, or needs no host.  A handler that is interrupted
 * handles all that waits. */
static void handle_computing(struct nic *n, struct nic_event *e)
{
    struct nic_model *m = n->model;
    const uint64_t time = e->key.time;
    const bool interrupts = nic_model_is_for_host(e);
    if (nic_model_defer(m, e))
        return;
    handle(n, e);
    while (interrupts && (e = nic_model_take_deferred(m, time)))
        handle(n, e);
}

/* -- with the governor */

static void cross_to_host(struct nic_model *m, struct nic_event *e)
{
    e->key.time += m->to_host;
    nic_clock_tell(&m->clock, NIC_COST_CROSSING, 1, m->to_host);
    if (m->explain)
        nic_explain_crossed(m->explain, e->way, m->to_host);
}

/* A host that runs the handlers hears of one later than its NIC; nobody else knows of that time,
 * and for them ours is earlier than it is. */
void nic_model_arrives(struct nic *n, struct nic_event *e)
{
    bool carried = e->flags & NIC_PACKET_CARRIED;
    nic_inbox_take_mark(n, e);
    if (n->model->forwards && !carried)
        e->kind = NIC_EVENT_FORWARD_IN;
    else if (n->model->to_host && !(carried && e->flags & NIC_PACKET_STORED))
        cross_to_host(n->model, e);
    nic_model_promise_less(n->model, e);
    nic_events_push(&n->model->events, e);
}

/* The ring holds nothing but whole packets while we have the lock. */
void nic_model_collect(struct nic *n)
{
    struct nic_event *e;
    while ((e = nic_inbox_take(n)))
        nic_model_arrives(n, e);
}

/* Lock held.  `host`: what the host may still do first, NIC_NEVER while it waits for an event. */
static uint64_t publish(struct nic *n, uint64_t host)
{
    struct nic_model *m = n->model;
    nic_model_collect(n);
    m->published = nic_time_sooner(host, nic_events_least(&m->events));
    m->promised = nic_model_promise(n, host);
    nic_governor_set_promise(m->governor, n->rank, m->promised);
    if (unlikely(m->share != NULL)) {
        nic_node_give(n);
        nic_governor_set_at(m->governor, n->rank, m->published);
    }
    m->horizon = nic_governor_horizon(m->governor, n->rank);
    return m->published;
}

void nic_model_publish_bound(struct nic *n, uint64_t host)
{
    nic_governor_lock(n->model->governor);
    publish(n, host);
    nic_governor_wake_safe(n->model->governor);
    nic_governor_unlock(n->model->governor);
}

void nic_model_wait_until_safe(struct nic *n, uint64_t host)
{
    struct nic_governor *g = n->model->governor;
    uint32_t bell = 0;
    unsigned looks = n->oversubscribed ? 0 : LOOKS;
    nic_governor_lock(g);
    uint64_t next = publish(n, host);
    bool safe = next < n->model->horizon, asked = nic_proxy_copies_asked(n);
    if (!safe && !asked)        /* first, so that another one may have our core */
        bell = nic_governor_mark_asleep(g, n->rank, next);
    nic_governor_wake_safe(g);
    if (!safe && !asked && nic_governor_watch(g, n->rank))
        looks = WATCH_LOOKS;
    nic_governor_unlock(g);
    if (!safe)
        nic_log_flush(&n->model->log);
    if (asked)
        nic_proxy_copies_do(n);
    else if (!safe)
        nic_governor_sleep(g, n->rank, bell, looks);
}

static void say_what_for(struct nic *n, const struct nic_wait *w)
{
    char text[NIC_NOTE_BYTES] = "";
    nic_job_set_note(n->job, n->rank, w && w->note ? w->note(w->argument, text, sizeof text)
                     : text);
}

bool nic_model_handle_next(struct nic *n, uint64_t limit, const struct nic_wait *w)
{
    struct nic_model *m = n->model;
    for (bool idle = false;;) {
        uint64_t least = nic_events_least(&m->events), target = nic_time_sooner(least, limit);
        if (target < m->horizon) {
            if (unlikely(nic_proxy_copies_asked(n)))
                nic_proxy_copies_do(n);
            if (least > limit)
                return false;
            if (!m->governor->set.serial && target > m->published
                && (m->share || nic_governor_awaited(m->governor,
                                                     nic_time_add(target, m->pace.leave))))
                nic_model_publish_bound(n, limit);
            if (idle)
                nic_hosts_wake(n);
            idle = false;
            struct nic_event *e = nic_events_pop(&m->events);
            if (is_by_host(m, e) && nic_node_puts_off(n, e, *nic_model_host(m)))
                continue;
            if (unlikely(m->computing))
                handle_computing(n, e);
            else
                handle(n, e);
            return true;
        }
        if (target == NIC_NEVER && !idle) {
            say_what_for(n, w);
            nic_hosts_sleep(n);
            idle = true;
        }
        nic_model_wait_until_safe(n, limit);
    }
}
