/* Registered memory. */
#ifndef NIC_REMOTE_REGION_H
#define NIC_REMOTE_REGION_H

#include "core/nic.h"

int nic_region_reach(struct nic *nic, uint32_t key, uint64_t offset, uint64_t bytes,
                     unsigned rights, void **at);
/* Looks into a peer's table, and if [offset, + bytes) of that key is open to such access, keeps it
 * so until nic_region_release: 0 and the address in the peer's process, or as nic_reach.  One at a
 * time. */
int nic_region_claim(struct nic *nic, unsigned peer, uint32_t key, uint64_t offset, uint64_t bytes,
                     unsigned rights, uint64_t *at);
void nic_region_release(struct nic *nic);
/* Of one's own region: where its mutex is named (nicemu/mutex.h); NULL: no such key. */
struct nic_mutex **nic_region_mutex(const struct nic *nic, uint32_t key);
/* nic_close: as if everything were deregistered. */
void nic_regions_close(struct nic *nic);

#endif
