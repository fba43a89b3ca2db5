/* The link of a job of several machines. */
#ifndef NIC_WIRE_LINK_H
#define NIC_WIRE_LINK_H

#include "core/link.h"

/* Over nic->near_link, which goes on carrying to the ranks that are here. */
extern const struct nic_link_ops nic_link_wire;
/* The inbox of every rank on another machine: it has no room, so that whoever would write there
 * asks the link. */
struct nic_ring *nic_wire_full_ring(void);

#endif
