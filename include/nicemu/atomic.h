/* Remote atomic operations of nicemu (Buntinas, chapter 5: fetch&add, fetch&write, compare&swap;
 * the rest are ours).
 *
 * An operation reads a word of any rank, stores a new value and returns the old one, with nothing
 * in between: atomic with respect to all other such operations on that word, by whatever way they
 * come, and to the owner's own C11 atomic accesses of the word's size.  Words are 4 or 8 bytes, at
 * a multiple of their size, in a scratchpad, in the heap, or in registered memory with
 * NIC_RIGHT_ATOMIC.
 *
 * Values.  Operands and results are the bits of the value in the lower bytes of 64
 * (nic_bits_of_double and so on).  Integers wrap around.  Floating point:
 *   ADD      as the processor adds, rounding to nearest;
 *   COMPARE  compares bits: a NaN equals itself, -0 does not equal +0;
 *   MIN, MAX -0 is less than +0; a NaN loses against a number: a NaN operand leaves the word as it
 *   is, a NaN in the word is
 *   replaced by a number;
 *   AND, OR, XOR exist for integers only.
 *
 * Where the word is in reach (its segment is mapped here) the initiator does the operation itself.
 * Else a packet asks the target's NIC.  A request that arrives twice is executed once and answered
 * twice, from a table of results that the target keeps: the last NIC_ATOMIC_WINDOW of each
 * initiator.  An initiator has no more than so many under way to a target; what goes beyond waits
 * in the initiator's memory and starts by itself.
 *
 * All functions need the baton. */
#ifndef NICEMU_ATOMIC_H
#define NICEMU_ATOMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* old value X, operand D, compare C: the new value */
#define NIC_ATOMIC_OPS(X) \
    X(ADD)          /* X + D */ \
    X(WRITE)        /* D */ \
    X(COMPARE)      /* X == C ? D : X */ \
    X(AND)          /* X & D */ \
    X(OR)           /* X | D */ \
    X(XOR)          /* X ^ D */ \
    X(MIN)          /* the lesser of X and D */ \
    X(MAX)          /* the greater */

#define NIC_ATOMIC_TYPES(X) \
    X(INT32, int32_t) X(INT64, int64_t) X(UINT32, uint32_t) X(UINT64, uint64_t) \
    X(FLOAT, float) X(DOUBLE, double)

#define NIC_ATOMIC_OP_ENUM(name) NIC_ATOMIC_##name,
enum nic_atomic_op { NIC_ATOMIC_OPS(NIC_ATOMIC_OP_ENUM) NIC_ATOMIC_OP_COUNT };
#define NIC_ATOMIC_TYPE_ENUM(name, type) NIC_ATOMIC_##name,
enum nic_atomic_type { NIC_ATOMIC_TYPES(NIC_ATOMIC_TYPE_ENUM) NIC_ATOMIC_TYPE_COUNT };

enum { NIC_ATOMIC_WINDOW = 16 };

struct nic_atomic {
    enum nic_atomic_op op;
    enum nic_atomic_type type;
    struct nic_address target;
    uint64_t operand, compare;      /* bits; compare only for COMPARE */
    void *result;                   /* gets the old value, in the word's size; NULL: not wanted */
    /* counter of one's own: 1 is added when it has ended well and the result is there;
     * NIC_SPAD_NONE: none */
    uint64_t counter;
};

/* Starts it; the request may be gone then.  0: under way, or at its end already; -EINVAL: an
 * operation, type or rank that does not exist, an operation that its type does not have, or a
 * counter that cannot be; -ENOMEM.  What only the target can tell comes as the outcome's status
 * (which may be NULL), and then nothing has been touched and nothing is counted: -EINVAL not
 * aligned, -ENOKEY no such key, -EACCES no right to it, -ERANGE outside its memory.  Operations of
 * a rank on the same target start in order. */
int nic_atomic(struct nic *nic, const struct nic_atomic *atomic, struct nic_outcome *outcome);

/* Starts it and waits for its end; from a host's call only.  0 or either error. */
int nic_atomic_wait(struct nic *nic, const struct nic_atomic *atomic);

static inline uint64_t nic_bits_of_float(float value)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint64_t nic_bits_of_double(double value)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
