/* What the elements of the predefined datatypes are to the reductions: one line
 * per C type that arithmetic is done in, and one per pair of a value and an
 * index.  The enum and the loops of op_table.c come from these lists, so that a
 * new type is a new line here (and one in the table of type.c). */
#ifndef MPI_ELEM_H
#define MPI_ELEM_H

#include <stdint.h>

typedef float mpi_f128 __attribute__((mode(TF)));
typedef _Complex float mpi_cf128 __attribute__((mode(TC)));

/* X(name, type, type in which sums and products wrap around in place of overflowing) */
#define MPI_ELEM_INTEGERS(X) \
    X(I8, int8_t, uint32_t) \
    X(U8, uint8_t, uint32_t) \
    X(I16, int16_t, uint32_t) \
    X(U16, uint16_t, uint32_t) \
    X(I32, int32_t, uint32_t) \
    X(U32, uint32_t, uint32_t) \
    X(I64, int64_t, uint64_t) \
    X(U64, uint64_t, uint64_t) \
    X(I128, __int128, unsigned __int128)

/* X(name, type): of Fortran, whose values core/fortran_truth.h has. */
#define MPI_ELEM_LOGICALS(X) \
    X(L8, uint8_t) \
    X(L16, uint16_t) \
    X(L32, uint32_t) \
    X(L64, uint64_t) \
    X(L128, unsigned __int128)

/* X(name, type).  Not every compiler has the half. */
#ifdef __FLT16_MANT_DIG__
#define MPI_ELEM_HALVES(X) X(F16, _Float16)
#define MPI_ELEM_COMPLEX_HALVES(X) X(CF16, _Complex _Float16)
#else
#define MPI_ELEM_HALVES(X)
#define MPI_ELEM_COMPLEX_HALVES(X)
#endif

#define MPI_ELEM_FLOATS(X) \
    MPI_ELEM_HALVES(X) \
    X(F32, float) \
    X(F64, double) \
    X(LDBL, long double) \
    X(F128, mpi_f128)

#define MPI_ELEM_COMPLEXES(X) \
    MPI_ELEM_COMPLEX_HALVES(X) \
    X(CF32, float _Complex) \
    X(CF64, double _Complex) \
    X(CLDBL, long double _Complex) \
    X(CF128, mpi_cf128)

/* X(name, type of the value, type of the index) */
#define MPI_ELEM_PAIRS(X) \
    X(FLOAT_INT, float, int) \
    X(DOUBLE_INT, double, int) \
    X(LONG_INT, long, int) \
    X(2INT, int, int) \
    X(SHORT_INT, short, int) \
    X(LDBL_INT, long double, int) \
    X(2REAL, float, float) \
    X(2DOUBLE, double, double)

#define MPI_PAIR(name, value_type, index_type) \
    struct mpi_pair_##name { value_type value; index_type index; };
MPI_ELEM_PAIRS(MPI_PAIR)
#undef MPI_PAIR

#define MPI_ELEM_NAME(name, ...) MPI_ELEM_##name,
enum mpi_elem {
    MPI_ELEM_NONE,      /* no reductions */
    MPI_ELEM_INTEGERS(MPI_ELEM_NAME)
    MPI_ELEM_LOGICALS(MPI_ELEM_NAME)
    MPI_ELEM_FLOATS(MPI_ELEM_NAME)
    MPI_ELEM_COMPLEXES(MPI_ELEM_NAME)
    MPI_ELEM_PAIRS(MPI_ELEM_NAME)
    MPI_ELEMS
};
#undef MPI_ELEM_NAME

/* The groups of types for which the standard says which operations are defined on them (MPI-5.0,
 * section "Predefined Reduction Operations").  Bits, so that an operation names its groups in a
 * mask. */
enum mpi_family {
    MPI_FAMILY_NONE = 0,        /* wide characters, packed data, derived types */
    MPI_FAMILY_C_INTEGER = 1,
    MPI_FAMILY_FORTRAN_INTEGER = 2,
    MPI_FAMILY_FLOAT = 4,
    MPI_FAMILY_LOGICAL = 8,
    MPI_FAMILY_COMPLEX = 16,
    MPI_FAMILY_BYTE = 32,
    MPI_FAMILY_ADDRESS = 64,    /* AINT, COUNT, OFFSET: the standard's "multi-language types" */
    MPI_FAMILY_PAIR = 128,
    MPI_FAMILY_CHARACTER = 256  /* an extension, see op.c */
};

#endif
