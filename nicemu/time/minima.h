/* A binary tree of minima: node 1 is the root, 2i and 2i + 1 are the children of i, and `leaves`, a
 * power of two, is the first leaf.  Many processes read one; who writes has a lock. */
#ifndef NIC_TIME_MINIMA_H
#define NIC_TIME_MINIMA_H

#include <stdatomic.h>
#include <stdint.h>

/* The power of two that is next to n. */
static inline uint32_t nic_minima_leaves(uint32_t n)
{
    return n < 2 ? 1 : UINT32_C(2) << (31 - __builtin_clz(n - 1));
}

static inline uint64_t nic_minima_get(const _Atomic uint64_t *node, uint32_t i)
{
    return atomic_load_explicit(&node[i], memory_order_relaxed);
}

/* That node only. */
static inline void nic_minima_put(_Atomic uint64_t *node, uint32_t i, uint64_t value)
{
    atomic_store_explicit(&node[i], value, memory_order_relaxed);
}

static inline void nic_minima_set(_Atomic uint64_t *node, uint32_t leaf, uint64_t value)
{
    nic_minima_put(node, leaf, value);
    for (uint32_t i = leaf / 2; i; i /= 2) {
        uint64_t a = nic_minima_get(node, 2 * i), b = nic_minima_get(node, 2 * i + 1);
        uint64_t least = a < b ? a : b;
        if (least == nic_minima_get(node, i))
            break;
        nic_minima_put(node, i, least);
    }
}

/* The leftmost of the leaves below node i that have its value. */
static inline uint32_t nic_minima_find(const _Atomic uint64_t *node, uint32_t leaves, uint32_t i)
{
    const uint64_t value = nic_minima_get(node, i);
    while (i < leaves)
        i = 2 * i + (nic_minima_get(node, 2 * i) != value);
    return i;
}

#endif
