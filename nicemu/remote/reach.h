/* Translation of addresses: what of a peer's memory is in reach of this process. */
#ifndef NIC_REMOTE_REACH_H
#define NIC_REMOTE_REACH_H

#include "remote/packets.h"

/* True if the scratchpad of that rank may be accessed from here.  False: by packets, as the model
 * clock wants it, a rank on another machine, and whoever allows the staged path only. */
static inline bool nic_in_reach(const struct nic *n, uint32_t rank)
{
    return rank == n->rank || (!n->clock && n->remote->allowed != 1u << NIC_PATH_STAGED
                                && nic_job_here(n->job, rank));
}

/* Where [address, address + bytes) is in this process, and whether the key gives these rights
 * (NIC_RIGHT_*): 0 and the pointer; -EINVAL no such rank, -ENOKEY, -EACCES, -ERANGE; -EREMOTE:
 * registered by a peer, only its NIC or the kernel reaches it. */
int nic_reach(struct nic *nic, const struct nic_address *address, uint64_t bytes, unsigned rights,
              void **at);

#endif
