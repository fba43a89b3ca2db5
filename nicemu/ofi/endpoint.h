/* The endpoint and what belongs to it. */
#ifndef NIC_OFI_ENDPOINT_H
#define NIC_OFI_ENDPOINT_H

#include "ofi/state.h"

/* All but memory; 0 or a negative errno, and then nothing is open. */
int ofi_endpoint_open(struct nic_wire *wire, struct fi_info *info);
/* First the endpoint, which uses memory; the rest when no memory is registered any more. */
void ofi_endpoint_stop(struct nic_wire *wire);
void ofi_endpoint_close(struct nic_wire *wire);
/* Tells the provider of memory, if it wants to know; NULL in *region if it does not. */
int ofi_register(struct nic_wire *wire, void *memory, size_t bytes, struct fid_mr **region);

#endif
