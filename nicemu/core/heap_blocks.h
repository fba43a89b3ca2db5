#ifndef NIC_CORE_HEAP_BLOCKS_H
#define NIC_CORE_HEAP_BLOCKS_H

#include <stddef.h>

struct nic_heap;
struct nic_heap *nic_heap_new(size_t bytes);    /* NULL: out of memory */
void nic_heap_delete(struct nic_heap *heap);

#endif
