/* The translation table of a rank, in the job's segment: what it has registered.  Written by its
 * owner only; a peer's engine reads it to check a key, range and right itself before the kernel
 * copies. */
#ifndef NIC_JOB_REGION_TABLE_H
#define NIC_JOB_REGION_TABLE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "nicemu/remote.h"

/* An entry is valid while its key is not 0; base, bytes and rights are written before the key. */
struct nic_region {
    _Atomic uint64_t base, bytes;
    _Atomic uint32_t rights;
    _Atomic uint32_t key;               /* generation * NIC_REGIONS_MAX + index */
    uint64_t pad;
};
static_assert(sizeof(struct nic_region) == 32, "shared layout");

struct nic_region_table {
    /* what this rank's engine is copying: peer << 32 | key; 0: nothing */
    _Alignas(64) _Atomic uint64_t claim;
    _Alignas(64) struct nic_region entry[NIC_REGIONS_MAX];
};
static_assert(sizeof(struct nic_region_table) == 64 + 32 * NIC_REGIONS_MAX, "shared layout");
static_assert((int)NIC_KEY_FIRST == (int)NIC_REGIONS_MAX, "the first generation is 1");

#endif
