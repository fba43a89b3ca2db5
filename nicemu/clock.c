/* Arithmetic of the model clock: resources that are busy until a time, events that carry one. */
#include "clock.h"
#include "explain.h"
#include "nicemu.h"

#define NIC_COST_NAME(name, resource) #name,
#define NIC_COST_RESOURCE(name, resource) NIC_RES_##resource,

static const char *const names[] = { NIC_COSTS(NIC_COST_NAME) };
static const unsigned char resources[] = { NIC_COSTS(NIC_COST_RESOURCE) };

const char *nic_cost_name(enum nic_cost cost)
{
    return cost < NIC_COST_COUNT ? names[cost] : "?";
}

/* Fast links take less than a picosecond per byte: see nic_profile_bytes. */
static uint64_t price(const struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    bool per_byte = cost == NIC_COST_SEND_BYTE || cost == NIC_COST_RECEIVE_BYTE || cost == NIC_COST_RDMA_BYTE || cost == NIC_COST_WIRE_BYTE
                    || cost == NIC_COST_COPY_BYTE;
    return c->engine && per_byte ? nic_profile_bytes(c->cost[cost], units) : c->cost[cost] * units;
}

static bool is_mover(const struct nic_clock *c, unsigned resource) { return c->engine && (resource == NIC_RES_TX || resource == NIC_RES_RX); }

static void note(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    c->charged[cost] += units;
    c->hash = nic_clock_mix(c->hash, (uint64_t)cost << 56 ^ units);
}

void nic_clock_charge(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    uint64_t *free_at = &c->free_at[resources[cost]];
    uint64_t start = *free_at > c->now ? *free_at : c->now;
    *free_at = start + price(c, cost, units);
    note(c, cost, units);
    if (c->explain)
        nic_explain_charge(c->explain, &(struct nic_charge){ .cost = cost, .resource = resources[cost], .mover = is_mover(c, resources[cost]),
                                                             .units = units, .start = start, .end = *free_at });
    if (!is_mover(c, resources[cost]))
        c->now = *free_at;
    else if (*free_at > c->moved)
        c->moved = *free_at;
}

void nic_clock_charge_host(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    c->free_at[NIC_RES_HOST] += c->cost[cost] * units;
    note(c, cost, units);
    if (c->explain)
        nic_explain_host_charge(c->explain, cost, c->cost[cost] * units);
}

static uint64_t lines(uint64_t bytes, uint64_t line) { return (bytes + line - 1) / line; }

void nic_clock_land(struct nic_clock *c)
{
    uint64_t bytes = c->landing;
    c->landing = 0;
    if (!bytes)
        return;
    nic_clock_charge(c, NIC_COST_RECEIVE, 1);
    nic_clock_charge(c, NIC_COST_RECEIVE_BYTE, bytes);
    nic_clock_charge(c, NIC_COST_RECEIVE_LINE, lines(bytes, c->rx_line));
}

/* Engine and wire work at the same time: the slower one decides when the last byte leaves. */
struct nic_event_key nic_clock_depart(struct nic_clock *c, uint32_t source, uint64_t bytes)
{
    uint64_t *wire = &c->free_at[NIC_RES_LINK], *engine = &c->free_at[NIC_RES_TX];
    uint64_t begin = c->now > *engine ? c->now : *engine;
    if (c->explain)
        nic_explain_depart_begin(c->explain, begin);
    nic_clock_charge(c, NIC_COST_SEND, 1);
    nic_clock_charge(c, NIC_COST_SEND_BYTE, bytes);
    nic_clock_charge(c, NIC_COST_SEND_LINE, lines(bytes, c->tx_line));
    note(c, NIC_COST_WIRE_BYTE, c->header + bytes);
    note(c, NIC_COST_HOP, 1);
    struct nic_departure d = { .begin = begin, .wire_begin = *wire > begin ? *wire : begin };
    *wire = d.wire_end = d.wire_begin + price(c, NIC_COST_WIRE_BYTE, c->header + bytes);
    if (*engine > *wire)
        *wire = *engine;
    d.left = *wire;
    d.arrival = *wire + c->cost[NIC_COST_HOP];
    if (c->explain)
        nic_explain_depart(c->explain, &d);
    return (struct nic_event_key){ .time = d.arrival, .source = source, .sequence = (uint32_t)c->sequence++ };
}

void nic_clock_event(struct nic_clock *c, uint64_t time)
{
    if (time > c->now)
        c->now = time;
}

struct nic_event_key nic_clock_key(struct nic_clock *c, uint32_t source)
{
    return (struct nic_event_key){ .time = c->now, .source = source, .sequence = (uint32_t)c->sequence++ };
}
