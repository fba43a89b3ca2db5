/* Ranks that share a NIC, its bus and its link, and processors of their hosts (node.* of the
 * profile): what they share is in the segment (time/nodes.h), and used by whoever comes first in
 * virtual time.
 *
 * Each rank has a copy of the shared times in its clock.  It takes them when it handles an event,
 * or its host does something itself, at a time that all others of the node are past; and gives them
 * back before it says that it is past that time itself.
 *
 * A host has one of the shared processors from when it enters a call, or a wait of it ends, until
 * it waits, looks, leaves, or has computed for a slice; while it has one it waits for nobody.  Who
 * wants one gets that which is free first, its last one if it is free, in the order in which they
 * came. */
#ifndef NIC_MODEL_NODE_H
#define NIC_MODEL_NODE_H

#include "model/state.h"

void nic_node_open(struct nic *nic);

/* What follows does nothing where nothing is shared. */

/* Before the host begins to run the handlers: the NIC's processor is no longer the clock's. */
void nic_node_host_runs_handlers(struct nic_model *model);

/* All others are past this rank's next event, or its host's time. */
void nic_node_take(struct nic *nic);
/* Governor's lock held, before this rank tells of a later time. */
void nic_node_give(struct nic *nic);

/* The host gets a processor, at its own time or later, which all others are past; and lets others
 * have it, from its time or `until` on, if that is later. */
void nic_node_get_processor(struct nic *nic);
void nic_node_let_processor(struct nic *nic, uint64_t until);
/* A handler of the host begins at this time, or later; a processor that comes from another rank is
 * charged as part of it. */
uint64_t nic_node_begin_handler(struct nic *nic, uint64_t time);
void nic_node_charge_handler(struct nic *nic);
void nic_node_end_handler(struct nic *nic);

/* True: what runs on the host waits for it, until then, and has been put off. */
bool nic_node_puts_off(struct nic *nic, struct nic_event *event, uint64_t until);

/* A host that sends past the handlers leaves that to an event.  True: it has. */
bool nic_node_sends(struct nic *nic, unsigned peer, const struct nic_tx *message);
/* That event. */
void nic_node_sent(struct nic *nic, const struct nic_event *event);

/* What is sent next is for this rank, which may be on the same node, or many hops away. */
static inline void nic_node_aim(const struct nic *n, unsigned peer)
{
    struct nic_model *m = n->model;
    if (unlikely(m->share != NULL))
        m->clock.loops = m->profile->node.loop
                         && nic_node_is_same(&m->governor->node, n->rank, peer);
    if (unlikely(nic_network_has_routers(&m->network)))
        m->clock.hops = nic_network_hops(&m->network, n->rank, peer);
}

#endif
