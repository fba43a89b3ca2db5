/* Boxes for copies by proxy (model/proxy_copy.c), one per rank,
 * behind the governor in the job's segment. */
#ifndef NIC_JOB_PROXY_BOX_H
#define NIC_JOB_PROXY_BOX_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "time/governor.h"

enum { NIC_PROXY_BYTES = 16 * 1024 - 64 };

/* One per rank, in the job's segment: what it has asked another rank for.  Owner: the rank, and
 * while `asked` is set the one that was asked, but for `next`, which the governor's lock
 * protects. */
struct nic_proxy_copy {
    _Alignas(64) _Atomic uint32_t asked;
    uint32_t next;              /* rank + 1 of the next one that asked the same; 0: none */
    uint64_t address;           /* in the memory of the one that was asked */
    uint32_t bytes;
    uint32_t write;             /* into its memory */
    int32_t result;             /* 0 or a negative errno */
    _Atomic uint32_t left;      /* the box has what its owner leaves behind */
    _Alignas(64) unsigned char data[NIC_PROXY_BYTES];
};

static_assert(sizeof(struct nic_proxy_copy) == NIC_PROXY_BYTES + 64, "shared layout");

static inline uint64_t nic_proxy_boxes_bytes(unsigned ranks)
{
    return ranks * sizeof(struct nic_proxy_copy);
}

static inline struct nic_proxy_copy *nic_proxy_box(struct nic_governor *g, unsigned rank)
{
    return (struct nic_proxy_copy *)((char *)g->shared + nic_governor_bytes(g->ranks)) + rank;
}

#endif
