/* The loops of the predefined reductions, one per operation and element, made
 * from the lists in elem.h.
 *
 * They run over blocks of a fixed length, which compilers turn into vector
 * instructions at any level of optimisation that vectorises at all, and then
 * over the rest.  Buffers may lie at any address: they may be inside a packet.
 *
 * Those that wider vectors make faster are there for these too: what the processor has is
 * asked when a loop is wanted for the first time (NICEMU_SIMD: none, avx2).  All give the same
 * bits: none has a product and a sum that a compiler could make one instruction of. */
#include "core/op_table.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/fortran_truth.h"

enum { BLOCK_BYTES = 64 };

#define TARGET_plain
#define TARGET_avx2 __attribute__((target("avx2")))
#define TARGET_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl" WIDE)))
#ifdef __clang__
#define WIDE
#else
#define WIDE ",prefer-vector-width=512"
#endif

#define LOG2(size) ((size) == 1 ? 0 : (size) == 2 ? 1 : (size) == 4 ? 2 : (size) == 8 ? 3 : 4)

/* Elements in front of the next line; 0 where none begins with an element.  A wide vector that lies
 * in two lines takes twice as long, and what malloc gives lies 16 bytes behind a line. */
static inline size_t to_line(const void *at, size_t size)
{
    const size_t bytes = -(uintptr_t)at % BLOCK_BYTES;
    return bytes % size ? 0 : bytes / size;
}
enum { PEELS_plain = false, PEELS_avx2 = true, PEELS_avx512 = true };

/* What a program reduces as one type it may have stored as another of the same size. */
#define UNALIGNED(type) type __attribute__((aligned(1), may_alias))

/* static void OP_NAME_LEVEL(in, inout, n), where `result` says what becomes of x, from in, and y,
 * from inout */
#define LOOP(level, op, name, type, result) \
    TARGET_##level static void op##_##name##_##level(const void *restrict in, \
                                                     void *restrict inout, size_t n) \
    { \
        typedef UNALIGNED(type) element; \
        const size_t block = BLOCK_BYTES / sizeof(element); \
        const element *a = in; \
        element *b = inout; \
        size_t peeled = PEELS_##level && n >= 4 * block ? to_line(b, sizeof(element)) : 0; \
        for (n -= peeled; peeled; peeled--, a++, b++) { \
            const type x = *a, y = *b; \
            *b = (type)(result); \
        } \
        for (; n >= block; n -= block, a += block, b += block) \
            for (size_t i = 0; i < block; i++) { \
                const type x = a[i], y = b[i]; \
                b[i] = (type)(result); \
            } \
        for (size_t i = 0; i < n; i++) { \
            const type x = a[i], y = b[i]; \
            b[i] = (type)(result); \
        } \
    }

#define MINMAX(level, name, type) \
    LOOP(level, min, name, type, x < y ? x : y) \
    LOOP(level, max, name, type, x > y ? x : y)

#define INTEGER_LOOPS(level, name, type, wrapping) \
    MINMAX(level, name, type) \
    LOOP(level, sum, name, type, (wrapping)x + (wrapping)y) \
    LOOP(level, prod, name, type, (wrapping)x * (wrapping)y) \
    LOOP(level, band, name, type, x & y) \
    LOOP(level, bor, name, type, x | y) \
    LOOP(level, bxor, name, type, x ^ y) \
    LOOP(level, land, name, type, (x != 0) & (y != 0)) \
    LOOP(level, lor, name, type, (x | y) != 0) \
    LOOP(level, lxor, name, type, (x != 0) ^ (y != 0))

#define SUM_LOOP(level, name, type) LOOP(level, sum, name, type, x + y)
#define FLOAT_LOOPS(level, name, type) \
    MINMAX(level, name, type) \
    SUM_LOOP(level, name, type) \
    LOOP(level, prod, name, type, x * y)

/* Whatever is not false counts as true. */
#define LOGICAL_LOOP(op, name, type, result) \
    static void op##_##name##_plain(const void *restrict in, void *restrict inout, size_t n) \
    { \
        typedef UNALIGNED(type) element; \
        const struct mpi_fortran_truth *truth = &mpi_fortran_truth[LOG2(sizeof(type))]; \
        const type no = (type)truth->no, yes = (type)truth->yes; \
        const element *a = in; \
        element *b = inout; \
        for (size_t i = 0; i < n; i++) { \
            const bool x = a[i] != no, y = b[i] != no; \
            b[i] = (result) ? yes : no; \
        } \
    }

#define LOGICAL_LOOPS(name, type) \
    LOGICAL_LOOP(land, name, type, x && y) \
    LOGICAL_LOOP(lor, name, type, x || y) \
    LOGICAL_LOOP(lxor, name, type, x != y)

/* Of equal values the one with the lower index wins.  Only the members are written: gaps are the
 * user's. */
#define LOC(op, name, value_type, index_type, before) \
    static void op##_##name##_plain(const void *in, void *inout, size_t n) \
    { \
        typedef UNALIGNED(value_type) value; \
        typedef UNALIGNED(index_type) index; \
        const size_t extent = sizeof(struct mpi_pair_##name); \
        const size_t at = offsetof(struct mpi_pair_##name, index); \
        const char *a = in; \
        char *b = inout; \
        for (; n > 0; n--, a += extent, b += extent) { \
            const value_type x = *(const value *)a, y = *(value *)b; \
            const index_type i = *(const index *)(a + at), j = *(index *)(b + at); \
            if (x before y || (x == y && i < j)) { \
                *(value *)b = x; \
                *(index *)(b + at) = i; \
            } \
        } \
    }

#define PAIR_LOOPS(name, value_type, index_type) \
    LOC(minloc, name, value_type, index_type, <) \
    LOC(maxloc, name, value_type, index_type, >)

#define PLAIN_INTEGER(...) INTEGER_LOOPS(plain, __VA_ARGS__)
#define PLAIN_FLOAT(...) FLOAT_LOOPS(plain, __VA_ARGS__)
#define PLAIN_COMPLEX(name, type) \
    SUM_LOOP(plain, name, type) \
    LOOP(plain, prod, name, type, x * y)
MPI_ELEM_INTEGERS(PLAIN_INTEGER)
MPI_ELEM_LOGICALS(LOGICAL_LOOPS)
MPI_ELEM_FLOATS(PLAIN_FLOAT)
MPI_ELEM_COMPLEXES(PLAIN_COMPLEX)
MPI_ELEM_PAIRS(PAIR_LOOPS)

#define SLOT(op) [(uintptr_t)(op) - MPI_OP_FIRST]
#define ROW(op, name, ...) [MPI_ELEM_##name] = op##_##name##_plain,
#define MIN_ROW(...) ROW(min, __VA_ARGS__)
#define MAX_ROW(...) ROW(max, __VA_ARGS__)
#define SUM_ROW(...) ROW(sum, __VA_ARGS__)
#define PROD_ROW(...) ROW(prod, __VA_ARGS__)
#define BAND_ROW(...) ROW(band, __VA_ARGS__)
#define BOR_ROW(...) ROW(bor, __VA_ARGS__)
#define BXOR_ROW(...) ROW(bxor, __VA_ARGS__)
#define LAND_ROW(...) ROW(land, __VA_ARGS__)
#define LOR_ROW(...) ROW(lor, __VA_ARGS__)
#define LXOR_ROW(...) ROW(lxor, __VA_ARGS__)
#define MINLOC_ROW(...) ROW(minloc, __VA_ARGS__)
#define MAXLOC_ROW(...) ROW(maxloc, __VA_ARGS__)

#define NUMBERS(X) MPI_ELEM_INTEGERS(X) MPI_ELEM_FLOATS(X) MPI_ELEM_COMPLEXES(X)

typedef mpi_op_loop *row[MPI_ELEMS];

static mpi_op_loop *const plain[MPI_OP_COUNT][MPI_ELEMS] = {
    SLOT(MPI_SUM) = { NUMBERS(SUM_ROW) },
    SLOT(MPI_PROD) = { NUMBERS(PROD_ROW) },
    SLOT(MPI_MIN) = { MPI_ELEM_INTEGERS(MIN_ROW) MPI_ELEM_FLOATS(MIN_ROW) },
    SLOT(MPI_MAX) = { MPI_ELEM_INTEGERS(MAX_ROW) MPI_ELEM_FLOATS(MAX_ROW) },
    SLOT(MPI_BAND) = { MPI_ELEM_INTEGERS(BAND_ROW) },
    SLOT(MPI_BOR) = { MPI_ELEM_INTEGERS(BOR_ROW) },
    SLOT(MPI_BXOR) = { MPI_ELEM_INTEGERS(BXOR_ROW) },
    SLOT(MPI_LAND) = { MPI_ELEM_INTEGERS(LAND_ROW) MPI_ELEM_LOGICALS(LAND_ROW) },
    SLOT(MPI_LOR) = { MPI_ELEM_INTEGERS(LOR_ROW) MPI_ELEM_LOGICALS(LOR_ROW) },
    SLOT(MPI_LXOR) = { MPI_ELEM_INTEGERS(LXOR_ROW) MPI_ELEM_LOGICALS(LXOR_ROW) },
    SLOT(MPI_MINLOC) = { MPI_ELEM_PAIRS(MINLOC_ROW) },
    SLOT(MPI_MAXLOC) = { MPI_ELEM_PAIRS(MAXLOC_ROW) },
};

/* -- wider vectors */

static row best[MPI_OP_COUNT];          /* written once, by fill_best */

#if defined(__x86_64__)
#define WIDE_INTEGERS(X) \
    X(I8, int8_t, uint32_t) X(U8, uint8_t, uint32_t) \
    X(I16, int16_t, uint32_t) X(U16, uint16_t, uint32_t) \
    X(I32, int32_t, uint32_t) X(U32, uint32_t, uint32_t) \
    X(I64, int64_t, uint64_t) X(U64, uint64_t, uint64_t)
#define WIDE_FLOATS(X) X(F32, float) X(F64, double)
#define WIDE_COMPLEXES(X) X(CF32, float _Complex) X(CF64, double _Complex)

#define AVX2_INTEGER(...) INTEGER_LOOPS(avx2, __VA_ARGS__)
#define AVX2_FLOAT(...) FLOAT_LOOPS(avx2, __VA_ARGS__)
#define AVX2_COMPLEX(...) SUM_LOOP(avx2, __VA_ARGS__)
WIDE_INTEGERS(AVX2_INTEGER)
WIDE_FLOATS(AVX2_FLOAT)
WIDE_COMPLEXES(AVX2_COMPLEX)

#define AVX512_INTEGER(...) INTEGER_LOOPS(avx512, __VA_ARGS__)
#define AVX512_FLOAT(...) FLOAT_LOOPS(avx512, __VA_ARGS__)
#define AVX512_COMPLEX(...) SUM_LOOP(avx512, __VA_ARGS__)
WIDE_INTEGERS(AVX512_INTEGER)
WIDE_FLOATS(AVX512_FLOAT)
WIDE_COMPLEXES(AVX512_COMPLEX)

/* By statements: tables of pointers would cost each process that is started pages. */
#define SET(level, OP, op, name) \
    best[(uintptr_t)(OP) - MPI_OP_FIRST][MPI_ELEM_##name] = op##_##name##_##level;
#define SET_NUMBER(level, name) \
    SET(level, MPI_MIN, min, name) SET(level, MPI_MAX, max, name) \
    SET(level, MPI_SUM, sum, name) SET(level, MPI_PROD, prod, name)
#define SET_INTEGER(level, name) \
    SET_NUMBER(level, name) \
    SET(level, MPI_BAND, band, name) SET(level, MPI_BOR, bor, name) \
    SET(level, MPI_BXOR, bxor, name) SET(level, MPI_LAND, land, name) \
    SET(level, MPI_LOR, lor, name) SET(level, MPI_LXOR, lxor, name)

#define SET_AVX2_INTEGER(name, ...) SET_INTEGER(avx2, name)
#define SET_AVX2_FLOAT(name, ...) SET_NUMBER(avx2, name)
#define SET_AVX2_COMPLEX(name, ...) SET(avx2, MPI_SUM, sum, name)
static void set_avx2(void)
{
    WIDE_INTEGERS(SET_AVX2_INTEGER)
    WIDE_FLOATS(SET_AVX2_FLOAT)
    WIDE_COMPLEXES(SET_AVX2_COMPLEX)
}

#define SET_AVX512_INTEGER(name, ...) SET_INTEGER(avx512, name)
#define SET_AVX512_FLOAT(name, ...) SET_NUMBER(avx512, name)
#define SET_AVX512_COMPLEX(name, ...) SET(avx512, MPI_SUM, sum, name)
static void set_avx512(void)
{
    WIDE_INTEGERS(SET_AVX512_INTEGER)
    WIDE_FLOATS(SET_AVX512_FLOAT)
    WIDE_COMPLEXES(SET_AVX512_COMPLEX)
}

/* Earlier ones with 512 bits slow down all of the core where they are used. */
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw")
           && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static void set_wide(void)
{
    const char *simd = getenv("NICEMU_SIMD");       /* tests compare the variants */
    if (simd && !strcmp(simd, "none"))
        return;
    if (has_avx512() && !(simd && !strcmp(simd, "avx2")))
        set_avx512();
    else if (__builtin_cpu_supports("avx2"))
        set_avx2();
}
#else
static void set_wide(void) { }
#endif

/* -- the table */

static const row *chosen;               /* NULL: not yet; any thread */

static void fill_best(void)
{
    memcpy(best, plain, sizeof best);
    set_wide();
    /* release: behind the table */
    __atomic_store_n(&chosen, (const row *)best, __ATOMIC_RELEASE);
}

static __attribute__((noinline, cold)) const row *choose(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_best);
    return chosen;
}

mpi_op_loop *mpi_op_loop_get(MPI_Op h, enum mpi_elem elem)
{
    const uintptr_t index = (uintptr_t)h - MPI_OP_FIRST;
    const row *table = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!table, 0))
        table = choose();
    return index < MPI_OP_COUNT ? table[index][elem] : NULL;
}
