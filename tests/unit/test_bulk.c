/* When elements of a window are changed in bulk, whom that waits for, and when it is over. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "rma/bulk.h"
#include "suite.h"

enum { CELLS = 4096, MANY = 1000 };

static int64_t ones[CELLS], *cell;
static MPI_Win win;
static struct mpi_rma_control *control;

static void fresh(void)
{
    ck_assert_int_eq(MPI_Win_allocate(sizeof ones, sizeof *cell, MPI_INFO_NULL, MPI_COMM_SELF,
                                      &cell, &win), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
    control = mpi_win_control(mpi_win_get(win));
    for (int i = 0; i < CELLS; i++) {
        ones[i] = 1;
        cell[i] = 0;
    }
    ck_assert_int_eq(MPI_Win_lock_all(0, win), MPI_SUCCESS);
}

static void end(void)
{
    ck_assert_int_eq(MPI_Win_unlock_all(win), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}

static int add(int cells)
{
    return MPI_Accumulate(ones, cells, MPI_INT64_T, 0, 0, cells, MPI_INT64_T, MPI_SUM, win);
}

static int fetch(void)
{
    int64_t old;
    return MPI_Fetch_and_op(ones, &old, MPI_INT64_T, 0, 0, MPI_SUM, win);
}

static int swap(void)
{
    int64_t old = cell[0], from = old, to = old + 1;
    return MPI_Compare_and_swap(&to, &from, &old, MPI_INT64_T, 0, 0, win);
}

/* One call has so many that it pays; several have together; those with few never have. */
START_TEST(begins)
{
    fresh();
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(add(MPI_RMA_MANY - 1), MPI_SUCCESS);
    ck_assert_uint_eq(control->bulk, 0);
    ck_assert_int_eq(add(MPI_RMA_MANY), MPI_SUCCESS);
    ck_assert_uint_eq(control->bulk, 0);
    for (int i = 0; i < MANY && !control->bulk; i++)
        ck_assert_int_eq(add(MPI_RMA_MANY), MPI_SUCCESS);
    ck_assert_uint_eq(control->bulk, 1);
    end();
    fresh();
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    ck_assert_uint_eq(control->bulk, 1);
    ck_assert_uint_eq(control->busy, 0);
    ck_assert_uint_eq(control->inside, 0);
    end();
}
END_TEST

/* Calls that have few, in a row, one of which ends it; one that has many begins the row anew. */
static int row_of(int (*few)(void))
{
    int calls = 0;
    ck_assert_int_eq(add(MPI_RMA_MANY), MPI_SUCCESS);
    for (; control->bulk; calls++) {
        ck_assert_int_lt(calls, MANY);
        ck_assert_int_eq(few(), MPI_SUCCESS);
    }
    return calls;
}

START_TEST(is_over)
{
    fresh();
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    const int row = row_of(fetch);
    ck_assert_int_gt(row, 1);
    ck_assert_int_eq(cell[0], 2 + row);
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    for (int i = 1; i < row; i++)
        ck_assert_int_eq(swap(), MPI_SUCCESS);
    ck_assert_int_eq(row_of(swap), row);
    ck_assert_int_eq(cell[0], 4 + 3 * row - 1);
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    ck_assert_uint_eq(control->bulk, 1);
    end();
}
END_TEST

static atomic_bool left;

/* A rank that is inside when elements are shut, and leaves after a while. */
static void *inside(void *argument)
{
    while (!__atomic_load_n(&control->bulk, __ATOMIC_ACQUIRE))
        sched_yield();
    usleep(20000);
    atomic_store(&left, true);
    __atomic_store_n(&control->inside, 0, __ATOMIC_RELEASE);
    return argument;
}

START_TEST(waits)
{
    pthread_t thread;
    fresh();
    atomic_store(&left, false);
    control->inside = 1;
    ck_assert(!pthread_create(&thread, NULL, inside, NULL));
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    ck_assert(atomic_load(&left));
    ck_assert(!pthread_join(thread, NULL));
    ck_assert_int_eq(cell[MANY - 1], 1);
    end();
}
END_TEST

/* What is not done under the word is not done at all. */
START_TEST(stray_word)
{
    fresh();
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    control->busy = 77;
    ck_assert_int_eq(add(MANY), MPI_ERR_INTERN);
    ck_assert_int_eq(add(2), MPI_ERR_INTERN);
    ck_assert_int_eq(fetch(), MPI_ERR_INTERN);
    ck_assert_int_eq(swap(), MPI_ERR_INTERN);
    control->busy = 0;
    ck_assert_int_eq(cell[0], 1);
    ck_assert_int_eq(add(2), MPI_SUCCESS);
    ck_assert_int_eq(cell[0], 2);
    end();
}
END_TEST

/* A rank that cannot be waited for: elements are changed one by one. */
START_TEST(stray_inside)
{
    fresh();
    control->inside = UINT64_MAX;
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    ck_assert_uint_eq(control->bulk, 0);
    ck_assert_uint_eq(control->busy, 0);
    ck_assert_int_eq(cell[MANY - 1], 1);
    control->inside = 0;
    ck_assert_int_eq(add(MANY), MPI_SUCCESS);
    ck_assert_uint_eq(control->bulk, 1);
    ck_assert_int_eq(cell[MANY - 1], 2);
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bulk");
    TCase *words = tcase_create("words");
    tcase_add_test(words, begins);
    tcase_add_test(words, is_over);
    tcase_add_test(words, waits);
    tcase_add_test(words, stray_word);
    tcase_add_test(words, stray_inside);
    suite_add_tcase(suite, words);
    MPI_Init(NULL, NULL);
    int failed = suite_run(suite);
    MPI_Finalize();
    return failed;
}
