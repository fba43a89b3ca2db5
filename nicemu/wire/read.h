/* Reads of memory on other machines. */
#ifndef NIC_WIRE_READ_H
#define NIC_WIRE_READ_H

#include "wire/state.h"

/* READ: a read has ended. */
void nic_wire_read_ended(struct nic *nic, const struct nic_wire_event *event);
/* The link closes: what is still offered is let go. */
void nic_wire_reads_close(struct nic *nic);

#endif
