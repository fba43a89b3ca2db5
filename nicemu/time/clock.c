/* Arithmetic of the model clock: resources that are busy until a time, events that carry one. */
#include "time/clock.h"
#include "nicemu/profile.h"
#include "nicemu/trace.h"

#define NIC_COST_NAME(name, resource) #name,
#define NIC_COST_RESOURCE(name, resource) NIC_RES_##resource,

static const char *const names[] = { NIC_COSTS(NIC_COST_NAME) };
static const unsigned char resources[] = { NIC_COSTS(NIC_COST_RESOURCE) };

const char *nic_cost_name(enum nic_cost cost)
{
    return cost < NIC_COST_COUNT ? names[cost] : "?";
}

unsigned nic_cost_unit(enum nic_cost cost) { return resources[cost]; }

/* Fast links take less than a picosecond per byte: see nic_profile_bytes. */
static const bool per_byte[NIC_COST_COUNT] = {
    [NIC_COST_SEND_BYTE] = true, [NIC_COST_RECEIVE_BYTE] = true, [NIC_COST_RDMA_BYTE] = true,
    [NIC_COST_RDMA_SHORT] = true, [NIC_COST_WIRE_BYTE] = true, [NIC_COST_COPY_BYTE] = true,
    [NIC_COST_PACK_BYTE] = true, [NIC_COST_PIO_BYTE] = true, [NIC_COST_BUS_READ_BYTE] = true,
    [NIC_COST_BUS_WRITE_BYTE] = true, [NIC_COST_PGAS_COPY_BYTE] = true,
    [NIC_COST_PGAS_BUS_BYTE] = true, [NIC_COST_PGAS_WIRE_BYTE] = true,
    [NIC_COST_PGAS_OUT_BYTE] = true, [NIC_COST_BUFFER_BYTE] = true,
};

bool nic_cost_is_rate(enum nic_cost cost) { return per_byte[cost]; }

static uint64_t price(const struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    return per_byte[cost] ? nic_profile_bytes(c->cost[cost], units) : c->cost[cost] * units;
}

static bool is_dma_engine(unsigned resource)
{
    return resource == NIC_RES_TX || resource == NIC_RES_RX;
}

void nic_clock_tell(struct nic_clock *c, enum nic_cost cost, uint64_t units, uint64_t time)
{
    if (!c->explain || !time)
        return;
    c->took[cost].units += units;
    c->took[cost].time += time;
}

static void note(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    if (c->explain)
        nic_clock_tell(c, cost, units, price(c, cost, units));
    c->charged[cost] += units;
    c->hash = nic_clock_mix(c->hash, (uint64_t)cost << 56 ^ units);
}

/* -- for who draws */

static void trace_work(const struct nic_clock *c, unsigned cost, unsigned unit, uint64_t start,
                       uint64_t end)
{
    struct nic_trace_event e = { .kind = NIC_TRACE_WORK, .what = cost, .unit = unit,
                                 .begin = start, .end = end };
    if (!c->tracer || end <= start)
        return;
    if (unit == NIC_RES_PROCESSOR)
        e.unit = c->tracer->processor;
    c->tracer->event(c->tracer->context, &e);
}

/* key: of the packet, NULL for what RDMA moves. */
static void trace_wire(const struct nic_clock *c, const struct nic_departure *d, uint64_t bytes,
                       const struct nic_event_key *key)
{
    struct nic_trace_event e = { .kind = key ? NIC_TRACE_PACKET : NIC_TRACE_MOVE,
                                 .unit = NIC_RES_LINK, .begin = d->wire_begin, .end = d->left,
                                 .bytes = bytes };
    if (!c->tracer)
        return;
    e.source = key ? key->source : 0;
    e.sequence = key ? key->sequence : 0;
    c->tracer->event(c->tracer->context, &e);
}

/* Returns when it ends, which `free_at` says from then on. */
static uint64_t work(struct nic_clock *c, enum nic_cost cost, uint64_t units, uint64_t *free_at)
{
    uint64_t start = *free_at > c->now ? *free_at : c->now;
    *free_at = start + price(c, cost, units);
    note(c, cost, units);
    trace_work(c, cost, resources[cost], start, *free_at);
    if (c->explain)
        c->observer->charge(c->explain,
                            &(struct nic_charge){ .cost = cost, .resource = resources[cost],
                                                              .dma_engine =
                                                                  is_dma_engine(resources[cost]),
                                                                  .units = units,
                                                              .start = start, .end = *free_at });
    return *free_at;
}

void nic_clock_charge(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    uint64_t end = work(c, cost, units, &c->free_at[resources[cost]]);
    if (!is_dma_engine(resources[cost]))
        c->now = end;
    else if (end > c->dma_done)
        c->dma_done = end;
}

void nic_clock_occupy(struct nic_clock *c, enum nic_cost cost, uint64_t units, uint64_t *free_at)
{
    uint64_t always = 0;
    c->now = work(c, cost, units, free_at ? free_at : &always);
}

uint64_t nic_clock_price(const struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    return price(c, cost, units);
}

void nic_clock_charge_some(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    if (c->cost[cost])
        nic_clock_charge(c, cost, units);
}

void nic_clock_charge_host(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    uint64_t takes = price(c, cost, units);
    c->free_at[NIC_RES_HOST] += takes;
    note(c, cost, units);
    trace_work(c, cost, NIC_RES_HOST, c->free_at[NIC_RES_HOST] - takes, c->free_at[NIC_RES_HOST]);
    if (c->explain)
        c->observer->host_charge(c->explain, cost, takes);
}

static uint64_t lines(uint64_t bytes, uint64_t line) { return (bytes + line - 1) / line; }

/* What crosses the bus for so many bytes of data. */
static uint64_t crossing_bytes(const struct nic_clock *c, uint64_t bytes)
{
    return bytes + lines(bytes, c->bus_line) * c->bus_overhead;
}

uint64_t nic_clock_bus_bytes(const struct nic_clock *c, uint64_t bytes)
{
    return (bytes * (c->bus_line + c->bus_overhead) + c->bus_line - 1) / c->bus_line;
}

void nic_clock_land(struct nic_clock *c)
{
    uint64_t bytes = c->landing, over_bus = c->to_host;
    c->landing = c->to_host = 0;
    if (bytes) {
        nic_clock_charge(c, NIC_COST_RECEIVE, 1);
        nic_clock_charge(c, NIC_COST_RECEIVE_BYTE, bytes);
        nic_clock_charge(c, NIC_COST_RECEIVE_LINE, lines(bytes, c->rx_line));
    }
    if (over_bus) {
        nic_clock_charge(c, NIC_COST_BUS_WRITE, 1);
        nic_clock_charge(c, NIC_COST_BUS_WRITE_BYTE, crossing_bytes(c, over_bus));
    }
    if (bytes && c->tail > c->dma_done) {
        c->dma_done = c->tail;
        if (c->explain)
            c->observer->tail(c->explain, c->tail);
    }
}

static uint64_t later_of(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* What the processor says now reaches the engine that sends: when that begins with it. */
static uint64_t begin_sending(struct nic_clock *c)
{
    uint64_t *engine = &c->free_at[NIC_RES_TX];
    *engine = later_of(*engine, c->now + c->to_engine);
    if (c->explain)
        c->observer->depart_begin(c->explain, *engine);
    return *engine;
}

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t nic_clock_transfer(const struct nic_clock *c, uint64_t bytes)
{
    uint64_t wire = price(c, NIC_COST_WIRE_BYTE, bytes);
    uint64_t engine = price(c, NIC_COST_SEND_BYTE, bytes)
                      + price(c, NIC_COST_BUS_READ_BYTE, crossing_bytes(c, bytes));
    return later_of(wire, engine);
}

uint64_t nic_clock_stream(const struct nic_clock *c, uint64_t bytes)
{
    return c->cut_through ? nic_clock_transfer(c, bytes) : 0;
}

uint64_t nic_clock_delay(struct nic_clock *c, enum nic_cost cost)
{
    note(c, cost, 1);
    return c->cost[cost];
}

uint64_t nic_clock_over(struct nic_clock *c)
{
    uint64_t way = nic_clock_delay(c, nic_clock_way(c));
    if (c->hops)
        note(c, NIC_COST_ROUTER, c->hops);
    return way + c->hops * c->cost[NIC_COST_ROUTER];
}

/* Engine and wire work at the same time: the slower one decides when the last byte leaves.  Returns
 * when it is there, or all but `stream` of it, of which nothing leaves before the engine has
 * started, at `first`.  What loops does not take the wire. */
static uint64_t cross(struct nic_clock *c, uint64_t begin, uint64_t first, uint64_t bytes,
                      uint64_t stream, const struct nic_event_key *key)
{
    uint64_t *wire = &c->free_at[NIC_RES_LINK], none = 0;
    if (c->loops)
        wire = &none;
    struct nic_departure d = { .begin = begin, .wire_begin = later_of(*wire, begin) };
    note(c, NIC_COST_WIRE_BYTE, c->loops ? 0 : bytes);
    d.wire_end = d.wire_begin + (c->loops ? 0 : price(c, NIC_COST_WIRE_BYTE, bytes));
    d.left = *wire = later_of(d.wire_end, c->free_at[NIC_RES_TX]);
    d.hop = nic_clock_over(c);
    d.arrival = d.left - least_of(stream, d.left - first) + d.hop;
    trace_wire(c, &d, bytes, key);
    if (c->explain)
        c->observer->depart(c->explain, &d);
    return d.arrival;
}

struct nic_event_key nic_clock_depart(struct nic_clock *c, uint32_t source, uint64_t bytes)
{
    nic_clock_tell(c, NIC_COST_DOORBELL, 1, c->to_engine);
    uint64_t begin = begin_sending(c), over_bus = c->from_host;
    c->from_host = 0;
    if (over_bus) {     /* its first byte can leave when that has begun to come */
        nic_clock_charge(c, NIC_COST_BUS_READ, 1);
        begin = begin_sending(c);
        nic_clock_charge(c, NIC_COST_BUS_READ_BYTE, crossing_bytes(c, over_bus));
    }
    nic_clock_charge(c, NIC_COST_SEND, 1);
    nic_clock_charge(c, NIC_COST_SEND_BYTE, bytes);
    nic_clock_charge(c, NIC_COST_SEND_LINE, lines(bytes, c->tx_line));
    struct nic_event_key key = { .source = source, .sequence = (uint32_t)c->sequence++ };
    uint64_t first = begin + price(c, NIC_COST_SEND, 1);
    key.time = cross(c, begin, first, c->header + bytes, nic_clock_stream(c, bytes), &key);
    return key;
}

uint64_t nic_clock_rdma_start(struct nic_clock *c, uint64_t total)
{
    nic_clock_charge(c, NIC_COST_RDMA_SETUP, 1);
    nic_clock_tell(c, NIC_COST_DOORBELL, 1, c->to_engine);
    uint64_t begin = begin_sending(c);
    nic_clock_charge(c, NIC_COST_RDMA, 1);
    nic_clock_charge(c, NIC_COST_RDMA_ODD, total % c->word != 0);
    return begin;
}

void nic_clock_rdma_piece(struct nic_clock *c, uint64_t from, uint64_t bytes)
{
    uint64_t first = from < c->short_bytes ? least_of(bytes, c->short_bytes - from) : 0;
    nic_clock_charge(c, NIC_COST_RDMA_SHORT, first);
    nic_clock_charge(c, NIC_COST_RDMA_BYTE, bytes - first);
}

uint64_t nic_clock_write(struct nic_clock *c, uint64_t bytes)
{
    if (c->explain)
        c->observer->write_begin(c->explain);
    uint64_t moved = c->dma_done, begin = nic_clock_rdma_start(c, bytes);
    nic_clock_rdma_piece(c, 0, bytes);
    c->dma_done = moved;
    uint64_t there = cross(c, begin, begin, bytes, 0, NULL);
    if (c->explain)
        c->observer->write_end(c->explain);
    return there;
}

static uint64_t noted_price(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    note(c, cost, units);
    return price(c, cost, units);
}

/* The source's engine is not ours to see: reads take turns at the engine that lands them here. */
uint64_t nic_clock_read(struct nic_clock *c, uint64_t bytes)
{
    uint64_t first = least_of(bytes, c->short_bytes), *engine = &c->free_at[NIC_RES_RX];
    nic_clock_charge(c, NIC_COST_RDMA_SETUP, 1);
    nic_clock_tell(c, NIC_COST_DOORBELL, 1, c->to_engine);
    uint64_t asked = c->now + c->to_engine + nic_clock_over(c)
                     + nic_clock_delay(c, NIC_COST_RDMA_READ);
    uint64_t begin = asked + nic_clock_delay(c, NIC_COST_RDMA) + nic_clock_over(c);
    uint64_t move = noted_price(c, NIC_COST_RDMA_SHORT, first) + noted_price(c, NIC_COST_RDMA_BYTE,
                                                                             bytes - first)
                    + noted_price(c, NIC_COST_RDMA_ODD, bytes % c->word != 0);
    uint64_t start = later_of(begin, *engine);
    *engine = start + later_of(move, c->loops ? 0 : price(c, NIC_COST_WIRE_BYTE, bytes));
    trace_work(c, NIC_COST_RDMA_READ, NIC_RES_RX, start, *engine);
    if (c->explain)
        c->observer->read(c->explain, begin, start, *engine);
    return *engine;
}
