/* See time/nodes.h. */
#include "time/nodes.h"

#include "base/time.h"
#include "time/minima.h"

/* Shares, then processors, then times: each of all ranks. */
static uint64_t cpus_at(unsigned ranks) { return ranks * sizeof(struct nic_node_share); }
static uint64_t times_at(unsigned ranks)
{
    return cpus_at(ranks) + ranks * sizeof(struct nic_node_cpu);
}

uint64_t nic_nodes_bytes(unsigned ranks)
{
    return (times_at(ranks) + ranks * sizeof(uint64_t) + 63) & ~UINT64_C(63);
}

void nic_nodes_point(struct nic_nodes *n, void *at, unsigned ranks)
{
    char *base = at;
    n->ranks = ranks;
    n->of_node = 1;
    n->share = at;
    n->cpu = (struct nic_node_cpu *)(base + cpus_at(ranks));
    n->at = (_Atomic uint64_t *)(base + times_at(ranks));
}

void nic_nodes_set(struct nic_nodes *n, uint64_t of_node)
{
    n->of_node = of_node && of_node < n->ranks ? (uint32_t)of_node : of_node ? n->ranks : 1;
}

void nic_nodes_init(struct nic_nodes *n, uint64_t of_node)
{
    nic_nodes_set(n, of_node);
    if (!nic_nodes_share(n))
        return;
    for (unsigned r = 0; r < n->ranks; r++) {
        n->share[r] = (struct nic_node_share){ { 0 } };
        n->cpu[r] = (struct nic_node_cpu){ 0 };
        nic_minima_put(n->at, r, 0);
    }
}

void nic_node_set_at(struct nic_nodes *n, unsigned rank, uint64_t time)
{
    nic_minima_put(n->at, rank, time);
}

void nic_node_expect(struct nic_nodes *n, unsigned rank, uint64_t time)
{
    if (nic_nodes_share(n) && time < nic_minima_get(n->at, rank))
        nic_minima_put(n->at, rank, time);
}

uint64_t nic_node_limit(const struct nic_nodes *n, unsigned rank)
{
    uint64_t limit = NIC_NEVER;
    if (!nic_nodes_share(n))
        return limit;
    for (unsigned m = nic_node_first(n, rank); m < nic_node_end(n, rank); m++)
        if (m != rank)
            limit = nic_time_sooner(limit, nic_time_add(nic_minima_get(n->at, m), rank < m));
    return limit;
}
