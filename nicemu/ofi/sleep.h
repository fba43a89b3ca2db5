/* Sleeping until the provider has something to do. */
#ifndef NIC_OFI_SLEEP_H
#define NIC_OFI_SLEEP_H

#include "ofi/state.h"

/* The best that a provider may have. */
enum ofi_sleep ofi_sleep_first(const struct fi_info *info);
/* Of an endpoint that is enabled, whose queue was opened for that way; 0 or a negative errno. */
int ofi_sleep_open(struct nic_wire *wire, enum ofi_sleep how);
void ofi_sleep_close(struct nic_wire *wire);
/* The queue may have events of which the provider's own descriptor says nothing.  Any thread. */
void ofi_sleep_leave(struct nic_wire *wire);
/* Before each look at the queue, baton held. */
void ofi_sleep_look(struct nic_wire *wire);
/* See wire/module.h. */
int ofi_fd(const struct nic_wire *wire);
bool ofi_may_sleep(struct nic_wire *wire);

#endif
