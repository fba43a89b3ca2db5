/* Predefined operations on the types they are made for, and some that are an extension, by
 * MPI_Allreduce and MPI_Reduce_local. */
#include "t.h"
#include <complex.h>
#include <stdbool.h>

enum { N = 5 };

/* For every type: element i of rank r, what each operation
 * makes of two, and a check over all ranks. */
#define ELEMENT(r, i) (1 + ((r) * 3 + (i) * 5) % 4)

#define FOLD(c, name, expression) \
    static c fold_##name(int i) \
    { \
        c a = (c)ELEMENT(0, i); \
        for (int r = 1; r < t_size; r++) { \
            c b = (c)ELEMENT(r, i); \
            a = (c)(expression); \
        } \
        return a; \
    }

#define TRY(c, mpi, op, fold) \
    do { \
        c mine[N], all[N], local[N]; \
        for (int i = 0; i < N; i++) { \
            mine[i] = (c)ELEMENT(t_rank, i); \
            all[i] = 0; \
            local[i] = (c)ELEMENT(0, i); \
        } \
        OK(MPI_Allreduce(mine, all, N, mpi, op, MPI_COMM_WORLD)); \
        for (int i = 0; i < N; i++) \
            if (all[i] != fold(i)) \
                FAIL("%s of %s: element %d is wrong", #op, #mpi, i); \
        for (int r = 1; r < t_size; r++) { \
            for (int i = 0; i < N; i++) \
                mine[i] = (c)ELEMENT(r, i); \
            OK(MPI_Reduce_local(mine, local, N, mpi, op)); \
        } \
        for (int i = 0; i < N; i++) \
            if (local[i] != fold(i)) \
                FAIL("%s of %s by MPI_Reduce_local: element %d is wrong", #op, #mpi, i); \
    } while (0)

#define ARITHMETIC(c, mpi, tag) \
    FOLD(c, tag##_sum, a + b) FOLD(c, tag##_prod, a * b) \
    FOLD(c, tag##_max, a > b ? a : b) FOLD(c, tag##_min, a < b ? a : b) \
    static void try_##tag##_arithmetic(void) \
    { \
        TRY(c, mpi, MPI_SUM, fold_##tag##_sum); \
        TRY(c, mpi, MPI_PROD, fold_##tag##_prod); \
        TRY(c, mpi, MPI_MAX, fold_##tag##_max); \
        TRY(c, mpi, MPI_MIN, fold_##tag##_min); \
    }

#define BITS(c, mpi, tag) \
    FOLD(c, tag##_band, a & b) FOLD(c, tag##_bor, a | b) FOLD(c, tag##_bxor, a ^ b) \
    static void try_##tag##_bits(void) \
    { \
        TRY(c, mpi, MPI_BAND, fold_##tag##_band); \
        TRY(c, mpi, MPI_BOR, fold_##tag##_bor); \
        TRY(c, mpi, MPI_BXOR, fold_##tag##_bxor); \
    }

#define INTEGER(c, mpi, tag) ARITHMETIC(c, mpi, tag) BITS(c, mpi, tag)

INTEGER(char, MPI_CHAR, char)
INTEGER(char, MPI_CHARACTER, character)
INTEGER(signed char, MPI_SIGNED_CHAR, schar)
INTEGER(unsigned char, MPI_UNSIGNED_CHAR, uchar)
INTEGER(short, MPI_SHORT, short)
INTEGER(unsigned short, MPI_UNSIGNED_SHORT, ushort)
INTEGER(int, MPI_INT, int)
INTEGER(unsigned, MPI_UNSIGNED, uint)
INTEGER(long, MPI_LONG, long)
INTEGER(unsigned long, MPI_UNSIGNED_LONG, ulong)
INTEGER(long long, MPI_LONG_LONG, llong)
INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG, ullong)
INTEGER(int8_t, MPI_INT8_T, i8)
INTEGER(uint8_t, MPI_UINT8_T, u8)
INTEGER(int16_t, MPI_INT16_T, i16)
INTEGER(uint16_t, MPI_UINT16_T, u16)
INTEGER(int32_t, MPI_INT32_T, i32)
INTEGER(uint32_t, MPI_UINT32_T, u32)
INTEGER(int64_t, MPI_INT64_T, i64)
INTEGER(uint64_t, MPI_UINT64_T, u64)
INTEGER(MPI_Aint, MPI_AINT, aint)
INTEGER(MPI_Offset, MPI_OFFSET, offset)
INTEGER(MPI_Count, MPI_COUNT, count)
BITS(unsigned char, MPI_BYTE, byte)
ARITHMETIC(float, MPI_FLOAT, float)
ARITHMETIC(double, MPI_DOUBLE, double)
ARITHMETIC(long double, MPI_LONG_DOUBLE, ldouble)

#define TRY_INTEGER(tag) \
    do { \
        try_##tag##_arithmetic(); \
        try_##tag##_bits(); \
    } while (0)

FOLD(float complex, cf_sum, a + b)
FOLD(float complex, cf_prod, a * b)
FOLD(double complex, cd_sum, a + b)
FOLD(double complex, cd_prod, a * b)

static void numbers(void)
{
    TRY_INTEGER(char); TRY_INTEGER(character);
    TRY_INTEGER(schar); TRY_INTEGER(uchar); TRY_INTEGER(short); TRY_INTEGER(ushort);
    TRY_INTEGER(int);
    TRY_INTEGER(uint); TRY_INTEGER(long); TRY_INTEGER(ulong); TRY_INTEGER(llong);
    TRY_INTEGER(ullong);
    TRY_INTEGER(i8); TRY_INTEGER(u8); TRY_INTEGER(i16); TRY_INTEGER(u16); TRY_INTEGER(i32);
    TRY_INTEGER(u32);
    TRY_INTEGER(i64); TRY_INTEGER(u64); TRY_INTEGER(aint); TRY_INTEGER(offset); TRY_INTEGER(count);
    try_byte_bits();
    try_float_arithmetic();
    try_double_arithmetic();
    try_ldouble_arithmetic();
    TRY(float complex, MPI_C_FLOAT_COMPLEX, MPI_SUM, fold_cf_sum);
    TRY(float complex, MPI_C_FLOAT_COMPLEX, MPI_PROD, fold_cf_prod);
    TRY(double complex, MPI_C_DOUBLE_COMPLEX, MPI_SUM, fold_cd_sum);
    TRY(double complex, MPI_C_DOUBLE_COMPLEX, MPI_PROD, fold_cd_prod);
}

/* Logical operations: any non-zero value is true, results are 0 or 1. */
static void logical(void)
{
    int mine[3] = {t_rank == 0 ? 0 : 4, t_rank == 0 ? 8 : 0, 2}, and[3], or[3], xor[3];
    bool flag[2] = {t_rank != 0, true}, all[2], some[2];

    OK(MPI_Allreduce(mine, and, 3, MPI_INT, MPI_LAND, MPI_COMM_WORLD));
    OK(MPI_Allreduce(mine, or, 3, MPI_INT, MPI_LOR, MPI_COMM_WORLD));
    OK(MPI_Allreduce(mine, xor, 3, MPI_INT, MPI_LXOR, MPI_COMM_WORLD));
    SAME(and[0], 0);
    SAME(!!and[1], t_size == 1);
    SAME(!!and[2], 1);
    SAME(!!or[0], t_size > 1);
    SAME(!!or[1], 1);
    SAME(!!xor[0], (t_size - 1) % 2);
    SAME(!!xor[1], 1);
    SAME(!!xor[2], t_size % 2);
    MPI_Count truth[2] = { t_rank, 5 }, both[2];
    OK(MPI_Allreduce(truth, both, 2, MPI_COUNT, MPI_LAND, MPI_COMM_WORLD));
    CHECK(!both[0] && both[1]);
    OK(MPI_Allreduce(flag, all, 2, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD));
    OK(MPI_Allreduce(flag, some, 2, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD));
    SAME(all[0], 0);
    SAME(all[1], 1);
    SAME(some[0], t_size > 1);
}

/* MAXLOC and MINLOC: of equal values the lower index counts. */
static void places(void)
{
    struct { double value; int place; } mine[3], most[3], least[3];
    struct { int value, place; } two = {t_rank / 2, t_rank}, top;

    for (int i = 0; i < 3; i++) {
        mine[i].value = i == 0 ? t_rank : i == 1 ? -t_rank : 7;
        mine[i].place = t_rank + 10;
    }
    OK(MPI_Allreduce(mine, most, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD));
    OK(MPI_Allreduce(mine, least, 3, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
    CHECK(most[0].value == t_size - 1 && most[0].place == t_size + 9);
    CHECK(most[1].value == 0 && most[1].place == 10);
    CHECK(most[2].value == 7 && most[2].place == 10);
    CHECK(least[0].value == 0 && least[0].place == 10);
    CHECK(least[1].value == 1 - t_size && least[1].place == t_size + 9);
    CHECK(least[2].value == 7 && least[2].place == 10);
    OK(MPI_Allreduce(&two, &top, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD));
    SAME(top.value, (t_size - 1) / 2);
    SAME(top.place, (t_size - 1) / 2 * 2);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    numbers();
    logical();
    places();
    return t_end();
}
