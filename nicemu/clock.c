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

void nic_clock_charge(struct nic_clock *c, enum nic_cost cost, uint64_t units)
{
    uint64_t *free_at = &c->free_at[resources[cost]];
    uint64_t start = *free_at > c->now ? *free_at : c->now;
    *free_at = start + c->cost[cost] * units;
    c->charged[cost] += units;
    c->now = *free_at;
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
