#ifndef NIC_CORE_SCRATCHPAD_H
#define NIC_CORE_SCRATCHPAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nic;
struct nic_spad;
/* Whether that much is there, in reach or not. */
bool nic_spad_holds(const struct nic *nic, unsigned rank, uint64_t offset, size_t bytes);
struct nic_spad *nic_spad_new(size_t bytes);    /* NULL: out of memory */
void nic_spad_delete(struct nic_spad *spad);

#endif
