/* Atomic changes of elements. */
#include "rma/element.h"

#include <string.h>

#define CHANGE(bits) \
    static uint##bits##_t change_##bits(uint##bits##_t *word, const struct mpi_rma_change *c, \
                                        const void *origin) \
    { \
        uint##bits##_t operand, old, new_value; \
        if (!origin) \
            return __atomic_load_n(word, __ATOMIC_ACQUIRE); \
        memcpy(&operand, origin, sizeof operand); \
        if (c->replace) \
            return __atomic_exchange_n(word, operand, __ATOMIC_ACQ_REL); \
        if (c->sum) \
            return __atomic_fetch_add(word, operand, __ATOMIC_ACQ_REL); \
        old = __atomic_load_n(word, __ATOMIC_ACQUIRE); \
        do { \
            new_value = old; \
            c->loop(&operand, &new_value, 1); \
        } while (!__atomic_compare_exchange_n(word, &old, new_value, true, __ATOMIC_ACQ_REL, \
                                              __ATOMIC_ACQUIRE)); \
        return old; \
    } \
    static void change_all_##bits(void *at, size_t count, const struct mpi_rma_change *c, \
                                  const char *origin, char *result) \
    { \
        for (uint##bits##_t *word = at, old; count; count--, word++) { \
            old = change_##bits(word, c, origin); \
            if (origin) \
                origin += sizeof old; \
            if (result) { \
                memcpy(result, &old, sizeof old); \
                result += sizeof old; \
            } \
        } \
    } \
    static bool exchange_if_##bits(uint##bits##_t *word, const void *value, const void *compare, \
                                   void *result) \
    { \
        uint##bits##_t new_value, old; \
        memcpy(&new_value, value, sizeof new_value); \
        memcpy(&old, compare, sizeof old); \
        bool done = __atomic_compare_exchange_n(word, &old, new_value, false, __ATOMIC_ACQ_REL, \
                                                __ATOMIC_ACQUIRE); \
        memcpy(result, &old, sizeof old); \
        return done; \
    }
CHANGE(8)
CHANGE(16)
CHANGE(32)
CHANGE(64)

void mpi_rma_change(void *at, size_t count, const struct mpi_rma_change *change,
                    const void *origin, void *result)
{
    switch (change->bytes) {
    case 8: change_all_64(at, count, change, origin, result); break;
    case 4: change_all_32(at, count, change, origin, result); break;
    case 2: change_all_16(at, count, change, origin, result); break;
    default: change_all_8(at, count, change, origin, result);
    }
}

bool mpi_rma_exchange_if(void *at, size_t bytes, const void *value, const void *compare,
                         void *result)
{
    switch (bytes) {
    case 8: return exchange_if_64(at, value, compare, result);
    case 4: return exchange_if_32(at, value, compare, result);
    case 2: return exchange_if_16(at, value, compare, result);
    default: return exchange_if_8(at, value, compare, result);
    }
}
