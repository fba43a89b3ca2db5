/* The predefined datatypes, and copying data of a type. */
#include "core/type.h"

#include <string.h>
#include <wchar.h>

/* -- the table: one line per predefined type.  Fortran's default types are taken to be those of its
 * usual compilers: 4 bytes for INTEGER, REAL and LOGICAL, 8 for DOUBLE PRECISION. */

#define ENTRY(mpi, ...) \
    [(uintptr_t)MPI_##mpi - MPI_TYPE_FIRST] = { \
        .committed = true, .name = "MPI_" #mpi, __VA_ARGS__ \
    }

/* Data without gaps. */
#define BYTES(mpi, bytes, arithmetic, group) \
    ENTRY(mpi, .size = (bytes), .extent = (bytes), .contiguous = true, .elem = (arithmetic), \
          .family = (group))
#define OPAQUE(mpi, type) BYTES(mpi, sizeof(type), MPI_ELEM_NONE, MPI_FAMILY_NONE)
#define FLOAT(mpi, type, name) BYTES(mpi, sizeof(type), MPI_ELEM_##name, MPI_FAMILY_FLOAT)
#define COMPLEX(mpi, type, name) BYTES(mpi, sizeof(type), MPI_ELEM_##name, MPI_FAMILY_COMPLEX)

/* Integers find their arithmetic by size and sign. */
#define LOG2(size) ((size) == 1 ? 0 : (size) == 2 ? 1 : (size) == 4 ? 2 : (size) == 8 ? 3 : 4)
#define ARITHMETIC(type) (MPI_ELEM_I8 + 2 * LOG2(sizeof(type)) + ((type)-1 > 0))
#define INTEGER(mpi, type, group) BYTES(mpi, sizeof(type), ARITHMETIC(type), MPI_FAMILY_##group)

#define TRUTH(mpi, type) \
    BYTES(mpi, sizeof(type), MPI_ELEM_L8 + LOG2(sizeof(type)), MPI_FAMILY_LOGICAL)

#define VALUE_BYTES(pair) sizeof(((struct mpi_pair_##pair *)0)->value)
#define INDEX_BYTES(pair) sizeof(((struct mpi_pair_##pair *)0)->index)
#define PAIR_BYTES(pair) (VALUE_BYTES(pair) + INDEX_BYTES(pair))
#define PAIR(mpi, pair) \
    ENTRY(mpi, .size = PAIR_BYTES(pair), .extent = sizeof(struct mpi_pair_##pair), \
          .value_size = VALUE_BYTES(pair), .index_at = offsetof(struct mpi_pair_##pair, index), \
          .contiguous = sizeof(struct mpi_pair_##pair) == PAIR_BYTES(pair), \
          .elem = MPI_ELEM_##pair, .family = MPI_FAMILY_PAIR)

_Static_assert(MPI_ELEM_U8 == MPI_ELEM_I8 + 1 && MPI_ELEM_I16 == MPI_ELEM_I8 + 2 &&
               MPI_ELEM_U32 == MPI_ELEM_I8 + 5 && MPI_ELEM_I64 == MPI_ELEM_I8 + 6 &&
               MPI_ELEM_I128 == MPI_ELEM_I8 + 8, "ARITHMETIC relies on the order");
_Static_assert(MPI_ELEM_L64 == MPI_ELEM_L8 + 3 && MPI_ELEM_L128 == MPI_ELEM_L8 + 4,
               "and so does TRUTH");

const struct mpi_type mpi_type_predefined[MPI_TYPE_COUNT] = {
    INTEGER(AINT, MPI_Aint, ADDRESS),
    INTEGER(COUNT, MPI_Count, ADDRESS),
    INTEGER(OFFSET, MPI_Offset, ADDRESS),
    OPAQUE(PACKED, char),

    INTEGER(SHORT, short, C_INTEGER),
    INTEGER(INT, int, C_INTEGER),
    INTEGER(LONG, long, C_INTEGER),
    INTEGER(LONG_LONG_INT, long long, C_INTEGER),
    INTEGER(UNSIGNED_SHORT, unsigned short, C_INTEGER),
    INTEGER(UNSIGNED, unsigned, C_INTEGER),
    INTEGER(UNSIGNED_LONG, unsigned long, C_INTEGER),
    INTEGER(UNSIGNED_LONG_LONG, unsigned long long, C_INTEGER),
    INTEGER(SIGNED_CHAR, signed char, C_INTEGER),
    INTEGER(UNSIGNED_CHAR, unsigned char, C_INTEGER),
    INTEGER(INT8_T, int8_t, C_INTEGER),
    INTEGER(UINT8_T, uint8_t, C_INTEGER),
    INTEGER(INT16_T, int16_t, C_INTEGER),
    INTEGER(UINT16_T, uint16_t, C_INTEGER),
    INTEGER(INT32_T, int32_t, C_INTEGER),
    INTEGER(UINT32_T, uint32_t, C_INTEGER),
    INTEGER(INT64_T, int64_t, C_INTEGER),
    INTEGER(UINT64_T, uint64_t, C_INTEGER),
    INTEGER(BYTE, uint8_t, BYTE),
    INTEGER(C_BOOL, uint8_t, LOGICAL),
    INTEGER(CXX_BOOL, uint8_t, LOGICAL),
    INTEGER(CHAR, char, CHARACTER),
    OPAQUE(WCHAR, wchar_t),

    FLOAT(FLOAT, float, F32),
    FLOAT(DOUBLE, double, F64),
    FLOAT(LONG_DOUBLE, long double, LDBL),
    COMPLEX(C_COMPLEX, float _Complex, CF32),
    COMPLEX(C_DOUBLE_COMPLEX, double _Complex, CF64),
    COMPLEX(C_LONG_DOUBLE_COMPLEX, long double _Complex, CLDBL),
    COMPLEX(CXX_FLOAT_COMPLEX, float _Complex, CF32),
    COMPLEX(CXX_DOUBLE_COMPLEX, double _Complex, CF64),
    COMPLEX(CXX_LONG_DOUBLE_COMPLEX, long double _Complex, CLDBL),

    PAIR(FLOAT_INT, FLOAT_INT),
    PAIR(DOUBLE_INT, DOUBLE_INT),
    PAIR(LONG_INT, LONG_INT),
    PAIR(2INT, 2INT),
    PAIR(SHORT_INT, SHORT_INT),
    PAIR(LONG_DOUBLE_INT, LDBL_INT),
    PAIR(2REAL, 2REAL),
    PAIR(2DOUBLE_PRECISION, 2DOUBLE),
    PAIR(2INTEGER, 2INT),

    TRUTH(LOGICAL, uint32_t),
    INTEGER(INTEGER, int32_t, FORTRAN_INTEGER),
    FLOAT(REAL, float, F32),
    FLOAT(DOUBLE_PRECISION, double, F64),
    COMPLEX(COMPLEX, float _Complex, CF32),
    COMPLEX(DOUBLE_COMPLEX, double _Complex, CF64),
    INTEGER(CHARACTER, char, CHARACTER),

    TRUTH(LOGICAL1, uint8_t),
    TRUTH(LOGICAL2, uint16_t),
    TRUTH(LOGICAL4, uint32_t),
    TRUTH(LOGICAL8, uint64_t),
    TRUTH(LOGICAL16, __int128),
    INTEGER(INTEGER1, int8_t, FORTRAN_INTEGER),
    INTEGER(INTEGER2, int16_t, FORTRAN_INTEGER),
    INTEGER(INTEGER4, int32_t, FORTRAN_INTEGER),
    INTEGER(INTEGER8, int64_t, FORTRAN_INTEGER),
    INTEGER(INTEGER16, __int128, FORTRAN_INTEGER),
#ifdef __FLT16_MANT_DIG__
    FLOAT(REAL2, _Float16, F16),
    COMPLEX(COMPLEX4, _Complex _Float16, CF16),
#else   /* can be sent, but there is no arithmetic for it */
    OPAQUE(REAL2, uint16_t),
    OPAQUE(COMPLEX4, uint32_t),
#endif
    FLOAT(REAL4, float, F32),
    FLOAT(REAL8, double, F64),
    FLOAT(REAL16, mpi_f128, F128),
    COMPLEX(COMPLEX8, float _Complex, CF32),
    COMPLEX(COMPLEX16, double _Complex, CF64),
    COMPLEX(COMPLEX32, mpi_cf128, CF128),
};

ptrdiff_t mpi_type_true_lb(const struct mpi_type *type)
{
    return type->derived ? type->true_lb : type->lb;
}

ptrdiff_t mpi_type_true_extent(const struct mpi_type *type)
{
    if (type->derived)
        return type->true_extent;
    if (!type->value_size)
        return type->extent;
    return (ptrdiff_t)(type->index_at + type->size - type->value_size);
}
