/* Atomic operations of each type, on static variables and in the heap, by all PEs at once. */
#include "s.h"

enum { TURNS = 40 };

/* -- those that add and compare */

#define ADD(N, T) \
    static T static_##N; \
    static void add_##N(T *at, shmem_ctx_t ctx) \
    { \
        const int pe = n - 1; \
        T sum = 0, old, nbi; \
        *at = 0; \
        shmem_barrier_all(); \
        for (int i = 0; i < TURNS; i++) { \
            shmem_##N##_atomic_add(at, 3, pe); \
            shmem_ctx_##N##_atomic_inc(ctx, at, pe); \
            old = shmem_##N##_atomic_fetch_add(at, 2, pe); \
            CHECK(old < shmem_ctx_##N##_atomic_fetch_inc(ctx, at, pe)); \
            shmem_##N##_atomic_fetch_add_nbi(&nbi, at, 1, pe); \
            shmem_quiet(); \
            CHECK(nbi > old); \
            shmem_ctx_##N##_atomic_fetch_inc_nbi(ctx, &nbi, at, pe); \
            shmem_ctx_quiet(ctx); \
            sum += 9; \
        } \
        shmem_barrier_all(); \
        SAME(shmem_##N##_atomic_fetch(at, pe), sum * (T)n); \
        shmem_barrier_all(); \
        /* a lock by compare and swap: each PE counts in a plain variable under it */ \
        if (me == pe) \
            at[0] = 0; \
        shmem_barrier_all(); \
        for (int i = 0; i < TURNS / 10; i++) { \
            T seen = shmem_##N##_atomic_fetch(at, pe), before; \
            while ((before = shmem_##N##_atomic_compare_swap(at, seen, seen + 2, pe)) != seen) \
                seen = before; \
            shmem_##N##_atomic_compare_swap_nbi(&nbi, at, (T)1, (T)1000, pe); \
            shmem_quiet(); \
            CHECK(nbi != 1); \
        } \
        shmem_barrier_all(); \
        SAME(shmem_ctx_##N##_atomic_fetch(ctx, at, pe), n * (TURNS / 10) * 2); \
        shmem_barrier_all(); \
    } \
    static void adds_##N(shmem_ctx_t ctx) \
    { \
        T *heap = shmem_malloc(sizeof *heap); \
        add_##N(heap, ctx); \
        add_##N(&static_##N, ctx); \
        shmem_free(heap); \
    }
SHMEM_AMO_ADD_TYPES(ADD)

/* -- fetch, set, swap: a token goes round; nobody loses one */

#define SWAP(N, T) \
    static void swap_##N(shmem_ctx_t ctx) \
    { \
        static T at; \
        T own = (T)(me + 1), sum = 0, nbi; \
        at = 0; \
        shmem_barrier_all(); \
        for (int i = 0; i < TURNS; i++) \
            own = i % 2 ? shmem_##N##_atomic_swap(&at, own, 0) \
                  : shmem_ctx_##N##_atomic_swap(ctx, &at, own, 0); \
        shmem_##N##_atomic_swap_nbi(&nbi, &at, own, 0); \
        shmem_quiet(); \
        static T left[16]; \
        shmem_##N##_p(&left[me], nbi, 0); \
        shmem_barrier_all(); \
        if (me == 0) { \
            for (int i = 0; i < n; i++) \
                sum += left[i]; \
            SAME(sum + at, n * (n + 1) / 2); \
        } \
        shmem_barrier_all(); \
        shmem_##N##_atomic_set(&left[me], (T)(2 * me + 1), 0); \
        shmem_barrier_all(); \
        shmem_##N##_atomic_fetch_nbi(&nbi, &left[n - 1], 0); \
        shmem_quiet(); \
        SAME(nbi, 2 * n - 1); \
        SAME(shmem_##N##_atomic_fetch(&left[me], 0), 2 * me + 1); \
        shmem_barrier_all(); \
    }
SHMEM_AMO_SWAP_TYPES(SWAP)

/* -- bits: each PE has its own */

#define BITS(N, T) \
    static void bits_##N(shmem_ctx_t ctx) \
    { \
        static T at; \
        T bit = (T)1 << me, nbi; \
        at = 0; \
        shmem_barrier_all(); \
        for (int i = 0; i < TURNS; i++) { \
            CHECK(!(shmem_##N##_atomic_fetch_or(&at, bit, 0) & bit)); \
            shmem_ctx_##N##_atomic_xor(ctx, &at, bit, 0); \
            shmem_ctx_quiet(ctx); \
            shmem_##N##_atomic_or(&at, bit, 0); \
            CHECK(shmem_##N##_atomic_fetch_and(&at, (T)~bit, 0) & bit); \
            shmem_##N##_atomic_fetch_xor_nbi(&nbi, &at, bit, 0); \
            shmem_quiet(); \
            CHECK(!(nbi & bit)); \
            CHECK(shmem_##N##_atomic_fetch_xor(&at, bit, 0) & bit); \
            shmem_##N##_atomic_fetch_or_nbi(&nbi, &at, bit, 0); \
            shmem_quiet(); \
            shmem_ctx_##N##_atomic_fetch_and_nbi(ctx, &nbi, &at, (T)~bit, 0); \
            shmem_ctx_quiet(ctx); \
            CHECK(nbi & bit); \
        } \
        shmem_##N##_atomic_or(&at, bit, 0); \
        shmem_barrier_all(); \
        SAME(shmem_##N##_atomic_fetch(&at, 0), ((T)1 << n) - 1); \
        shmem_barrier_all(); \
        shmem_##N##_atomic_and(&at, (T)~bit, 0); \
        shmem_barrier_all(); \
        SAME(shmem_##N##_atomic_fetch(&at, 0), 0); \
        shmem_barrier_all(); \
    }
SHMEM_AMO_BIT_TYPES(BITS)

/* -- calls without types, and the old names */

static void generic(void)
{
    static double d;
    static long l;
    static int i;
    static unsigned u;
    d = l = i = u = 0;
    shmem_barrier_all();
    shmem_atomic_add(&l, 2L, 0);
    shmem_atomic_inc(SHMEM_CTX_DEFAULT, &i, 0);
    shmem_atomic_or(&u, 1u << me, 0);
    shmem_add(&l, 1L, 0);
    shmem_inc(&i, 0);
    shmem_fadd(&i, 1, 0);
    shmem_finc(&i, 0);
    shmem_barrier_all();
    SAME(shmem_atomic_fetch(&l, 0), 3 * n);
    SAME(shmem_fetch(&i, 0), 4 * n);
    SAME(shmem_atomic_fetch(SHMEM_CTX_DEFAULT, &u, 0), (1u << n) - 1);
    SAME(shmem_int_cswap(&i, 4 * n, 4 * n, 0), 4 * n);
    shmem_barrier_all();
    shmem_set(&d, 2.5, me);
    CHECK(shmem_swap(&d, 3.5, me) == 2.5 && shmem_atomic_fetch(&d, me) == 3.5);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    shmem_ctx_t ctx;
    s_start(argc, argv);
    SAME(shmem_ctx_create(0, &ctx), 0);
#define ALL_ADD(N, T) adds_##N(ctx);
    SHMEM_AMO_ADD_TYPES(ALL_ADD)
#define ALL_SWAP(N, T) swap_##N(ctx);
    SHMEM_AMO_SWAP_TYPES(ALL_SWAP)
#define ALL_BITS(N, T) bits_##N(ctx);
    SHMEM_AMO_BIT_TYPES(ALL_BITS)
    generic();
    return s_end();
}
