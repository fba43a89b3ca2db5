/* The predefined datatypes: sizes, extents, names, and moving their data. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "alone.h"
#include "core/type.h"
#include "core/type_data.h"
#include "types.h"

START_TEST(size)
{
    const struct type_entry *t = &all_types[_i];
    MPI_Count big = -1;
    int size = -1;

    ck_assert_int_eq(MPI_Type_size(t->h, &size), MPI_SUCCESS);
    ck_assert_msg(size == (int)t->bytes, "%s has %d bytes and must have %zu", t->name, size,
                  t->bytes);
    ck_assert_int_eq(MPI_Type_size_x(t->h, &big), MPI_SUCCESS);
    ck_assert_int_eq(big, size);
}
END_TEST

START_TEST(name)
{
    const struct type_entry *t = &all_types[_i];
    char text[MPI_MAX_OBJECT_NAME];
    int length = -1;

    ck_assert_int_eq(MPI_Type_get_name(t->h, text, &length), MPI_SUCCESS);
    ck_assert_str_eq(text, t->name);
    ck_assert_int_eq(length, strlen(t->name));
}
END_TEST

START_TEST(extent)
{
    const struct type_entry *t = &all_types[_i];
    MPI_Aint lb = -1, extent = -1, true_lb = -1, true_extent = -1;
    MPI_Count lb_x = -1, extent_x = -1;

    ck_assert_int_eq(MPI_Type_get_extent(t->h, &lb, &extent), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Type_get_extent_x(t->h, &lb_x, &extent_x), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Type_get_true_extent(t->h, &true_lb, &true_extent), MPI_SUCCESS);
    ck_assert(lb == 0 && lb_x == 0 && true_lb == 0 && extent == extent_x);
    if (t->kind != 'p')
        ck_assert(extent == (MPI_Aint)t->bytes && true_extent == extent);
    else
        ck_assert(extent >= true_extent && true_extent >= (MPI_Aint)t->bytes);
}
END_TEST

/* The layout of a pair is that of the struct which a C program writes for it. */
#define CHECK_PAIR(handle, value_type, index_type) \
    do { \
        struct pair { value_type value; index_type index; }; \
        MPI_Aint lb, extent; \
        ck_assert_int_eq(MPI_Type_get_extent(handle, &lb, &extent), MPI_SUCCESS); \
        ck_assert_int_eq(extent, sizeof(struct pair)); \
        ck_assert_int_eq(MPI_Type_get_true_extent(handle, &lb, &extent), MPI_SUCCESS); \
        ck_assert_int_eq(extent, offsetof(struct pair, index) + sizeof(index_type)); \
        ck_assert_int_eq(mpi_type_get(handle)->contiguous, \
                         sizeof(struct pair) == sizeof(value_type) + sizeof(index_type)); \
    } while (0)

START_TEST(pairs)
{
    CHECK_PAIR(MPI_FLOAT_INT, float, int);
    CHECK_PAIR(MPI_DOUBLE_INT, double, int);
    CHECK_PAIR(MPI_LONG_INT, long, int);
    CHECK_PAIR(MPI_2INT, int, int);
    CHECK_PAIR(MPI_SHORT_INT, short, int);
    CHECK_PAIR(MPI_LONG_DOUBLE_INT, long double, int);
    CHECK_PAIR(MPI_2REAL, float, float);
    CHECK_PAIR(MPI_2DOUBLE_PRECISION, double, double);
    CHECK_PAIR(MPI_2INTEGER, int, int);
}
END_TEST

/* The ABI puts the logarithm of the size into the handles of the types of a fixed size. */
START_TEST(size_in_handle)
{
    for (int i = 0; i < ALL_TYPES; i++) {
        unsigned v = (unsigned)(uintptr_t)all_types[i].h;
        if ((v >= 0x240 && v < 0x280) || v >= 0x2c0)
            ck_assert_uint_eq(all_types[i].bytes, 1u << (v >> 3 & 7));
    }
}
END_TEST

static bool is_listed(uintptr_t value)
{
    for (int i = 0; i < ALL_TYPES; i++)
        if ((uintptr_t)all_types[i].h == value)
            return true;
    return false;
}

START_TEST(nothing_else_is_a_type)
{
    int size;

    for (uintptr_t v = 0; v < 0x1100; v++)
        ck_assert_int_eq(mpi_type_get((MPI_Datatype)v) != NULL, is_listed(v));
    ck_assert_ptr_null(mpi_type_get((MPI_Datatype)(uintptr_t)&size));
    ck_assert_int_eq(MPI_Type_size(MPI_DATATYPE_NULL, &size), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Type_size((MPI_Datatype)MPI_COMM_WORLD, &size), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Type_size((MPI_Datatype)(uintptr_t)&size, &size), MPI_ERR_TYPE);
}
END_TEST

START_TEST(wrong_arguments)
{
    char text[MPI_MAX_OBJECT_NAME];
    MPI_Count count;
    MPI_Aint aint;
    int length;

    ck_assert_int_eq(MPI_Type_size(MPI_INT, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Type_size_x(MPI_DATATYPE_NULL, &count), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Type_size_x(MPI_INT, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Type_get_extent(MPI_DATATYPE_NULL, &aint, &aint), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Type_get_extent(MPI_INT, NULL, &aint), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Type_get_extent_x(MPI_INT, &count, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Type_get_true_extent(MPI_INT, &aint, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Type_get_name(MPI_INT, NULL, &length), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Type_get_name((MPI_Datatype)0x2ff, text, &length), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Type_get_name(MPI_DATATYPE_NULL, text, &length), MPI_SUCCESS);
    ck_assert_str_eq(text, "MPI_DATATYPE_NULL");
}
END_TEST

enum { MANY = 37 };

/* Data survive packing and unpacking; what lies in gaps stays as it was. */
START_TEST(pack)
{
    const struct mpi_type *type = mpi_type_get(all_types[_i].h);
    size_t span = MANY * (size_t)type->extent, packed_size = MANY * type->size;
    unsigned char *buf = malloc(span), *back = malloc(span), *packed = malloc(packed_size + 1);
    size_t kept = 0;

    for (size_t i = 0; i < span; i++)
        buf[i] = (unsigned char)(rand() % 255);
    memset(back, 255, span);        /* no byte of buf is 255 */
    packed[packed_size] = 255;
    mpi_type_pack(type, buf, MANY, packed);
    ck_assert_int_eq(packed[packed_size], 255);
    mpi_type_unpack(type, packed, packed_size, back);
    for (size_t i = 0; i < span; i++) {
        ck_assert(back[i] == buf[i] || back[i] == 255);
        kept += back[i] == 255;
    }
    ck_assert_uint_eq(kept, span - packed_size);
    mpi_type_pack(type, NULL, 0, NULL);
    mpi_type_unpack(type, NULL, 0, NULL);
    free(buf);
    free(back);
    free(packed);
}
END_TEST

START_TEST(pack_order)
{
    struct { double value; int index; } pairs[2] = { { 1.5, 7 }, { -2.5, 8 } };
    const struct mpi_type *type = mpi_type_get(MPI_DOUBLE_INT);
    char packed[24];
    double value;
    int index;

    mpi_type_pack(type, pairs, 2, packed);
    memcpy(&value, packed + 12, sizeof value);
    memcpy(&index, packed + 20, sizeof index);
    ck_assert(value == -2.5 && index == 8);
}
END_TEST

START_TEST(addresses)
{
    int a[10] = { 0 };
    MPI_Aint first, last;

    ck_assert_int_eq(MPI_Get_address(&a[0], &first), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Get_address(&a[9], &last), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Get_address(a, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(first, (intptr_t)a);
    ck_assert_int_eq(MPI_Aint_diff(last, first), 9 * sizeof a[0]);
    ck_assert_int_eq(MPI_Aint_diff(first, last), -(MPI_Aint)(9 * sizeof a[0]));
    ck_assert_int_eq(MPI_Aint_add(first, 9 * sizeof a[0]), last);
    ck_assert_int_eq(MPI_Aint_add(INTPTR_MAX, 1), INTPTR_MIN);
    ck_assert_int_eq(MPI_Aint_diff(INTPTR_MIN, INTPTR_MAX), 1);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("type");
    TCase *tc = tcase_create("predefined");

    alone_start();
    tcase_add_loop_test(tc, size, 0, ALL_TYPES);
    tcase_add_loop_test(tc, name, 0, ALL_TYPES);
    tcase_add_loop_test(tc, extent, 0, ALL_TYPES);
    tcase_add_test(tc, pairs);
    tcase_add_test(tc, size_in_handle);
    tcase_add_test(tc, nothing_else_is_a_type);
    tcase_add_test(tc, wrong_arguments);
    tcase_add_loop_test(tc, pack, 0, ALL_TYPES);
    tcase_add_test(tc, pack_order);
    tcase_add_test(tc, addresses);
    suite_add_tcase(suite, tc);
    return alone_run(suite);
}
