/* An allocator of ranges in a space that it never touches: first fit by address, freed neighbours
 * joined, each in a time that grows with the logarithm of how many there are.  It lives in its
 * owner's own memory, so that no peer can damage it.  No locks: the scratchpad's is under the
 * baton, the heap's under a lock of its own. */
#ifndef NIC_BASE_RANGE_H
#define NIC_BASE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NIC_AREA_NONE UINT64_MAX

struct nic_areas;
struct nic_areas *nic_areas_new(uint64_t bytes);    /* NULL: out of memory */
void nic_areas_delete(struct nic_areas *areas);

/* The offset of `bytes` (at least 1 is taken), a multiple of `align`, a power of two;
 * NIC_AREA_NONE: no room, or a wrong alignment. */
uint64_t nic_areas_take(struct nic_areas *areas, uint64_t bytes, uint64_t align, unsigned use);

/* Gives back what begins at `offset`; false: nothing does. */
bool nic_areas_give(struct nic_areas *areas, uint64_t offset, uint64_t *bytes, unsigned *use);

/* The area in use that has this offset: where it begins, and its use, which can be set for what
 * begins at `begin`.  False: none. */
bool nic_areas_find(const struct nic_areas *areas, uint64_t offset, uint64_t *begin, unsigned *use);
void nic_areas_set_use(struct nic_areas *areas, uint64_t begin, unsigned use);

/* The largest multiple of `align` bytes that nic_areas_take
 * would find at that alignment; 0: none. */
uint64_t nic_areas_largest(const struct nic_areas *areas, uint64_t align);

#endif
