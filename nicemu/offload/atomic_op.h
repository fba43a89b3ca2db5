/* The atomic unit: what an operation does to a word in reach. */
#ifndef NIC_OFFLOAD_ATOMIC_OP_H
#define NIC_OFFLOAD_ATOMIC_OP_H

#include <stdint.h>

#include "nicemu/atomic.h"

/* Bytes of a type's word, or 0: no such type. */
unsigned nic_atomic_bytes(unsigned type);

/* True if the type has the operation. */
bool nic_atomic_exists(unsigned op, unsigned type);

/* Does it to an aligned word; returns the old value. */
uint64_t nic_atomic_apply(void *word, unsigned op, unsigned type, uint64_t operand,
                          uint64_t compare);

#endif
