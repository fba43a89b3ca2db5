/* Memory to receive in, and what has come. */
#ifndef NIC_OFI_RECEIVE_H
#define NIC_OFI_RECEIVE_H

#include "ofi/state.h"

int ofi_buffers_open(struct nic_wire *wire);
void ofi_buffers_close(struct nic_wire *wire);
/* See wire/module.h. */
unsigned ofi_poll(struct nic_wire *wire, struct nic_wire_event *events, unsigned most);
void ofi_give_back(struct nic_wire *wire, void *buffer);

#endif
