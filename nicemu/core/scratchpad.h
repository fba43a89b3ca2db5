#ifndef NIC_CORE_SCRATCHPAD_H
#define NIC_CORE_SCRATCHPAD_H

#include <stddef.h>

struct nic_spad;
struct nic_spad *nic_spad_new(size_t bytes);    /* NULL: out of memory */
void nic_spad_delete(struct nic_spad *spad);

#endif
