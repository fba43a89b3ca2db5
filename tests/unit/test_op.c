/* Reductions: every predefined operation on every type against a computation of one element at a
 * time, also those that are an extension, the pairs that are not defined, and operations of the
 * program. */
#include <complex.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include "alone.h"
#include "core/op.h"
#include "core/type_label.h"
#include "types.h"

#define OPS(X) \
    X(MPI_SUM, "ijfcah") X(MPI_PROD, "ijfcah") X(MPI_MIN, "ijfah") X(MPI_MAX, "ijfah") \
    X(MPI_BAND, "ijbah") X(MPI_BOR, "ijbah") X(MPI_BXOR, "ijbah") \
    X(MPI_LAND, "ilah") X(MPI_LOR, "ilah") X(MPI_LXOR, "ilah") \
    X(MPI_MINLOC, "p") X(MPI_MAXLOC, "p") \
    X(MPI_REPLACE, "") X(MPI_NO_OP, "")

static const struct { MPI_Op h; const char *name, *kinds; } ops[] = {
#define OP_ENTRY(h, kinds) { h, #h, kinds },
    OPS(OP_ENTRY)
#undef OP_ENTRY
};

enum { ALL_OPS = sizeof ops / sizeof ops[0] };

/* ------------------------------------------------ one element at a time --
 * A model fills one element with random data, and computes the result of x op y into y. */

struct model { void (*fill)(void *element); void (*compute)(MPI_Op op, const void *x, void *y); };

/* Half of all logical operands are false; sums and products of the others leave the range. */
#define INTEGER_MODEL(name, type) \
    static void name##_fill(void *element) \
    { \
        unsigned char *bytes = element; \
        type value = (type)(rand() % 4 - 1); \
        if (rand() % 2) \
            memcpy(element, &value, sizeof value); \
        else \
            for (size_t i = 0; i < sizeof(type); i++) \
                bytes[i] = (unsigned char)(rand() >> 7); \
    } \
    static void name##_compute(MPI_Op op, const void *a, void *b) \
    { \
        type x, y, result = 0; \
        memcpy(&x, a, sizeof x); \
        memcpy(&y, b, sizeof y); \
        if (op == MPI_SUM) \
            result = (type)((unsigned __int128)x + (unsigned __int128)y); \
        else if (op == MPI_PROD) \
            result = (type)((unsigned __int128)x * (unsigned __int128)y); \
        else if (op == MPI_MIN) \
            result = y < x ? y : x; \
        else if (op == MPI_MAX) \
            result = y > x ? y : x; \
        else if (op == MPI_BAND) \
            result = (type)(x & y); \
        else if (op == MPI_BOR) \
            result = (type)(x | y); \
        else if (op == MPI_BXOR) \
            result = (type)(x ^ y); \
        else if (op == MPI_LAND) \
            result = x && y; \
        else if (op == MPI_LOR) \
            result = x || y; \
        else if (op == MPI_LXOR) \
            result = !x != !y; \
        else \
            ck_abort_msg("no such operation on integers"); \
        memcpy(b, &result, sizeof result); \
    } \
    static const struct model name##_model = { name##_fill, name##_compute };

/* Small whole numbers, so that results are exact down to the half. */
#define FLOAT_MODEL(name, type) \
    static void name##_fill(void *element) \
    { \
        type value = (type)(rand() % 81 - 40); \
        memset(element, 0, sizeof value); \
        *(type *)element = value; \
    } \
    static void name##_compute(MPI_Op op, const void *a, void *b) \
    { \
        const type x = *(const type *)a, y = *(type *)b; \
        if (op == MPI_SUM) \
            *(type *)b = x + y; \
        else if (op == MPI_PROD) \
            *(type *)b = x * y; \
        else if (op == MPI_MIN) \
            *(type *)b = y < x ? y : x; \
        else if (op == MPI_MAX) \
            *(type *)b = y > x ? y : x; \
        else \
            ck_abort_msg("no such operation on floating point"); \
    } \
    static const struct model name##_model = { name##_fill, name##_compute };

/* A complex number is an array of two reals. */
#define COMPLEX_MODEL(name, real) \
    static void name##_fill(void *element) \
    { \
        memset(element, 0, 2 * sizeof(real)); \
        ((real *)element)[0] = (real)(rand() % 41 - 20); \
        ((real *)element)[1] = (real)(rand() % 41 - 20); \
    } \
    static void name##_compute(MPI_Op op, const void *a, void *b) \
    { \
        const real re = ((const real *)a)[0], im = ((const real *)a)[1]; \
        real *to = b; \
        const real to_re = to[0], to_im = to[1]; \
        ck_assert(op == MPI_SUM || op == MPI_PROD); \
        to[0] = op == MPI_SUM ? re + to_re : re * to_re - im * to_im; \
        to[1] = op == MPI_SUM ? im + to_im : re * to_im + im * to_re; \
    } \
    static const struct model name##_model = { name##_fill, name##_compute };

/* Few different values, so that many are equal. */
#define PAIR_MODEL(name, value_type, index_type) \
    struct name { value_type value; index_type index; }; \
    static void name##_fill(void *element) \
    { \
        struct name *pair = element; \
        memset(element, 0, sizeof *pair); \
        pair->value = (value_type)(rand() % 5 - 2); \
        pair->index = (index_type)(rand() % 5); \
    } \
    static void name##_compute(MPI_Op op, const void *a, void *b) \
    { \
        const struct name *x = a; \
        struct name *y = b; \
        if (x->value == y->value) { \
            y->index = x->index < y->index ? x->index : y->index; \
        } else if (op == MPI_MINLOC ? x->value < y->value : x->value > y->value) { \
            y->value = x->value; \
            y->index = x->index; \
        } \
    } \
    static const struct model name##_model = { name##_fill, name##_compute };

INTEGER_MODEL(i8, int8_t)
INTEGER_MODEL(u8, uint8_t)
INTEGER_MODEL(i16, int16_t)
INTEGER_MODEL(u16, uint16_t)
INTEGER_MODEL(i32, int32_t)
INTEGER_MODEL(u32, uint32_t)
INTEGER_MODEL(i64, int64_t)
INTEGER_MODEL(u64, uint64_t)
INTEGER_MODEL(i128, __int128)
FLOAT_MODEL(f32, float)
FLOAT_MODEL(f64, double)
FLOAT_MODEL(ldbl, long double)
FLOAT_MODEL(f128, mpi_f128)
COMPLEX_MODEL(c32, float)
COMPLEX_MODEL(c64, double)
COMPLEX_MODEL(cldbl, long double)
COMPLEX_MODEL(c128, mpi_f128)
#ifdef __FLT16_MANT_DIG__
FLOAT_MODEL(f16, _Float16)
COMPLEX_MODEL(c16, _Float16)
#endif
PAIR_MODEL(float_int, float, int)
PAIR_MODEL(double_int, double, int)
PAIR_MODEL(long_int, long, int)
PAIR_MODEL(int_int, int, int)
PAIR_MODEL(short_int, short, int)
PAIR_MODEL(ldbl_int, long double, int)
PAIR_MODEL(float_float, float, float)
PAIR_MODEL(double_double, double, double)

static const struct { MPI_Datatype h; const struct model *model; } models[] = {
    { MPI_AINT, &i64_model }, { MPI_COUNT, &i64_model }, { MPI_OFFSET, &i64_model },
    { MPI_SHORT, &i16_model },
    { MPI_INT, &i32_model }, { MPI_LONG, &i64_model }, { MPI_LONG_LONG, &i64_model },
    { MPI_UNSIGNED_SHORT, &u16_model }, { MPI_UNSIGNED, &u32_model },
    { MPI_UNSIGNED_LONG, &u64_model },
    { MPI_UNSIGNED_LONG_LONG, &u64_model }, { MPI_SIGNED_CHAR, &i8_model },
    { MPI_UNSIGNED_CHAR, &u8_model },
    { MPI_INT8_T, &i8_model }, { MPI_UINT8_T, &u8_model }, { MPI_INT16_T, &i16_model },
    { MPI_UINT16_T, &u16_model },
    { MPI_INT32_T, &i32_model }, { MPI_UINT32_T, &u32_model }, { MPI_INT64_T, &i64_model },
    { MPI_UINT64_T, &u64_model }, { MPI_BYTE, &u8_model }, { MPI_C_BOOL, &u8_model },
    { MPI_CXX_BOOL, &u8_model },
    { MPI_CHAR, CHAR_MIN < 0 ? &i8_model : &u8_model },
    { MPI_CHARACTER, CHAR_MIN < 0 ? &i8_model : &u8_model },
    { MPI_FLOAT, &f32_model }, { MPI_DOUBLE, &f64_model }, { MPI_LONG_DOUBLE, &ldbl_model },
    { MPI_C_FLOAT_COMPLEX, &c32_model }, { MPI_C_DOUBLE_COMPLEX, &c64_model },
    { MPI_C_LONG_DOUBLE_COMPLEX, &cldbl_model }, { MPI_CXX_FLOAT_COMPLEX, &c32_model },
    { MPI_CXX_DOUBLE_COMPLEX, &c64_model }, { MPI_CXX_LONG_DOUBLE_COMPLEX, &cldbl_model },
    { MPI_FLOAT_INT, &float_int_model }, { MPI_DOUBLE_INT, &double_int_model },
    { MPI_LONG_INT, &long_int_model },
    { MPI_2INT, &int_int_model }, { MPI_SHORT_INT, &short_int_model },
    { MPI_LONG_DOUBLE_INT, &ldbl_int_model },
    { MPI_2REAL, &float_float_model }, { MPI_2DOUBLE_PRECISION, &double_double_model },
    { MPI_2INTEGER, &int_int_model }, { MPI_LOGICAL, &u32_model }, { MPI_INTEGER, &i32_model },
    { MPI_REAL, &f32_model }, { MPI_COMPLEX, &c32_model }, { MPI_DOUBLE_PRECISION, &f64_model },
    { MPI_DOUBLE_COMPLEX, &c64_model }, { MPI_LOGICAL1, &u8_model }, { MPI_LOGICAL2, &u16_model },
    { MPI_LOGICAL4, &u32_model }, { MPI_LOGICAL8, &u64_model }, { MPI_LOGICAL16, &i128_model },
    { MPI_INTEGER1, &i8_model }, { MPI_INTEGER2, &i16_model }, { MPI_INTEGER4, &i32_model },
    { MPI_INTEGER8, &i64_model }, { MPI_INTEGER16, &i128_model }, { MPI_REAL4, &f32_model },
    { MPI_REAL8, &f64_model }, { MPI_REAL16, &f128_model }, { MPI_COMPLEX8, &c32_model },
    { MPI_COMPLEX16, &c64_model }, { MPI_COMPLEX32, &c128_model },
#ifdef __FLT16_MANT_DIG__
    { MPI_REAL2, &f16_model }, { MPI_COMPLEX4, &c16_model },
#endif
};

static const struct model *model_of(MPI_Datatype h)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (models[i].h == h)
            return models[i].model;
    return NULL;
}

/* ------------------------------------------------------------------- tests -- */

enum { GUARD = 32, LONGEST = 300 };

/* Buffers of LONGEST elements at a chosen offset from an aligned address, with guards behind. */
static _Alignas(64) unsigned char x[LONGEST * 32 + 64 + GUARD], y[sizeof x], x_before[sizeof x];
static _Alignas(64) unsigned char expected[LONGEST * 32];

static void compare(const struct type_entry *t, const char *op, size_t n, size_t offset,
                    size_t extent)
{
    const struct mpi_type *type = mpi_type_get(t->h);
    size_t value = type->value_size ? type->value_size : type->size, index = type->size - value;

    /* the 80-bit long double ends in bytes that no operation defines */
    const bool padded = sizeof(long double) == 16 && __LDBL_MANT_DIG__ == 64 &&
                        (t->h == MPI_LONG_DOUBLE || t->h == MPI_LONG_DOUBLE_INT);
    const bool padded_complex = sizeof(long double) == 16 && __LDBL_MANT_DIG__ == 64 &&
                                (t->h == MPI_C_LONG_DOUBLE_COMPLEX
                                 || t->h == MPI_CXX_LONG_DOUBLE_COMPLEX);

    for (size_t i = 0; i < n; i++) {
        const unsigned char *is = y + offset + i * extent, *must = expected + i * extent;
        bool same = memcmp(is, must, padded || padded_complex ? 10 : value) == 0;
        same &= !padded_complex || memcmp(is + 16, must + 16, 10) == 0;
        same &= memcmp(is + type->index_at, must + type->index_at, index) == 0;
        if (!same)      /* an assertion is a system call */
            ck_abort_msg("%s on %s, element %zu of %zu at offset %zu", op, t->name, i, n, offset);
    }
}

static void check_one(const struct type_entry *t, MPI_Op op, const char *name, size_t n,
                      size_t offset)
{
    const struct model *model = model_of(t->h);
    const size_t extent = (size_t)mpi_type_get(t->h)->extent;

    ck_assert_msg(model != NULL, "%s has no model", t->name);
    memset(x, 0xee, sizeof x);
    memset(y, 0xee, sizeof y);
    for (size_t i = 0; i < n; i++) {
        _Alignas(64) unsigned char a[64], *b = expected + i * extent;
        model->fill(a);
        model->fill(b);
        memcpy(x + offset + i * extent, a, extent);
        memcpy(y + offset + i * extent, b, extent);
        model->compute(op, a, b);
    }
    memcpy(x_before, x, sizeof x);
    mpi_op_apply(mpi_op_get(op), t->h, x + offset, y + offset, n);
    ck_assert_int_eq(memcmp(x, x_before, sizeof x), 0);
    compare(t, name, n, offset, extent);
    size_t beside = 0;
    for (size_t i = 0; i < GUARD; i++)
        beside += y[offset + n * extent + i] != 0xee;
    ck_assert_uint_eq(beside, 0);
}

START_TEST(every_operation)
{
    static const size_t lengths[] = { 0, 1, 2, 3, 7, 8, 15, 16, 17, 63, 64, 65, 131, LONGEST };
    const struct type_entry *t = &all_types[_i];

    for (int o = 0; o < ALL_OPS; o++)
        if (strchr(ops[o].kinds, t->kind))
            for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
                check_one(t, ops[o].h, ops[o].name, lengths[l], 0);
                check_one(t, ops[o].h, ops[o].name, lengths[l], 1 + l % 15);
            }
}
END_TEST

START_TEST(undefined_pairs)
{
    const struct type_entry *t = &all_types[_i];
    _Alignas(64) unsigned char in[64] = { 0 }, inout[64] = { 0 };

    for (int o = 0; o < ALL_OPS; o++) {
        int class = strchr(ops[o].kinds, t->kind) ? MPI_SUCCESS : MPI_ERR_OP;
        ck_assert_msg(mpi_op_check(ops[o].h, mpi_type_get(t->h)) == class, "%s on %s", ops[o].name,
                      t->name);
        ck_assert_int_eq(MPI_Reduce_local(in, inout, 1, t->h, ops[o].h), class);
    }
}
END_TEST

START_TEST(no_operation)
{
    int flag;

    for (uintptr_t v = 0; v < 0x1100; v++) {
        bool listed = false;
        for (int o = 0; o < ALL_OPS; o++)
            listed |= (uintptr_t)ops[o].h == v;
        ck_assert_int_eq(mpi_op_get((MPI_Op)v) != NULL, listed);
    }
    ck_assert_int_eq(MPI_Op_commutative(MPI_OP_NULL, &flag), MPI_ERR_OP);
    ck_assert_int_eq(mpi_op_check(MPI_OP_NULL, mpi_type_get(MPI_INT)), MPI_ERR_OP);
    for (int o = 0; o < ALL_OPS; o++) {
        flag = 0;
        ck_assert_int_eq(MPI_Op_commutative(ops[o].h, &flag), MPI_SUCCESS);
        ck_assert_int_eq(flag, 1);
    }
}
END_TEST

/* Bytes between the value and the index, and behind the index, belong to the program. */
START_TEST(gaps_are_kept)
{
    struct short_int a[9], b[9];
    unsigned char *bytes = (unsigned char *)b;

    memset(a, 0x11, sizeof a);
    memset(b, 0x77, sizeof b);
    for (int i = 0; i < 9; i++) {
        a[i].value = 5;
        b[i].value = (short)i;
    }
    ck_assert_int_eq(MPI_Reduce_local(a, b, 9, MPI_SHORT_INT, MPI_MAXLOC), MPI_SUCCESS);
    for (int i = 0; i < 9; i++) {
        ck_assert_int_eq(b[i].value, i > 5 ? i : 5);
        ck_assert(bytes[i * 8 + 2] == 0x77 && bytes[i * 8 + 3] == 0x77);
    }
}
END_TEST

/* -------------------------------------------------- operations of the program -- */

static int calls;

/* Not commutative: (x, y) -> 2 x + y */
static void twice_plus(void *in, void *inout, int *length, MPI_Datatype *type)
{
    ck_assert_ptr_eq(*type, MPI_INT);
    calls++;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += 2 * ((int *)in)[i];
}

START_TEST(created)
{
    int a[5] = { 1, 2, 3, 4, 5 }, b[5] = { 10, 20, 30, 40, 50 }, flag = -1;
    MPI_Op op, copy;

    ck_assert_int_eq(MPI_Op_create(twice_plus, 0, &op), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Op_commutative(op, &flag), MPI_SUCCESS);
    ck_assert_int_eq(flag, 0);
    calls = 0;
    ck_assert_int_eq(MPI_Reduce_local(a, b, 5, MPI_INT, op), MPI_SUCCESS);
    ck_assert_int_eq(calls, 1);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(b[i], 12 * (i + 1));
    ck_assert_int_eq(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, op), MPI_SUCCESS);
    ck_assert_int_eq(calls, 1);
    copy = op;
    ck_assert_int_eq(MPI_Op_free(&op), MPI_SUCCESS);
    ck_assert_ptr_eq(op, MPI_OP_NULL);
    ck_assert_int_eq(MPI_Reduce_local(a, b, 5, MPI_INT, copy), MPI_ERR_OP);
    ck_assert_int_eq(MPI_Op_free(&copy), MPI_ERR_OP);
}
END_TEST

static void twice_plus_c(void *in, void *inout, MPI_Count *length, MPI_Datatype *type)
{
    int n = (int)*length;
    twice_plus(in, inout, &n, type);
}

START_TEST(created_large)
{
    int a[3] = { 1, 2, 3 }, b[3] = { 10, 20, 30 };
    MPI_Op op;

    ck_assert_int_eq(MPI_Op_create_c(NULL, 0, &op), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Op_create_c(twice_plus_c, 0, &op), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Reduce_local_c(a, b, 3, MPI_INT, op), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(b[i], 12 * (i + 1));
    ck_assert_int_eq(MPI_Reduce_local_c(a, b, -1, MPI_INT, op), MPI_ERR_COUNT);
    ck_assert_int_eq(MPI_Op_free(&op), MPI_SUCCESS);
}
END_TEST

static void count_only(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in;
    (void)type;
    ck_assert_int_gt(*length, 0);
    ++*(int *)inout;
    *length = -1;           /* a careless function must not matter */
}

START_TEST(created_on_any_type)
{
    _Alignas(64) unsigned char in[64] = { 0 }, inout[64];
    MPI_Op op;
    int flag = 0;

    ck_assert_int_eq(MPI_Op_create(count_only, 7, &op), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Op_commutative(op, &flag), MPI_SUCCESS);
    ck_assert_int_eq(flag, 1);
    for (int i = 0; i < ALL_TYPES; i++) {
        memset(inout, 0, sizeof inout);
        ck_assert_int_eq(MPI_Reduce_local(in, inout, 1, all_types[i].h, op), MPI_SUCCESS);
        ck_assert_int_eq(inout[0], 1);
    }
    ck_assert_int_eq(MPI_Op_free(&op), MPI_SUCCESS);
}
END_TEST

START_TEST(wrong_arguments)
{
    int a = 1, b = 2;
    MPI_Op op = MPI_SUM;

    ck_assert_int_eq(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Op_create(twice_plus, 1, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Op_free(NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Op_free(&op), MPI_ERR_OP);
    ck_assert_ptr_eq(op, MPI_SUM);
    ck_assert_int_eq(MPI_Op_commutative(MPI_SUM, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Reduce_local(NULL, &b, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    ck_assert_int_eq(MPI_Reduce_local(&a, NULL, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    ck_assert_int_eq(MPI_Reduce_local(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    ck_assert_int_eq(MPI_Reduce_local(&a, &b, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    ck_assert_int_eq(MPI_Reduce_local(&a, &b, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    ck_assert_int_eq(b, 2);
}
END_TEST

/* What a message calls a type for which no operation is defined. */
START_TEST(types_have_labels)
{
    MPI_Datatype t;

    ck_assert_str_eq(mpi_type_label(mpi_type_get(MPI_INT)), "MPI_INT");
    ck_assert_str_eq(mpi_type_label(NULL), "the datatype");
    MPI_Type_contiguous(2, MPI_INT, &t);
    ck_assert_str_eq(mpi_type_label(mpi_type_get(t)), "a datatype of MPI_Type_contiguous");
    MPI_Type_set_name(t, "two");
    ck_assert_str_eq(mpi_type_label(mpi_type_get(t)), "two");
    MPI_Type_free(&t);
    MPI_Type_create_resized(MPI_INT, 0, 8, &t);
    ck_assert_str_eq(mpi_type_label(mpi_type_get(t)), "a datatype of MPI_Type_create_resized");
    MPI_Type_free(&t);
    MPI_Type_create_f90_integer(9, &t);
    ck_assert_str_eq(mpi_type_label(mpi_type_get(t)), "a datatype of MPI_Type_create_f90_integer");
}
END_TEST

static void add_columns(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; extent && i < 6 * *count; i += 2)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Nothing is refused that has no byte in common. */
START_TEST(same_buffers)
{
    int a[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    struct { double value; int index; } pairs[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
    MPI_Datatype columns, nothing;
    MPI_Op op;

    ck_assert_int_eq(MPI_Reduce_local(a, a, 3, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    ck_assert_int_eq(MPI_Reduce_local(a, a + 2, 3, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    ck_assert_int_eq(MPI_Reduce_local(a + 2, a, 3, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    ck_assert_int_eq(MPI_Reduce_local(pairs, pairs + 1, 2, MPI_DOUBLE_INT, MPI_MAXLOC),
                     MPI_ERR_BUFFER);
    ck_assert_int_eq(a[0] + a[2], 4);
    ck_assert_int_eq(MPI_Reduce_local(a, a, 0, MPI_INT, MPI_SUM), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Reduce_local(a, a + 3, 3, MPI_INT, MPI_SUM), MPI_SUCCESS);
    ck_assert_int_eq(a[3] + a[5], 14);
    ck_assert_int_eq(MPI_Reduce_local(pairs, pairs + 2, 2, MPI_DOUBLE_INT, MPI_MAXLOC),
                     MPI_SUCCESS);
    MPI_Type_vector(3, 1, 2, MPI_INT, &columns);
    MPI_Type_commit(&columns);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Op_create(add_columns, 1, &op);
    ck_assert_int_eq(MPI_Reduce_local(a, a, 1, columns, op), MPI_ERR_BUFFER);
    ck_assert_int_eq(MPI_Reduce_local(a, a + 1, 1, columns, op), MPI_SUCCESS);
    ck_assert_int_eq(a[1], 3);
    ck_assert_int_eq(MPI_Reduce_local(a, a, 2, nothing, op), MPI_SUCCESS);
    MPI_Op_free(&op);
    MPI_Type_free(&columns);
    MPI_Type_free(&nothing);
}
END_TEST

static int all(void)
{
    Suite *suite = suite_create("op");
    TCase *tc = tcase_create("op");

    alone_start();
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, every_operation, 0, ALL_TYPES);
    tcase_add_loop_test(tc, undefined_pairs, 0, ALL_TYPES);
    tcase_add_test(tc, no_operation);
    tcase_add_test(tc, gaps_are_kept);
    tcase_add_test(tc, created);
    tcase_add_test(tc, created_large);
    tcase_add_test(tc, created_on_any_type);
    tcase_add_test(tc, wrong_arguments);
    tcase_add_test(tc, same_buffers);
    tcase_add_test(tc, types_have_labels);
    suite_add_tcase(suite, tc);
    return suite_single(alone_run(suite));
}

/* In a process of its own, since loops are chosen once. */
static int all_with(const char *simd)
{
    int status = 1;
    pid_t pid = fork();
    if (!pid) {
        setenv("NICEMU_SIMD", simd, 1);
        exit(all());
    }
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return 1;
    if (status)
        fprintf(stderr, "with NICEMU_SIMD=%s\n", simd);
    return status != 0;
}

int main(void)
{
    return all_with("none") | all_with("avx2") | all();
}
