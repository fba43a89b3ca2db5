#ifndef NIC_CORE_HEAP_BLOCKS_H
#define NIC_CORE_HEAP_BLOCKS_H

#include <stddef.h>

struct nic_heap;
/* Of so many bytes at this address of the process, or of none.  NULL: out of memory. */
struct nic_heap *nic_heap_new(const void *base, size_t bytes);
void nic_heap_delete(struct nic_heap *heap);

#endif
