/* Which provider of libfabric's. */
#ifndef NIC_OFI_PROVIDER_H
#define NIC_OFI_PROVIDER_H

#include "ofi/state.h"

typedef int ofi_open_info(struct nic_wire *wire, struct fi_info *info);

/* On TCP with no layer between: a frame is written to a socket as it is, however long. */
bool ofi_is_stream(const struct fi_info *info);
/* Calls `open` for what suits until it returns 0.  wanted: a name; NULL: what FI_PROVIDER says, or
 * all, in order.  Returns its last result, or -ENODATA. */
int ofi_choose(const char *wanted, ofi_open_info *open, struct nic_wire *wire);

#endif
