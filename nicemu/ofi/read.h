/* Reads of a peer's memory. */
#ifndef NIC_OFI_READ_H
#define NIC_OFI_READ_H

#include "ofi/state.h"

void ofi_reads_open(struct nic_wire *wire);
/* See wire/module.h. */
int ofi_offer(struct nic_wire *wire, const void *memory, size_t bytes,
              struct nic_wire_region *region);
void ofi_let_go(struct nic_wire *wire, const struct nic_wire_region *region);
int ofi_read(struct nic_wire *wire, const struct nic_wire_read *read);
/* The owner of a read that has ended; its operation is free again. */
void *ofi_read_ended(struct nic_wire *wire, struct ofi_op *op);

#endif
