/* Arithmetic of the model clock: resources that are busy until a time, events that carry one. */
#include "clock.h"

#define NIC_COST_NAME(name, resource) #name,
#define NIC_COST_RESOURCE(name, resource) NIC_RES_##resource,

static const char *const names[] = { NIC_COSTS(NIC_COST_NAME) };
static const unsigned char resources[] = { NIC_COSTS(NIC_COST_RESOURCE) };

const char *nic_cost_name(enum nic_cost cost)
{
    return cost < NIC_COST_COUNT ? names[cost] : "?";
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
    *free_at = start + c->cost[cost] * units;
    note(c, cost, units);
    if (!is_mover(c, resources[cost]))
        c->now = *free_at;
    else if (*free_at > c->moved)
        c->moved = *free_at;
}

void nic_clock_charge_host(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    c->free_at[NIC_RES_HOST] += c->cost[cost] * units;
    note(c, cost, units);
}

void nic_clock_land(struct nic_clock *c)
{
    uint64_t bytes = c->landing;
    c->landing = 0;
    if (bytes)
        nic_clock_charge(c, NIC_COST_RECEIVE_BYTE, bytes);
}

struct nic_event_key nic_clock_depart(struct nic_clock *c, uint32_t source, uint64_t bytes)
{
    nic_clock_charge(c, NIC_COST_SEND, 1);
    nic_clock_charge(c, NIC_COST_SEND_BYTE, bytes);
    note(c, NIC_COST_HOP, 1);
    return (struct nic_event_key){ .time = c->free_at[NIC_RES_TX] + c->cost[NIC_COST_HOP], .source = source, .sequence = (uint32_t)c->sequence++ };
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
