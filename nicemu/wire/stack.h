/* Which modules carry a NIC's frames, one in front of the other. */
#ifndef NIC_WIRE_STACK_H
#define NIC_WIRE_STACK_H

#include "core/nic.h"

/* As how many machines a job on one counts, with the kernel's datagrams for the wire, or a provider
 * that NICEMU_OFI_PROVIDER names: as NICEMU_MACHINES says; with NICEMU_FAULT each rank is one, so
 * that faults meet every byte.  0: as the one that it is. */
unsigned nic_wire_parts(unsigned ranks);

/* Opens them; n->wires has no module yet.  0 or a negative errno, and `why` in words. */
int nic_wire_stack_open(struct nic *n, char *why, size_t room);
/* Faults that have happened, frames that were sent more than once, and pieces of frames go to the
 * NIC's figures. */
void nic_wire_stack_count(struct nic *n);

#endif
