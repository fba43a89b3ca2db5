/* Promises (model/promise.h): least times that must pass between an event and the arrival of any
 * packet because of it.
 *
 * A packet leaves a handler or the host at some time `now` of theirs, and arrives after what engine
 * and wire take for it at least (`leave`): whichever way it takes, none is shorter.  Where the NIC
 * runs the handlers an event is taken in by its processor, when that is free, and for a time that
 * the profile says; only what ends beside the processor may lead to a packet at once.  The host
 * goes on when something ends its wait, not before the event's time.  What it does then reaches
 * others by a command, if the program promises so (nic_promise): that crosses the bus and is taken
 * in by the processor like any event.
 *
 * Under flow control packets leave in other ways too (timers, answers, the last word of who
 * leaves), and so do they from a unit that ranks share: nothing but the governor's lookahead counts
 * then. */
#include "model/promise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_LOOKED_AT = 64 };

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* From `now` of a handler or the host, or the end of what the engine sends already, to the arrival
 * of what it sends: by a packet, by RDMA with counters, by a store. */
static uint64_t leaves_after(const struct nic_model *m)
{
    const bool loops = m->share && m->profile->node.loop;
    const uint64_t *cost = m->clock.cost;
    const uint64_t over = cost[NIC_COST_HOP]
                          + nic_network_least(&m->network) * cost[NIC_COST_ROUTER];
    const uint64_t hop = loops ? least(over, cost[NIC_COST_LOOP]) : over;
    uint64_t wire = loops ? 0 : nic_profile_bytes(cost[NIC_COST_WIRE_BYTE], m->clock.header);
    uint64_t packet = m->clock.cut_through ? 0 : most(cost[NIC_COST_SEND], wire);
    uint64_t rdma = cost[NIC_COST_RDMA_SETUP] + cost[NIC_COST_RDMA];
    uint64_t store = cost[NIC_COST_STORE_ISSUE] + cost[NIC_COST_STORE_WAY];
    return hop + (m->promises & NIC_SENDS_PACKETS ? packet : least(packet, least(rdma, store)));
}

void nic_model_reckon(struct nic *n)
{
    struct nic_model *m = n->model;
    const uint64_t *cost = m->clock.cost;
    struct nic_pace *p = &m->pace;
    *p = (struct nic_pace){ .leave = m->governor->set.lookahead };
    if (!m->flow && !m->unit && !m->routes) {
        p->leave = leaves_after(m);
        p->by_engine = m->promises & NIC_SENDS_PACKETS;
        p->by_nic = !m->on_host;
    }
    if (p->by_nic)
        p->command = cost[NIC_COST_COMMAND] + cost[NIC_COST_DOORBELL];
    p->by_command = p->by_nic && m->promises & NIC_SENDS_BY_COMMANDS;
    uint64_t taken_in = p->by_nic ? cost[NIC_COST_DISPATCH] : 0;
    uint64_t by_host = p->by_command ? p->command + cost[NIC_COST_EXECUTE] : 0;
    m->reaction[0] = (uint32_t)least(p->leave + least(taken_in, by_host), UINT32_MAX);
    m->reaction[1] = (uint32_t)least(p->leave, UINT32_MAX);
}

/* Something is sent at this time. */
static uint64_t after(const struct nic_model *m, uint64_t time)
{
    uint64_t engine = m->pace.by_engine ? m->clock.free_at[NIC_RES_TX] : 0;
    return nic_time_add(most(time, engine), m->pace.leave);
}

/* The processor takes something in that is there at this time. */
static uint64_t after_taken_in(const struct nic_model *m, uint64_t time, enum nic_cost cost)
{
    return after(m, nic_time_add(most(time, m->clock.free_at[NIC_RES_PROCESSOR]),
                                 m->clock.cost[cost]));
}

/* What the host does when it goes on at this time. */
static uint64_t after_host(const struct nic_model *m, uint64_t time)
{
    return m->pace.by_command
           ? after_taken_in(m, nic_time_add(time, m->pace.command), NIC_COST_EXECUTE)
           : after(m, time);
}

static uint64_t after_event(const struct nic_model *m, const struct nic_event_slot *s)
{
    const struct nic_event *e = s->event;
    uint64_t time = s->key.time, host = after_host(m, time);
    if (!m->pace.by_nic)
        return after(m, time);
    switch ((enum nic_event_kind)e->kind) {
    case NIC_EVENT_PACKET:
        return e->flags & NIC_PACKET_CARRIED ? after(m, time)
               : least(host, after_taken_in(m, time, NIC_COST_DISPATCH));
    case NIC_EVENT_COMMAND: case NIC_EVENT_CALL: case NIC_EVENT_TIMER:
        return least(host, after_taken_in(m, time, NIC_COST_EXECUTE));
    case NIC_EVENT_ADVANCE:
        return least(host, after_taken_in(m, time, NIC_COST_ADVANCE));
    case NIC_EVENT_LATER:
        if (e->told && m->pace.by_command)
            return host;
        /* fall through */
    default:
        return after(m, time);
    }
}

/* Of the heap below this slot, if less than `best`; children are no earlier than their parent. */
static uint64_t least_below(const struct nic_model *m, size_t at, uint64_t best, unsigned *looks)
{
    if (at >= m->events.count)
        return best;
    const struct nic_event_slot *s = &m->events.slot[at];
    uint64_t any = after(m, s->key.time);
    if (any >= best)
        return best;
    if (++*looks > EVENTS_LOOKED_AT)
        return any;
    best = least(best, after_event(m, s));
    best = least_below(m, 2 * at + 1, best, looks);
    return least_below(m, 2 * at + 2, best, looks);
}

uint64_t nic_model_promise(const struct nic *n, uint64_t host)
{
    const struct nic_model *m = n->model;
    unsigned looks = 0;
    if (m->governor->set.serial)
        return nic_time_sooner(host, nic_events_least(&m->events));
    return least_below(m, 0, host == NIC_NEVER ? NIC_NEVER : after_host(m, host), &looks);
}

void nic_promise(struct nic *n, unsigned what)
{
    struct nic_model *m = n->model;
    struct nic_governed_rank *own;
    if (!m || m->promises == what)
        return;
    m->promises = what;
    nic_model_reckon(n);
    own = nic_governor_rank(m->governor, n->rank);
    nic_governor_lock(m->governor);
    memcpy(own->reaction, m->reaction, sizeof own->reaction);
    nic_governor_unlock(m->governor);
}

void nic_model_promise_less(struct nic_model *m, const struct nic_event *e)
{
    bool carried = e->flags & NIC_PACKET_CARRIED;
    m->promised = least(m->promised, nic_time_add(e->key.time, m->reaction[carried]));
}

void nic_model_keep_promise(const struct nic *n, uint64_t arrival)
{
    const struct nic_model *m = n->model;
    if (likely(arrival >= m->promised) || m->governor->set.serial)
        return;
    fprintf(stderr, "nicemu: rank %u sends a packet that arrives at %llu ps, and had promised none "
            "before %llu ps\n", n->rank, (unsigned long long)arrival,
            (unsigned long long)m->promised);
    abort();
}
