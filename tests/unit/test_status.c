/* What a status says, and counts of elements in it. */
#include <limits.h>
#include "alone.h"
#include "core/status.h"

static MPI_Status of_bytes(int64_t bytes)
{
    MPI_Status status = { 0 };

    mpi_status_set(&status, 1, 2, bytes);
    return status;
}

START_TEST(members)
{
    MPI_Status status;
    int value, flag = -1;

    memset(&status, 0x5a, sizeof status);
    mpi_status_set(&status, 4, 5, 12);
    ck_assert(status.MPI_SOURCE == 4 && status.MPI_TAG == 5 && mpi_status_bytes(&status) == 12);
    ck_assert_int_eq(status.MPI_ERROR, 0x5a5a5a5a);     /* not for single completions to touch */
    ck_assert_int_eq(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    ck_assert_int_eq(flag, 0);
    mpi_status_set_empty(&status);
    ck_assert(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    ck_assert(status.MPI_ERROR == MPI_SUCCESS && mpi_status_bytes(&status) == 0);
    mpi_status_set_proc_null(&status);
    ck_assert(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG
              && mpi_status_bytes(&status) == 0);

    ck_assert_int_eq(MPI_Status_set_source(&status, 7), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Status_set_tag(&status, 8), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Status_set_error(&status, 9), MPI_SUCCESS);
    ck_assert(status.MPI_SOURCE == 7 && status.MPI_TAG == 8 && status.MPI_ERROR == 9);
    ck_assert(MPI_Status_get_source(&status, &value) == MPI_SUCCESS && value == 7);
    ck_assert(MPI_Status_get_tag(&status, &value) == MPI_SUCCESS && value == 8);
    ck_assert(MPI_Status_get_error(&status, &value) == MPI_SUCCESS && value == 9);
}
END_TEST

START_TEST(ignored)
{
    mpi_status_set(MPI_STATUS_IGNORE, 1, 2, 3);
    mpi_status_set_empty(MPI_STATUS_IGNORE);
    mpi_status_set_proc_null(MPI_STATUS_IGNORE);
    mpi_status_set_cancelled(MPI_STATUS_IGNORE, true);
}
END_TEST

START_TEST(cancelled)
{
    MPI_Status status = of_bytes(8);
    int flag = -1;

    ck_assert_int_eq(MPI_Status_set_cancelled(&status, 2), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    ck_assert_int_eq(flag, 1);
    ck_assert_int_eq(mpi_status_bytes(&status), 8);
    ck_assert_int_eq(MPI_Status_set_cancelled(&status, 0), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    ck_assert_int_eq(flag, 0);
}
END_TEST

static void check(int64_t bytes, MPI_Datatype type, int count, int elements, MPI_Count elements_x)
{
    MPI_Status status = of_bytes(bytes);
    MPI_Count big = -1;
    int n = -1;

    ck_assert_int_eq(MPI_Get_count(&status, type, &n), MPI_SUCCESS);
    ck_assert_int_eq(n, count);
    ck_assert_int_eq(MPI_Get_elements(&status, type, &n), MPI_SUCCESS);
    ck_assert_int_eq(n, elements);
    ck_assert_int_eq(MPI_Get_elements_x(&status, type, &big), MPI_SUCCESS);
    ck_assert_int_eq(big, elements_x);
}

START_TEST(counts)
{
    const int64_t huge = (int64_t)INT_MAX + 1;

    check(0, MPI_INT, 0, 0, 0);
    check(20, MPI_INT, 5, 5, 5);
    check(21, MPI_INT, MPI_UNDEFINED, MPI_UNDEFINED, MPI_UNDEFINED);
    check(21, MPI_BYTE, 21, 21, 21);
    check(INT_MAX, MPI_CHAR, INT_MAX, INT_MAX, INT_MAX);
    check(huge, MPI_CHAR, MPI_UNDEFINED, MPI_UNDEFINED, huge);
    check(huge * 8, MPI_DOUBLE, MPI_UNDEFINED, MPI_UNDEFINED, huge);
}
END_TEST

/* A pair counts as one, its two parts as elements. */
START_TEST(counts_of_pairs)
{
    check(36, MPI_DOUBLE_INT, 3, 6, 6);
    check(44, MPI_DOUBLE_INT, MPI_UNDEFINED, 7, 7);
    check(40, MPI_DOUBLE_INT, MPI_UNDEFINED, MPI_UNDEFINED, MPI_UNDEFINED);
    check(6, MPI_SHORT_INT, 1, 2, 2);
    check(8, MPI_SHORT_INT, MPI_UNDEFINED, 3, 3);
    check(4, MPI_2INT, MPI_UNDEFINED, 1, 1);
}
END_TEST

START_TEST(set_elements)
{
    const MPI_Datatype types[] = { MPI_CHAR, MPI_INT, MPI_LONG_DOUBLE, MPI_2INT, MPI_SHORT_INT,
                                   MPI_LONG_DOUBLE_INT };
    MPI_Status status = of_bytes(3);
    int n;

    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int i = 0; i < 5; i++) {
            ck_assert_int_eq(MPI_Status_set_elements(&status, types[t], i), MPI_SUCCESS);
            ck_assert_int_eq(MPI_Get_elements(&status, types[t], &n), MPI_SUCCESS);
            ck_assert_int_eq(n, i);
        }
}
END_TEST

START_TEST(wrong_arguments)
{
    MPI_Status status = of_bytes(4);
    MPI_Count big;
    int n;

    ck_assert_int_eq(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &n), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Get_count(&status, MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Get_count(&status, MPI_INT, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Get_elements(&status, MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
    ck_assert_int_eq(MPI_Get_elements_x(MPI_STATUS_IGNORE, MPI_INT, &big), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
    ck_assert_int_eq(MPI_Test_cancelled(MPI_STATUS_IGNORE, &n), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Test_cancelled(&status, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Status_set_cancelled(MPI_STATUS_IGNORE, 1), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Status_get_tag(&status, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Status_set_tag(MPI_STATUS_IGNORE, 1), MPI_ERR_ARG);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("status");
    TCase *tc = tcase_create("status");

    alone_start();
    tcase_add_test(tc, members);
    tcase_add_test(tc, ignored);
    tcase_add_test(tc, cancelled);
    tcase_add_test(tc, counts);
    tcase_add_test(tc, counts_of_pairs);
    tcase_add_test(tc, set_elements);
    tcase_add_test(tc, wrong_arguments);
    suite_add_tcase(suite, tc);
    return alone_run(suite);
}
