/* The predefined datatypes, and what a program can ask about a datatype. */
#include <limits.h>
#include <string.h>
#include <wchar.h>
#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/twin.h"
#include "mpi/type.h"

/* ------------------------------------------------------------- the table --
 * One line per predefined type.  Fortran's default types are taken to be those of its usual compilers: 4 bytes for
 * INTEGER, REAL and LOGICAL, 8 for DOUBLE PRECISION. */

#define ENTRY(mpi, ...) \
    [(uintptr_t)MPI_##mpi - MPI_TYPE_FIRST] = { .committed = true, .name = "MPI_" #mpi, __VA_ARGS__ }

/* Data without gaps. */
#define BYTES(mpi, bytes, arithmetic, group) \
    ENTRY(mpi, .size = (bytes), .extent = (bytes), .contiguous = true, .elem = (arithmetic), .family = (group))
#define OPAQUE(mpi, type) BYTES(mpi, sizeof(type), MPI_ELEM_NONE, MPI_FAMILY_NONE)
#define FLOAT(mpi, type, name) BYTES(mpi, sizeof(type), MPI_ELEM_##name, MPI_FAMILY_FLOAT)
#define COMPLEX(mpi, type, name) BYTES(mpi, sizeof(type), MPI_ELEM_##name, MPI_FAMILY_COMPLEX)

/* Integers find their arithmetic by size and sign. */
#define LOG2(size) ((size) == 1 ? 0 : (size) == 2 ? 1 : (size) == 4 ? 2 : (size) == 8 ? 3 : 4)
#define ARITHMETIC(type) (MPI_ELEM_I8 + 2 * LOG2(sizeof(type)) + ((type)-1 > 0))
#define INTEGER(mpi, type, group) BYTES(mpi, sizeof(type), ARITHMETIC(type), MPI_FAMILY_##group)

#define PAIR(mpi, pair) \
    ENTRY(mpi, .size = sizeof(((struct mpi_pair_##pair *)0)->value) + sizeof(((struct mpi_pair_##pair *)0)->index), \
          .extent = sizeof(struct mpi_pair_##pair), .value_size = sizeof(((struct mpi_pair_##pair *)0)->value), \
          .index_at = offsetof(struct mpi_pair_##pair, index), \
          .contiguous = sizeof(struct mpi_pair_##pair) == \
                        sizeof(((struct mpi_pair_##pair *)0)->value) + sizeof(((struct mpi_pair_##pair *)0)->index), \
          .elem = MPI_ELEM_##pair, .family = MPI_FAMILY_PAIR)

_Static_assert(MPI_ELEM_U8 == MPI_ELEM_I8 + 1 && MPI_ELEM_I16 == MPI_ELEM_I8 + 2 && MPI_ELEM_U32 == MPI_ELEM_I8 + 5 &&
               MPI_ELEM_I64 == MPI_ELEM_I8 + 6 && MPI_ELEM_I128 == MPI_ELEM_I8 + 8, "ARITHMETIC relies on the order");

const struct mpi_type mpi_type_predefined[MPI_TYPE_COUNT] = {
    INTEGER(AINT, MPI_Aint, ADDRESS),
    INTEGER(COUNT, MPI_Count, ADDRESS),
    INTEGER(OFFSET, MPI_Offset, ADDRESS),
    OPAQUE(PACKED, char),

    INTEGER(SHORT, short, C_INTEGER),
    INTEGER(INT, int, C_INTEGER),
    INTEGER(LONG, long, C_INTEGER),
    INTEGER(LONG_LONG, long long, C_INTEGER),
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
    OPAQUE(CHAR, char),
    OPAQUE(WCHAR, wchar_t),

    FLOAT(FLOAT, float, F32),
    FLOAT(DOUBLE, double, F64),
    FLOAT(LONG_DOUBLE, long double, LDBL),
    COMPLEX(C_FLOAT_COMPLEX, float _Complex, CF32),
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

    INTEGER(LOGICAL, uint32_t, LOGICAL),
    INTEGER(INTEGER, int32_t, FORTRAN_INTEGER),
    FLOAT(REAL, float, F32),
    FLOAT(DOUBLE_PRECISION, double, F64),
    COMPLEX(COMPLEX, float _Complex, CF32),
    COMPLEX(DOUBLE_COMPLEX, double _Complex, CF64),
    OPAQUE(CHARACTER, char),

    INTEGER(LOGICAL1, uint8_t, LOGICAL),
    INTEGER(LOGICAL2, uint16_t, LOGICAL),
    INTEGER(LOGICAL4, uint32_t, LOGICAL),
    INTEGER(LOGICAL8, uint64_t, LOGICAL),
    INTEGER(LOGICAL16, __int128, LOGICAL),
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

/* ---------------------------------------------------------------- layout -- */

void mpi_type_pack(const struct mpi_type *type, const void *buf, size_t count, void *packed)
{
    size_t value = type->value_size, index = type->size - value;
    const char *from = buf;
    char *to = packed;

    if (count == 0)
        return;
    if (type->contiguous) {
        memcpy(packed, buf, count * type->size);
        return;
    }
    for (; count > 0; count--, from += type->extent, to += type->size) {
        memcpy(to, from, value);
        memcpy(to + value, from + type->index_at, index);
    }
}

void mpi_type_unpack(const struct mpi_type *type, const void *packed, size_t count, void *buf)
{
    size_t value = type->value_size, index = type->size - value;
    const char *from = packed;
    char *to = buf;

    if (count == 0)
        return;
    if (type->contiguous) {
        memcpy(buf, packed, count * type->size);
        return;
    }
    for (; count > 0; count--, from += type->size, to += type->extent) {
        memcpy(to, from, value);
        memcpy(to + type->index_at, from + value, index);
    }
}

/* From the first to the last byte of data: a pair's gap at the end does not count. */
static ptrdiff_t true_extent(const struct mpi_type *type)
{
    return type->value_size ? (ptrdiff_t)(type->index_at + type->size - type->value_size) : type->extent;
}

/* ----------------------------------------------------------- the MPI calls -- */

#define NO_TYPE(call, handle) mpi_err(NULL, call, MPI_ERR_TYPE, "%p is no datatype", (void *)(handle))
#define NO_PLACE(call, what) mpi_err(NULL, call, MPI_ERR_ARG, "the address for the " what " is NULL")

int PMPI_Type_size(MPI_Datatype datatype, int *size)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_size");
    type = mpi_type_get(datatype);
    if (!type)
        return NO_TYPE("MPI_Type_size", datatype);
    if (!size)
        return NO_PLACE("MPI_Type_size", "size");
    *size = type->size > INT_MAX ? MPI_UNDEFINED : (int)type->size;
    return MPI_SUCCESS;
}
TWIN(Type_size);

int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_size_x");
    type = mpi_type_get(datatype);
    if (!type)
        return NO_TYPE("MPI_Type_size_x", datatype);
    if (!size)
        return NO_PLACE("MPI_Type_size_x", "size");
    *size = (MPI_Count)type->size;
    return MPI_SUCCESS;
}
TWIN(Type_size_x);

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_get_extent");
    type = mpi_type_get(datatype);
    if (!type)
        return NO_TYPE("MPI_Type_get_extent", datatype);
    if (!lb || !extent)
        return NO_PLACE("MPI_Type_get_extent", "lower bound or the extent");
    *lb = type->lb;
    *extent = type->extent;
    return MPI_SUCCESS;
}
TWIN(Type_get_extent);

int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_get_extent_x");
    type = mpi_type_get(datatype);
    if (!type)
        return NO_TYPE("MPI_Type_get_extent_x", datatype);
    if (!lb || !extent)
        return NO_PLACE("MPI_Type_get_extent_x", "lower bound or the extent");
    *lb = type->lb;
    *extent = type->extent;
    return MPI_SUCCESS;
}
TWIN(Type_get_extent_x);

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint *true_lb, MPI_Aint *extent)
{
    const struct mpi_type *type;

    MPI_ENTER("MPI_Type_get_true_extent");
    type = mpi_type_get(datatype);
    if (!type)
        return NO_TYPE("MPI_Type_get_true_extent", datatype);
    if (!true_lb || !extent)
        return NO_PLACE("MPI_Type_get_true_extent", "lower bound or the extent");
    *true_lb = type->lb;
    *extent = true_extent(type);
    return MPI_SUCCESS;
}
TWIN(Type_get_true_extent);

int PMPI_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
    const struct mpi_type *type;
    const char *name = "MPI_DATATYPE_NULL";

    MPI_ENTER("MPI_Type_get_name");
    type = mpi_type_get(datatype);
    if (!type && datatype != MPI_DATATYPE_NULL)     /* the standard gives even that one a name */
        return NO_TYPE("MPI_Type_get_name", datatype);
    if (!type_name || !resultlen)
        return NO_PLACE("MPI_Type_get_name", "name or its length");
    if (type)
        name = type->name;
    strcpy(type_name, name);        /* names are those of the table, all below MPI_MAX_OBJECT_NAME */
    *resultlen = (int)strlen(name);
    return MPI_SUCCESS;
}
TWIN(Type_get_name);

/* ------------------------------------------------------------- addresses -- */

int PMPI_Get_address(const void *location, MPI_Aint *address)
{
    MPI_ENTER("MPI_Get_address");
    if (!address)
        return NO_PLACE("MPI_Get_address", "address");
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}
TWIN(Get_address);

/* Unsigned, since an address may lie on either side of the signed range. */
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp)
{
    return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}
TWIN(Aint_add);

MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
    return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}
TWIN(Aint_diff);
