/* The atomic unit.  What the processor has as one instruction is one instruction; all else is a
 * loop around compare-and-swap of the word's bits, so that both may work on the same word at the
 * same time. */
#include <math.h>
#include <string.h>

#include "offload/atomic_op.h"

#define SIZE_OF(name, type) sizeof(type),
static const unsigned char size[] = { NIC_ATOMIC_TYPES(SIZE_OF) };

unsigned nic_atomic_bytes(unsigned type) { return type < NIC_ATOMIC_TYPE_COUNT ? size[type] : 0; }

static bool is_floating(unsigned type)
{
    return type == NIC_ATOMIC_FLOAT || type == NIC_ATOMIC_DOUBLE;
}
static bool is_bitwise(unsigned op)
{
    return op == NIC_ATOMIC_AND || op == NIC_ATOMIC_OR || op == NIC_ATOMIC_XOR;
}

bool nic_atomic_exists(unsigned op, unsigned type)
{
    return op < NIC_ATOMIC_OP_COUNT && type < NIC_ATOMIC_TYPE_COUNT
           && !(is_floating(type) && is_bitwise(op));
}

/* Integers: addition is done without a sign, where it wraps around. */
#define INTEGER(type, without_sign) \
    static uint64_t combine_##type(unsigned op, uint64_t old, uint64_t operand) \
    { \
        without_sign a = (without_sign)old, b = (without_sign)operand; \
        switch (op) { \
        case NIC_ATOMIC_ADD: return (without_sign)(a + b); \
        case NIC_ATOMIC_AND: return a & b; \
        case NIC_ATOMIC_OR: return a | b; \
        case NIC_ATOMIC_XOR: return a ^ b; \
        case NIC_ATOMIC_MIN: return (type)b < (type)a ? b : a; \
        default: return (type)b > (type)a ? b : a; \
        } \
    }
INTEGER(int32_t, uint32_t)
INTEGER(int64_t, uint64_t)
INTEGER(uint32_t, uint32_t)
INTEGER(uint64_t, uint64_t)

/* Whether b goes before a: numbers before NaNs, then by value,
 * -0 before +0 for MIN and after it for MAX. */
#define FLOATING(type, word) \
    static bool replaces_##type(bool least, type a, type b) \
    { \
        if (isnan(a) || isnan(b)) \
            return isnan(a) && !isnan(b); \
        if (a == b) \
            return least ? signbit(b) && !signbit(a) : signbit(a) && !signbit(b); \
        return least ? b < a : b > a; \
    } \
    static uint64_t combine_##type(unsigned op, uint64_t old, uint64_t operand) \
    { \
        type a, b; \
        word bits = (word)old, more = (word)operand; \
        memcpy(&a, &bits, sizeof a); \
        memcpy(&b, &more, sizeof b); \
        if (op != NIC_ATOMIC_ADD) \
            return replaces_##type(op == NIC_ATOMIC_MIN, a, b) ? operand : old; \
        a += b; \
        memcpy(&bits, &a, sizeof a); \
        return bits; \
    }
FLOATING(float, uint32_t)
FLOATING(double, uint64_t)

#define COMBINE_OF(name, type) combine_##type,
static uint64_t (*const combine[])(unsigned op, uint64_t old,
                                   uint64_t operand) = { NIC_ATOMIC_TYPES(COMBINE_OF) };

#define LOOP(bits) \
    static uint64_t loop_##bits(uint##bits##_t *word, unsigned op, unsigned type, \
                                uint64_t operand) \
    { \
        uint##bits##_t old = __atomic_load_n(word, __ATOMIC_ACQUIRE), new_value; \
        do \
            new_value = (uint##bits##_t)combine[type](op, old, operand); \
        while (!__atomic_compare_exchange_n(word, &old, new_value, true, __ATOMIC_ACQ_REL, \
                                            __ATOMIC_ACQUIRE)); \
        return old; \
    } \
    static uint64_t apply_##bits(uint##bits##_t *word, unsigned op, unsigned type, \
                                 uint##bits##_t operand, uint##bits##_t compare) \
    { \
        switch (op) { \
        case NIC_ATOMIC_WRITE: \
            return __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL); \
        case NIC_ATOMIC_COMPARE: \
            __atomic_compare_exchange_n(word, &compare, operand, false, __ATOMIC_ACQ_REL, \
                                        __ATOMIC_ACQUIRE); \
            return compare; \
        case NIC_ATOMIC_ADD: \
            if (!is_floating(type)) \
                return __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL); \
            break; \
        case NIC_ATOMIC_AND: return __atomic_fetch_and(word, operand, __ATOMIC_ACQ_REL); \
        case NIC_ATOMIC_OR: return __atomic_fetch_or(word, operand, __ATOMIC_ACQ_REL); \
        case NIC_ATOMIC_XOR: return __atomic_fetch_xor(word, operand, __ATOMIC_ACQ_REL); \
        } \
        return loop_##bits(word, op, type, operand); \
    }
LOOP(32)
LOOP(64)

uint64_t nic_atomic_apply(void *word, unsigned op, unsigned type, uint64_t operand,
                          uint64_t compare)
{
    return size[type] == 4 ? apply_32(word, op, type, (uint32_t)operand, (uint32_t)compare)
           : apply_64(word, op, type, operand, compare);
}
