/* See time/network.h. */
#include "time/network.h"

/* Links of a mesh that are closed to a ring, by link.topology. */
static const bool closed[][NIC_NETWORK_AXES] = {
    [NIC_TOPOLOGY_MESH] = { false, false, false },
    [NIC_TOPOLOGY_TORUS] = { true, true, true },
    [NIC_TOPOLOGY_MIXED] = { false, false, true },
};

static uint64_t product(const uint32_t *side) { return (uint64_t)side[0] * side[1] * side[2]; }
static uint64_t sum(const uint32_t *side) { return (uint64_t)side[0] + side[1] + side[2]; }

/* The first of those that are equal stays. */
static bool is_better(const uint32_t *a, const uint32_t *b)
{
    return sum(a) != sum(b) ? sum(a) < sum(b) : product(a) < product(b);
}

/* The least that holds so many nodes beside the other two. */
static uint32_t rest(uint32_t nodes, const uint32_t *side)
{
    const uint64_t plane = (uint64_t)side[0] * side[1];
    return (uint32_t)((nodes + plane - 1) / plane);
}

/* So many open sides that hold so many nodes: none is longer than all edges of a cube together that
 * holds as many, or the sum would be greater. */
static uint32_t longest(uint64_t nodes, unsigned open)
{
    for (uint64_t edge = 1;; edge++) {
        uint64_t holds = 1;
        for (unsigned i = 0; i < open; i++)
            holds *= edge;
        if (holds >= nodes)
            return (uint32_t)(open * edge);
    }
}

/* Of the sides that are open. */
static uint32_t longest_open(uint32_t nodes, const uint64_t *given)
{
    uint64_t fixed = 1;
    unsigned open = 0;
    for (unsigned i = 0; i < NIC_NETWORK_AXES; i++) {
        open += !given[i];
        fixed *= given[i] ? given[i] : 1;
    }
    return open ? longest((nodes + fixed - 1) / fixed, open) : 0;
}

/* x is the longest where nothing decides, then y. */
static void choose(uint32_t nodes, const uint64_t *given, uint32_t *best)
{
    const uint32_t most = longest_open(nodes, given);
    uint32_t side[NIC_NETWORK_AXES];
    *best = 0;
    for (side[0] = given[0] ? (uint32_t)given[0] : most; side[0]; side[0]--) {
        for (side[1] = given[1] ? (uint32_t)given[1] : most; side[1]; side[1]--) {
            side[2] = given[2] ? (uint32_t)given[2] : rest(nodes, side);
            if (product(side) >= nodes && (!*best || is_better(side, best)))
                for (unsigned i = 0; i < NIC_NETWORK_AXES; i++)
                    best[i] = side[i];
            if (given[1])
                break;
        }
        if (given[0])
            break;
    }
}

bool nic_network_of(const struct nic_profile *p, unsigned ranks, struct nic_network *n)
{
    const uint64_t given[] = { p->link.x, p->link.y, p->link.z };
    *n = (struct nic_network){ .of_node = (uint32_t)(p->pgas.unit ? p->pgas.ranks : p->node.ranks)
                             };
    if (!n->of_node)
        n->of_node = 1;
    if (p->link.topology == NIC_TOPOLOGY_CROSSBAR)
        return true;
    choose((ranks + n->of_node - 1) / n->of_node, given, n->side);
    for (unsigned i = 0; i < NIC_NETWORK_AXES; i++)
        n->wraps[i] = closed[p->link.topology][i];
    if (!n->side[0])        /* all are given, and too few */
        for (unsigned i = 0; i < NIC_NETWORK_AXES; i++)
            n->side[i] = (uint32_t)given[i];
    return product(n->side) >= (ranks + n->of_node - 1) / n->of_node;
}

static uint32_t distance(uint32_t a, uint32_t b, uint32_t side, bool wraps)
{
    uint32_t ahead = a < b ? b - a : a - b;
    return wraps && side - ahead < ahead ? side - ahead : ahead;
}

uint32_t nic_network_hops(const struct nic_network *n, unsigned from, unsigned to)
{
    uint32_t a = from / n->of_node, b = to / n->of_node, hops = 0;
    for (unsigned i = 0; i < NIC_NETWORK_AXES; i++) {
        const uint32_t side = n->side[i];
        hops += distance(a % side, b % side, side, n->wraps[i]);
        a /= side;
        b /= side;
    }
    return hops;
}

uint32_t nic_network_next(const struct nic_network *n, uint32_t router, uint32_t to, unsigned *link)
{
    uint32_t below = 1, a = router, b = to;
    for (unsigned i = 0; i < NIC_NETWORK_AXES; i++) {
        const uint32_t side = n->side[i], at = a % side, end = b % side;
        if (at != end) {
            uint32_t up = (end + side - at) % side;
            bool goes_up = n->wraps[i] ? up <= side - up : at < end;
            uint32_t next = goes_up ? (at + 1) % side : (at + side - 1) % side;
            *link = 2 * i + !goes_up;
            return router - at * below + next * below;
        }
        below *= side;
        a /= side;
        b /= side;
    }
    *link = NIC_NETWORK_TO_NODE;
    return router;
}
