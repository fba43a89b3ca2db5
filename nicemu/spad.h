#ifndef NIC_SPAD_H
#define NIC_SPAD_H

#include <stddef.h>

struct nic_spad;
struct nic_spad *nic_spad_new(size_t bytes);    /* NULL: out of memory */
void nic_spad_delete(struct nic_spad *spad);

#endif
