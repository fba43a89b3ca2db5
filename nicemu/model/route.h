/* Packets that wait for each other in the network (link.contention = shared): each goes from router
 * to router (time/network.h), and each link takes one after the other.
 *
 * The links of a router belong to the first rank of its node, and those of routers without a node
 * to that of another one.  A packet on its way is an event of the rank whose router it is at, which
 * knows when the link that it takes is free, and passes it on; so ranks run ahead of each other by
 * a hop.  Packets keep their order between two nodes, as each pair has one way.
 *
 * link.latency is spent before the first router; where ranks share a node half of it behind the
 * last, so that they can run ahead of each other by that.
 *
 * A rank that leaves passes on what it has, and nobody waits at its routers any more: what it
 * handled hangs on virtual time alone, and so does that. */
#ifndef NIC_MODEL_ROUTE_H
#define NIC_MODEL_ROUTE_H

#include "model/state.h"

/* Nothing, unless the profile says so.  0 or -ENOMEM. */
int nic_routes_open(struct nic *nic);
void nic_routes_close(struct nic *nic);

/* So much leaves for that rank in front of the next packet. */
void nic_routes_has_written(struct nic *nic, unsigned peer, uint64_t bytes);
/* This rank leaves: passes on what waits here.  False: nothing does. */
bool nic_routes_pass_on_rest(struct nic *nic);

#endif
