/* Translation of addresses. */
#include "remote/reach.h"

#include <errno.h>

#include "core/scratchpad.h"
#include "remote/region.h"

int nic_reach(struct nic *n, const struct nic_address *a, uint64_t bytes, unsigned rights,
              void **at)
{
    if (a->rank >= n->ranks)
        return -EINVAL;
    switch (a->key) {
    case NIC_KEY_SCRATCHPAD:
        if (!nic_spad_holds(n, a->rank, a->offset, bytes))
            return -ERANGE;
        *at = nic_spad_at(n, a->rank, a->offset, bytes);
        return *at ? 0 : -EREMOTE;
    case NIC_KEY_HEAP:
        if (!nic_job_here(n->job, a->rank))
            return -EREMOTE;
        if (!n->job->heap)      /* it may be mapped there and not here */
            return a->rank == n->rank || !n->job->layout.heap ? -ENOKEY : -EREMOTE;
        *at = nic_heap_at(n, a->rank, a->offset, bytes);
        return *at ? 0 : -ERANGE;
    default:
        return a->rank == n->rank ? nic_region_reach(n, a->key, a->offset, bytes, rights, at)
               : -EREMOTE;
    }
}

void *nic_resolve(struct nic *n, const struct nic_address *a, uint64_t bytes, unsigned rights)
{
    void *at;
    return nic_reach(n, a, bytes, rights, &at) ? NULL : at;
}
