/* The endpoint and what belongs to it. */
#ifndef NIC_OFI_ENDPOINT_H
#define NIC_OFI_ENDPOINT_H

#include "ofi/state.h"

/* All but memory; 0 or a negative errno, and then nothing is open. */
int ofi_endpoint_open(struct nic_wire *wire, struct fi_info *info);
/* First the endpoint, which uses memory; the rest when no memory is registered any more. */
void ofi_endpoint_stop(struct nic_wire *wire);
void ofi_endpoint_close(struct nic_wire *wire);
/* Tells the provider of memory for FI_SEND, FI_RECV or FI_READ, if it wants to know; NULL in
 * *region if it does not.  What has failed may have left a region. */
int ofi_register(struct nic_wire *wire, void *memory, size_t bytes, uint64_t access,
                 struct fid_mr **region);
/* The same whether it wants to know or not. */
int ofi_register_for(struct nic_wire *wire, const void *memory, size_t bytes, uint64_t access,
                     struct fid_mr **region);

#endif
