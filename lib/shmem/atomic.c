/* Atomic operations: by instructions where the memory is mapped here, else by the NIC, which
 * changes the word by such instructions, too. */
#include <string.h>

#include "shmem/access.h"
#include "shmem/error.h"
#include "shmem/wait.h"

/* Words of 4 and of 8 bytes: what is stored and added is the same for all types of a size. */
#define APPLY(bits) \
    static inline uint64_t apply_##bits(void *at, enum nic_atomic_op op, uint64_t operand, \
                                        uint64_t compare) \
    { \
        uint##bits##_t *word = at, value = (uint##bits##_t)operand, \
            old = (uint##bits##_t)compare; \
        switch (op) { \
        case NIC_ATOMIC_ADD: return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL); \
        case NIC_ATOMIC_WRITE: return __atomic_exchange_n(word, value, __ATOMIC_ACQ_REL); \
        case NIC_ATOMIC_AND: return __atomic_fetch_and(word, value, __ATOMIC_ACQ_REL); \
        case NIC_ATOMIC_OR: return __atomic_fetch_or(word, value, __ATOMIC_ACQ_REL); \
        case NIC_ATOMIC_XOR: return __atomic_fetch_xor(word, value, __ATOMIC_ACQ_REL); \
        default: \
            __atomic_compare_exchange_n(word, &old, value, false, __ATOMIC_ACQ_REL, \
                                        __ATOMIC_ACQUIRE); \
            return old; \
        } \
    }
APPLY(32)
APPLY(64)

/* How long the result may take. */
enum when { NOBODY_ASKS, AT_ONCE, LATER };

static inline __attribute__((always_inline))
void atomic(const char *call, shmem_ctx_t ctx, enum nic_atomic_op op, void *dest, size_t bytes,
            uint64_t operand, uint64_t compare, void *result, enum when when, int pe)
{
    struct shmem_context *c = mpi_shmem_context(call, ctx, &pe);
    char *there = mpi_shmem_reach(dest, bytes, pe);
    if (unlikely(!there || (uintptr_t)there % bytes)) {
        const struct mpi_shmem_atomic a = { op, bytes, operand, compare, result };
        mpi_shmem_atomic_far(call, c, dest, &a, when == AT_ONCE, pe);
        return;
    }
    if (when == AT_ONCE)
        mpi_shmem_reads(pe);
    uint64_t old = bytes == 4 ? apply_32(there, op, operand, compare)
                   : apply_64(there, op, operand, compare);
    if (result && bytes == 4)
        memcpy(result, &(uint32_t){ (uint32_t)old }, 4);
    else if (result)
        memcpy(result, &old, 8);
    mpi_shmem_wake(pe);
}

/* Reading needs no locked instruction. */
static inline __attribute__((always_inline))
void fetch(const char *call, shmem_ctx_t ctx, const void *source, size_t bytes, void *result,
           enum when when, int pe)
{
    void *word = (void *)(uintptr_t)source;
    struct shmem_context *c = mpi_shmem_context(call, ctx, &pe);
    char *there = mpi_shmem_reach(source, bytes, pe);
    if (unlikely(!there || (uintptr_t)there % bytes)) {
        const struct mpi_shmem_atomic a = { NIC_ATOMIC_ADD, bytes, 0, 0, result };
        mpi_shmem_atomic_far(call, c, word, &a, when == AT_ONCE, pe);
        return;
    }
    if (when == AT_ONCE)
        mpi_shmem_reads(pe);
    if (bytes == 4) {
        uint32_t old = __atomic_load_n((uint32_t *)(void *)there, __ATOMIC_ACQUIRE);
        memcpy(result, &old, sizeof old);
    } else {
        uint64_t old = __atomic_load_n((uint64_t *)(void *)there, __ATOMIC_ACQUIRE);
        memcpy(result, &old, sizeof old);
    }
}

/* A value's bits. */
#define BITS(value) \
    ({ uint64_t bits_ = 0; memcpy(&bits_, &(value), sizeof(value)); bits_; })

#define NO_CTX
#define HAS_CTX shmem_ctx_t ctx,

#define FETCH(NAME, T, MORE, CTX) \
    T pshmem_##NAME(MORE const T *source, int pe) \
    { \
        T old; \
        fetch("shmem_" #NAME, CTX, source, sizeof old, &old, AT_ONCE, pe); \
        return old; \
    } \
    SHMEM_ALIAS(NAME);
#define FETCH_NBI(NAME, T, MORE, CTX) \
    void pshmem_##NAME(MORE T *result, const T *source, int pe) \
    { \
        fetch("shmem_" #NAME, CTX, source, sizeof *result, result, LATER, pe); \
    } \
    SHMEM_ALIAS(NAME);
/* A change whose old value nobody asks for; with it; with it later. */
#define CHANGE(NAME, OP, T, MORE, CTX) \
    void pshmem_##NAME(MORE T *dest, T value, int pe) \
    { \
        atomic("shmem_" #NAME, CTX, OP, dest, sizeof value, BITS(value), 0, NULL, NOBODY_ASKS, \
               pe); \
    } \
    SHMEM_ALIAS(NAME);
#define FETCH_CHANGE(NAME, OP, T, MORE, CTX) \
    T pshmem_##NAME(MORE T *dest, T value, int pe) \
    { \
        T old; \
        atomic("shmem_" #NAME, CTX, OP, dest, sizeof value, BITS(value), 0, &old, AT_ONCE, pe); \
        return old; \
    } \
    SHMEM_ALIAS(NAME);
#define FETCH_CHANGE_NBI(NAME, OP, T, MORE, CTX) \
    void pshmem_##NAME(MORE T *result, T *dest, T value, int pe) \
    { \
        atomic("shmem_" #NAME, CTX, OP, dest, sizeof value, BITS(value), 0, result, LATER, pe); \
    } \
    SHMEM_ALIAS(NAME);
#define INC(NAME, T, MORE, CTX) \
    void pshmem_##NAME(MORE T *dest, int pe) \
    { \
        atomic("shmem_" #NAME, CTX, NIC_ATOMIC_ADD, dest, sizeof *dest, 1, 0, NULL, NOBODY_ASKS, \
               pe); \
    } \
    SHMEM_ALIAS(NAME);
#define FETCH_INC(NAME, T, MORE, CTX) \
    T pshmem_##NAME(MORE T *dest, int pe) \
    { \
        T old; \
        atomic("shmem_" #NAME, CTX, NIC_ATOMIC_ADD, dest, sizeof old, 1, 0, &old, AT_ONCE, pe); \
        return old; \
    } \
    SHMEM_ALIAS(NAME);
#define FETCH_INC_NBI(NAME, T, MORE, CTX) \
    void pshmem_##NAME(MORE T *result, T *dest, int pe) \
    { \
        atomic("shmem_" #NAME, CTX, NIC_ATOMIC_ADD, dest, sizeof *dest, 1, 0, result, LATER, pe); \
    } \
    SHMEM_ALIAS(NAME);
#define COMPARE(NAME, T, MORE, CTX) \
    T pshmem_##NAME(MORE T *dest, T cond, T value, int pe) \
    { \
        T old; \
        atomic("shmem_" #NAME, CTX, NIC_ATOMIC_COMPARE, dest, sizeof old, BITS(value), \
               BITS(cond), &old, AT_ONCE, pe); \
        return old; \
    } \
    SHMEM_ALIAS(NAME);
#define COMPARE_NBI(NAME, T, MORE, CTX) \
    void pshmem_##NAME(MORE T *result, T *dest, T cond, T value, int pe) \
    { \
        atomic("shmem_" #NAME, CTX, NIC_ATOMIC_COMPARE, dest, sizeof value, BITS(value), \
               BITS(cond), result, LATER, pe); \
    } \
    SHMEM_ALIAS(NAME);

#define BOTH(WHAT, NAME, ...) \
    WHAT(NAME, __VA_ARGS__, NO_CTX, SHMEM_CTX_DEFAULT) \
    WHAT(ctx_##NAME, __VA_ARGS__, HAS_CTX, ctx)
#define ALONE(WHAT, NAME, ...) WHAT(NAME, __VA_ARGS__, NO_CTX, SHMEM_CTX_DEFAULT)

#define SWAP_TYPED(N, T) \
    BOTH(FETCH, N##_atomic_fetch, T) \
    BOTH(FETCH_NBI, N##_atomic_fetch_nbi, T) \
    BOTH(CHANGE, N##_atomic_set, NIC_ATOMIC_WRITE, T) \
    BOTH(FETCH_CHANGE, N##_atomic_swap, NIC_ATOMIC_WRITE, T) \
    BOTH(FETCH_CHANGE_NBI, N##_atomic_swap_nbi, NIC_ATOMIC_WRITE, T)
SHMEM_AMO_SWAP_TYPES(SWAP_TYPED)

#define ADD_TYPED(N, T) \
    BOTH(COMPARE, N##_atomic_compare_swap, T) \
    BOTH(COMPARE_NBI, N##_atomic_compare_swap_nbi, T) \
    BOTH(INC, N##_atomic_inc, T) \
    BOTH(FETCH_INC, N##_atomic_fetch_inc, T) \
    BOTH(FETCH_INC_NBI, N##_atomic_fetch_inc_nbi, T) \
    BOTH(CHANGE, N##_atomic_add, NIC_ATOMIC_ADD, T) \
    BOTH(FETCH_CHANGE, N##_atomic_fetch_add, NIC_ATOMIC_ADD, T) \
    BOTH(FETCH_CHANGE_NBI, N##_atomic_fetch_add_nbi, NIC_ATOMIC_ADD, T)
SHMEM_AMO_ADD_TYPES(ADD_TYPED)

#define BIT_TYPED(N, T, NAME, OP) \
    BOTH(CHANGE, N##_atomic_##NAME, OP, T) \
    BOTH(FETCH_CHANGE, N##_atomic_fetch_##NAME, OP, T) \
    BOTH(FETCH_CHANGE_NBI, N##_atomic_fetch_##NAME##_nbi, OP, T)
#define BITS_TYPED(N, T) \
    BIT_TYPED(N, T, and, NIC_ATOMIC_AND) \
    BIT_TYPED(N, T, or, NIC_ATOMIC_OR) \
    BIT_TYPED(N, T, xor, NIC_ATOMIC_XOR)
SHMEM_AMO_BIT_TYPES(BITS_TYPED)

/* -- deprecated names */

#define OLD_SWAP_TYPED(N, T) \
    ALONE(FETCH, N##_fetch, T) \
    ALONE(CHANGE, N##_set, NIC_ATOMIC_WRITE, T) \
    ALONE(FETCH_CHANGE, N##_swap, NIC_ATOMIC_WRITE, T)
SHMEM_OLD_SWAP_TYPES(OLD_SWAP_TYPED)

#define OLD_ADD_TYPED(N, T) \
    ALONE(COMPARE, N##_cswap, T) \
    ALONE(INC, N##_inc, T) \
    ALONE(FETCH_INC, N##_finc, T) \
    ALONE(CHANGE, N##_add, NIC_ATOMIC_ADD, T) \
    ALONE(FETCH_CHANGE, N##_fadd, NIC_ATOMIC_ADD, T)
SHMEM_OLD_ADD_TYPES(OLD_ADD_TYPED)
ALONE(FETCH_CHANGE, swap, NIC_ATOMIC_WRITE, long)
