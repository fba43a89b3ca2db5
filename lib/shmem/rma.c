/* Put and get: typed, of elements of so many bits, of bytes; with signals; with strides. */
#include "nicemu/remote.h"
#include "shmem/access.h"
#include "shmem/error.h"
#include "shmem/wait.h"

/* More than there can be, where the product is no number of bytes. */
static inline size_t bytes_of(size_t nelems, size_t size)
{
    size_t bytes;
    return __builtin_mul_overflow(nelems, size, &bytes) ? SIZE_MAX : bytes;
}

static inline __attribute__((always_inline))
void put_inline(const char *call, shmem_ctx_t ctx, void *dest, const void *source, size_t bytes,
                bool nbi, int pe)
{
    struct shmem_context *c = mpi_shmem_context(call, ctx, &pe);
    char *there = mpi_shmem_reach(dest, bytes, pe);
    if (unlikely(!there)) {
        mpi_shmem_put_far(call, c, dest, source, bytes, NULL, nbi, pe);
        return;
    }
    nic_copy(there, source, bytes);
    mpi_shmem_wake(pe);
}

static inline __attribute__((always_inline))
void get_inline(const char *call, shmem_ctx_t ctx, void *dest, const void *source, size_t bytes,
                bool nbi, int pe)
{
    struct shmem_context *c = mpi_shmem_context(call, ctx, &pe);
    const char *there = mpi_shmem_reach(source, bytes, pe);
    if (unlikely(!there)) {
        mpi_shmem_get_far(call, c, dest, source, bytes, nbi, pe);
        return;
    }
    if (!nbi)
        mpi_shmem_reads(pe);
    nic_copy(dest, there, bytes);
}

/* One element is a matter of a few instructions; all else is worth a call. */
static __attribute__((noinline))
void put(const char *call, shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, bool nbi,
         int pe)
{
    put_inline(call, ctx, dest, source, bytes, nbi, pe);
}

static __attribute__((noinline))
void get(const char *call, shmem_ctx_t ctx, void *dest, const void *source, size_t bytes, bool nbi,
         int pe)
{
    get_inline(call, ctx, dest, source, bytes, nbi, pe);
}

/* -- with a signal behind the data */

static __attribute__((noinline))
void put_signal(const char *call, shmem_ctx_t ctx, void *dest, const void *source,
                       size_t bytes, const struct mpi_shmem_signal *signal, bool nbi, int pe)
{
    struct shmem_context *c = mpi_shmem_context(call, ctx, &pe);
    char *there = mpi_shmem_reach(dest, bytes, pe);
    char *word = mpi_shmem_reach(signal->at, sizeof *signal->at, pe);
    if (signal->op != SHMEM_SIGNAL_SET && signal->op != SHMEM_SIGNAL_ADD)
        mpi_shmem_die(call, "%d is no operation on a signal", signal->op);
    if (unlikely(!there || !word)) {
        mpi_shmem_put_far(call, c, dest, source, bytes, signal, nbi, pe);
        return;
    }
    nic_copy(there, source, bytes);
    /* release: the data are there before the signal is (acquire: the wait for it) */
    if (signal->op == SHMEM_SIGNAL_SET)
        __atomic_store_n((uint64_t *)(void *)word, signal->value, __ATOMIC_RELEASE);
    else
        __atomic_fetch_add((uint64_t *)(void *)word, signal->value, __ATOMIC_RELEASE);
    mpi_shmem_wake(pe);
}

/* -- strides, in elements */

struct strided { ptrdiff_t dst, sst; size_t nelems, size; };

static const char *step(const void *base, ptrdiff_t stride, size_t i, size_t size)
{
    return (const char *)base + stride * (ptrdiff_t)(i * size);
}

static __attribute__((noinline))
void strided(const char *call, shmem_ctx_t ctx, void *dest, const void *source,
                    const struct strided *s, bool is_put, int pe)
{
    SHMEM_ENTER(call);
    if (s->dst < 1 || s->sst < 1)
        mpi_shmem_die(call, "the strides are %td and %td: they must be 1 or more", s->dst, s->sst);
    for (size_t i = 0; i < s->nelems; i++) {
        void *to = (void *)(uintptr_t)step(dest, s->dst, i, s->size);
        const void *from = step(source, s->sst, i, s->size);
        if (is_put)
            put(call, ctx, to, from, s->size, false, pe);
        else
            get(call, ctx, to, from, s->size, true, pe);
    }
    if (!is_put && !mpi_shmem.local)
        mpi_shmem_quiet(mpi_shmem_context_of(call, ctx, NULL), call);
}

/* -- the functions: NAME and without and with a context, whose parameter is MORE and value CTX */

#define NO_CTX
#define HAS_CTX shmem_ctx_t ctx,

#define MOVE(NAME, DO, NBI, T, UNIT, MORE, CTX) \
    void pshmem_##NAME(MORE T *dest, const T *source, size_t nelems, int pe) \
    { \
        DO("shmem_" #NAME, CTX, dest, source, bytes_of(nelems, UNIT), NBI, pe); \
    } \
    SHMEM_ALIAS(NAME);
#define SIGNAL(NAME, NBI, T, UNIT, MORE, CTX) \
    void pshmem_##NAME(MORE T *dest, const T *source, size_t nelems, uint64_t *sig_addr, \
                       uint64_t signal, int sig_op, int pe) \
    { \
        const struct mpi_shmem_signal s = { sig_addr, signal, sig_op }; \
        put_signal("shmem_" #NAME, CTX, dest, source, bytes_of(nelems, UNIT), &s, NBI, pe); \
    } \
    SHMEM_ALIAS(NAME);
#define STRIDED(NAME, IS_PUT, T, UNIT, MORE, CTX) \
    void pshmem_##NAME(MORE T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
                       size_t nelems, int pe) \
    { \
        const struct strided s = { dst, sst, nelems, UNIT }; \
        strided("shmem_" #NAME, CTX, dest, source, &s, IS_PUT, pe); \
    } \
    SHMEM_ALIAS(NAME);
#define P(NAME, T, MORE, CTX) \
    void pshmem_##NAME(MORE T *dest, T value, int pe) \
    { \
        put_inline("shmem_" #NAME, CTX, dest, &value, sizeof value, false, pe); \
    } \
    SHMEM_ALIAS(NAME);
#define G(NAME, T, MORE, CTX) \
    T pshmem_##NAME(MORE const T *source, int pe) \
    { \
        T value; \
        get_inline("shmem_" #NAME, CTX, &value, source, sizeof value, false, pe); \
        return value; \
    } \
    SHMEM_ALIAS(NAME);

#define BOTH(WHAT, NAME, ...) \
    WHAT(NAME, __VA_ARGS__, NO_CTX, SHMEM_CTX_DEFAULT) \
    WHAT(ctx_##NAME, __VA_ARGS__, HAS_CTX, ctx)

#define TYPED(N, T) \
    BOTH(MOVE, N##_put, put, false, T, sizeof(T)) \
    BOTH(MOVE, N##_get, get, false, T, sizeof(T)) \
    BOTH(MOVE, N##_put_nbi, put, true, T, sizeof(T)) \
    BOTH(MOVE, N##_get_nbi, get, true, T, sizeof(T)) \
    BOTH(SIGNAL, N##_put_signal, false, T, sizeof(T)) \
    BOTH(SIGNAL, N##_put_signal_nbi, true, T, sizeof(T)) \
    BOTH(STRIDED, N##_iput, true, T, sizeof(T)) \
    BOTH(STRIDED, N##_iget, false, T, sizeof(T)) \
    BOTH(P, N##_p, T) \
    BOTH(G, N##_g, T)
SHMEM_RMA_TYPES(TYPED)

#define UNTYPED(N, BYTES) \
    BOTH(MOVE, put##N, put, false, void, BYTES) \
    BOTH(MOVE, get##N, get, false, void, BYTES) \
    BOTH(MOVE, put##N##_nbi, put, true, void, BYTES) \
    BOTH(MOVE, get##N##_nbi, get, true, void, BYTES) \
    BOTH(SIGNAL, put##N##_signal, false, void, BYTES) \
    BOTH(SIGNAL, put##N##_signal_nbi, true, void, BYTES)
#define SIZED(N, BYTES) \
    UNTYPED(N, BYTES) \
    BOTH(STRIDED, iput##N, true, void, BYTES) \
    BOTH(STRIDED, iget##N, false, void, BYTES)
SHMEM_RMA_SIZES(SIZED)
UNTYPED(mem, 1)
