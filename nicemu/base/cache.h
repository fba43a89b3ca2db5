/* The data cache of a modelled processor: which lines it holds, least recently used out first.
 * Lines have numbers, no addresses. */
#ifndef NIC_BASE_CACHE_H
#define NIC_BASE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct nic_cache;

/* ways 0: fully associative.  NULL: out of memory, or more lines than 32 bits count. */
struct nic_cache *nic_cache_new(uint64_t bytes, uint64_t line_bytes, uint64_t ways);
void nic_cache_delete(struct nic_cache *cache);

/* The processor reads or writes a line.  True: it was there; it is in any case now. */
bool nic_cache_touch(struct nic_cache *cache, uint64_t line);

#endif
