/* The network between nodes on the model clock (link.topology of the profile): a mesh or a torus of
 * routers, one at each node, so that a packet passes as many routers on top of its link as it makes
 * hops.  Ranks sit in rows: node 0 is (0, 0, 0), node 1 is (1, 0, 0), and behind a row of x nodes
 * comes the next of y; node.ranks, or pgas.ranks with a unit, one behind the other share a node. */
#ifndef NIC_TIME_NETWORK_H
#define NIC_TIME_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "nicemu/profile.h"

enum { NIC_NETWORK_AXES = 3 };

struct nic_network {
    uint32_t side[NIC_NETWORK_AXES];    /* nodes along x, y, z; 0: every node is next to all */
    uint32_t of_node;                   /* ranks of a node */
    bool wraps[NIC_NETWORK_AXES];       /* its ends are next to each other */
};

/* Of a job of so many ranks.  Sides that the profile leaves open are chosen so that their sum is
 * the least, then their product.  False: it has fewer nodes than the ranks need; `network` is set
 * all the same, for who wants to say so. */
bool nic_network_of(const struct nic_profile *profile, unsigned ranks, struct nic_network *network);

static inline bool nic_network_has_routers(const struct nic_network *n) { return n->side[0]; }

/* Between the nodes of two ranks, by the shortest way; 0: they are of one node. */
uint32_t nic_network_hops(const struct nic_network *network, unsigned from, unsigned to);

/* Routers are numbered as nodes are; some may have no node. */
static inline uint32_t nic_network_node(const struct nic_network *n, unsigned rank)
{
    return rank / n->of_node;
}
static inline uint32_t nic_network_routers(const struct nic_network *n)
{
    return n->side[0] * n->side[1] * n->side[2];
}

/* Links of a router, one for each direction: along an axis up or down, and to its node. */
enum { NIC_NETWORK_TO_NODE = 2 * NIC_NETWORK_AXES, NIC_NETWORK_LINKS };

/* The router behind this one on the way to another, and by which link: along x, then y, then z, the
 * shorter way round, up where both are as long. */
uint32_t nic_network_next(const struct nic_network *network, uint32_t router, uint32_t to,
                          unsigned *link);

/* Least hops between ranks of which neither is the other. */
static inline uint32_t nic_network_least(const struct nic_network *n)
{
    return nic_network_has_routers(n) && n->of_node == 1;
}

#endif
