/* The loops of the predefined reductions, one per operation and element, made
 * from the lists in elem.h.
 *
 * They run over blocks of a fixed length, which compilers turn into vector
 * instructions at any level of optimisation that vectorises at all, and then
 * over the rest.  Buffers may lie at any address: they may be inside a packet. */
#include "core/op_table.h"

#include "core/fortran_truth.h"

enum { BLOCK_BYTES = 64 };

#define LOG2(size) ((size) == 1 ? 0 : (size) == 2 ? 1 : (size) == 4 ? 2 : (size) == 8 ? 3 : 4)

/* What a program reduces as one type it may have stored as another of the same size. */
#define UNALIGNED(type) type __attribute__((aligned(1), may_alias))

/* static void OP_NAME(in, inout, n), where `result` says what becomes of x, from in, and y, from
 * inout */
#define LOOP(op, name, type, result) \
    static void op##_##name(const void *restrict in, void *restrict inout, size_t n) \
    { \
        typedef UNALIGNED(type) element; \
        const size_t block = BLOCK_BYTES / sizeof(element); \
        const element *a = in; \
        element *b = inout; \
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

#define MINMAX(name, type) \
    LOOP(min, name, type, x < y ? x : y) \
    LOOP(max, name, type, x > y ? x : y)

#define INTEGER_LOOPS(name, type, wrapping) \
    MINMAX(name, type) \
    LOOP(sum, name, type, (wrapping)x + (wrapping)y) \
    LOOP(prod, name, type, (wrapping)x * (wrapping)y) \
    LOOP(band, name, type, x & y) \
    LOOP(bor, name, type, x | y) \
    LOOP(bxor, name, type, x ^ y) \
    LOOP(land, name, type, (x != 0) & (y != 0)) \
    LOOP(lor, name, type, (x | y) != 0) \
    LOOP(lxor, name, type, (x != 0) ^ (y != 0))

/* Whatever is not false counts as true. */
#define LOGICAL_LOOP(op, name, type, result) \
    static void op##_##name(const void *restrict in, void *restrict inout, size_t n) \
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

#define COMPLEX_LOOPS(name, type) \
    LOOP(sum, name, type, x + y) \
    LOOP(prod, name, type, x * y)

#define FLOAT_LOOPS(name, type) \
    MINMAX(name, type) \
    COMPLEX_LOOPS(name, type)

/* Of equal values the one with the lower index wins.  Only the members are written: gaps are the
 * user's. */
#define LOC(op, name, value_type, index_type, before) \
    static void op##_##name(const void *in, void *inout, size_t n) \
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

MPI_ELEM_INTEGERS(INTEGER_LOOPS)
MPI_ELEM_LOGICALS(LOGICAL_LOOPS)
MPI_ELEM_FLOATS(FLOAT_LOOPS)
MPI_ELEM_COMPLEXES(COMPLEX_LOOPS)
MPI_ELEM_PAIRS(PAIR_LOOPS)

#define SLOT(op) [(uintptr_t)(op) - MPI_OP_FIRST]
#define ROW(op, name, ...) [MPI_ELEM_##name] = op##_##name,
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

static mpi_op_loop *const loops[MPI_OP_COUNT][MPI_ELEMS] = {
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

mpi_op_loop *mpi_op_loop_get(MPI_Op h, enum mpi_elem elem)
{
    uintptr_t index = (uintptr_t)h - MPI_OP_FIRST;

    return index < MPI_OP_COUNT ? loops[index][elem] : NULL;
}
