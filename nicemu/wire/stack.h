/* Which modules carry a NIC's frames, one in front of the other. */
#ifndef NIC_WIRE_STACK_H
#define NIC_WIRE_STACK_H

#include "core/nic.h"

/* NICEMU_FAULT is set: a job on one machine takes each rank for a machine of its own, and the
 * kernel's datagrams for the wire, so that faults meet every byte. */
bool nic_wire_is_faulty(void);

/* Opens them; n->wires has no module yet.  0 or a negative errno, and `why` in words. */
int nic_wire_stack_open(struct nic *n, char *why, size_t room);
/* Faults that have happened, and frames that were sent more than once, go to the NIC's figures. */
void nic_wire_stack_count(struct nic *n);

#endif
