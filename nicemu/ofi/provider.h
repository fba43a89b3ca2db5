/* Which provider of libfabric's. */
#ifndef NIC_OFI_PROVIDER_H
#define NIC_OFI_PROVIDER_H

#include "ofi/state.h"

/* Calls `open` for what suits until it returns 0.  wanted: a name; NULL: what FI_PROVIDER says, or
 * all, in order.  Returns its last result, or -ENODATA. */
int ofi_choose(const char *wanted, int (*open)(struct nic_wire *wire, struct fi_info *info),
               struct nic_wire *wire);

#endif
