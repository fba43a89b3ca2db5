/* Windows whose control words cannot be reached, or have been written over, and transfers that
 * fail: the calls say so, with the target that it concerns, and nothing crashes. */
#include <string.h>

#include "rma/lock.h"
#include "rma/transfer.h"
#include "rma/word.h"
#include "suite.h"

enum { WORDS = 8 };

static long double memory[WORDS];
static MPI_Win win;
static struct mpi_win *w;
static struct mpi_rma_control *control;

static void fresh(void)
{
    ck_assert_int_eq(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win),
                     MPI_SUCCESS);
    ck_assert_int_eq(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
    w = mpi_win_get(win);
    control = mpi_win_control(w);
    memset(memory, 0, sizeof memory);
}

static int accumulate(void)
{
    const long double one = 1;
    return MPI_Accumulate(&one, 1, MPI_LONG_DOUBLE, 0, 0, 1, MPI_LONG_DOUBLE, MPI_SUM, win);
}

static int swap(long double *old)
{
    const int64_t from = 0, to = 5;
    return MPI_Compare_and_swap(&to, &from, old, MPI_INT64_T, 0, 1, win);   /* beside alignment */
}

/* -- out of reach */

static struct mpi_rma_part part;
static bool local;

static void hide(void)
{
    part = w->part[0];
    local = w->local;
    w->local = false;
    w->part[0].control = NULL;
    w->part[0].control_address = (struct nic_address){ 0, 0x7fff1234, 0 };
}

static void show(void)
{
    w->part[0].control = part.control;
    w->part[0].control_address = part.control_address;
    w->local = local;
}

START_TEST(hidden_locks)
{
    fresh();
    for (int type = 0; type < 2; type++) {
        const int lock = type ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
        hide();
        ck_assert_int_eq(MPI_Win_lock(lock, 0, 0, win), MPI_ERR_OTHER);
        ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);     /* not had */
        ck_assert_int_eq(MPI_Win_lock_all(0, win), MPI_ERR_OTHER);
        ck_assert_int_eq(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
        show();
        ck_assert_int_eq(MPI_Win_lock(lock, 0, 0, win), MPI_SUCCESS);
        hide();
        ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_ERR_OTHER);
        show();
        memset(control, 0, sizeof *control);
    }
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

/* What is not done under the word is not done at all. */
START_TEST(hidden_busy)
{
    long double old = 7;
    fresh();
    ck_assert_int_eq(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), MPI_SUCCESS);
    hide();
    ck_assert_int_eq(accumulate(), MPI_ERR_OTHER);
    ck_assert_int_eq(swap(&old), MPI_ERR_OTHER);
    show();
    ck_assert(memory[0] == 0 && old == 7);
    ck_assert_int_eq(accumulate(), MPI_SUCCESS);
    ck_assert(memory[0] == 1);
    ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

/* -- written over */

static const uint64_t strays[] = { 2, 3, 0x7fffffff, 0x80000001, UINT32_MAX, (uint64_t)1 << 32 | 1,
                                   UINT64_MAX };
enum { STRAYS = sizeof strays / sizeof *strays };

START_TEST(stray_queue)
{
    const uint64_t stray = strays[_i];
    fresh();
    w->local = false;
    for (int type = 0; type < 2; type++) {
        const int lock = type ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
        control->tail = stray;
        ck_assert_int_eq(MPI_Win_lock(lock, 0, 0, win), MPI_ERR_INTERN);
        control->tail = 0;
    }
    ck_assert_int_eq(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), MPI_SUCCESS);
    control->node[0].lock.next = stray;
    ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_ERR_INTERN);
    control->tail = control->node[0].lock.next = 0;
    ck_assert_int_eq(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), MPI_SUCCESS);
    control->tail = stray;
    ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_ERR_INTERN);
    memset(control, 0, sizeof *control);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

/* Where ranks take turns: turns of nobody, and of this rank that have not begun. */
START_TEST(stray_turns)
{
    const uint64_t stray = strays[_i] + ((uint64_t)100 << 32);
    fresh();
    ck_assert(w->local);
    for (int type = 0; type < 2; type++) {
        const int lock = type ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
        control->tail = stray;
        ck_assert_int_eq(MPI_Win_lock(lock, 0, 0, win), MPI_ERR_INTERN);
        control->tail = 0;
        ck_assert_int_eq(MPI_Win_lock(lock, 0, 0, win), MPI_SUCCESS);
        control->node[0].next = stray;
        ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_SUCCESS);
    }
    memset(control, 0, sizeof *control);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

START_TEST(stray_readers)
{
    const uint64_t stray = strays[_i] & UINT32_MAX;
    fresh();
    control->readers = stray == 1 ? 9 : stray;
    ck_assert_int_eq(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), MPI_ERR_INTERN);
    memset(control, 0, sizeof *control);
    ck_assert_int_eq(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_SUCCESS);
    control->readers |= (stray == 1 ? 9 : stray) << MPI_RMA_WRITER_SHIFT;
    ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_ERR_INTERN);
    memset(control, 0, sizeof *control);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

START_TEST(stray_busy)
{
    fresh();
    ck_assert_int_eq(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win), MPI_SUCCESS);
    control->busy = strays[_i];
    ck_assert_int_eq(accumulate(), MPI_ERR_INTERN);
    control->busy = 0;
    ck_assert_int_eq(accumulate(), MPI_SUCCESS);
    ck_assert(memory[0] == 1);
    ck_assert_int_eq(MPI_Win_unlock(0, win), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

/* -- transfers: a flush tells of its own target's failures, once */

enum { TARGETS = 4 };

/* A window of several ranks, all of which are this process; its memory is named by no key. */
static struct mpi_win *of_several(void)
{
    static int self[TARGETS];
    static struct mpi_comm comm = { .size = TARGETS, .world = self };
    struct mpi_win *several = calloc(1, sizeof *several + TARGETS * sizeof several->part[0]);
    several->comm = &comm;
    return several;
}

static void put(struct mpi_win *to, int target, uint32_t key, uint64_t offset)
{
    static char data[16];
    const struct mpi_rma_place place = { .address = { 0, key, offset } };
    struct mpi_rma_side side;
    mpi_rma_side(&side, data, sizeof data, mpi_type_get(MPI_BYTE));
    ck_assert_int_eq(mpi_rma_start(to, target, &place, true, &side, &side, NULL), MPI_SUCCESS);
}

static void flush(struct mpi_win *of, int target, int class, int failed)
{
    const struct mpi_rma_flushed f = mpi_rma_flush(of, target, "MPI_Win_flush");
    ck_assert_int_eq(f.class, class);
    if (class)
        ck_assert_int_eq(f.target, failed);
}

START_TEST(failures)
{
    struct mpi_win *several = of_several();
    fresh();
    const uint32_t key = w->own_address.key, none = 0x7fff1234;
    const uint64_t at = w->own_address.offset;
    put(several, 1, none, 0);
    put(several, 2, key, at);
    flush(several, 2, MPI_SUCCESS, -1);
    flush(several, 0, MPI_SUCCESS, -1);
    flush(several, 1, MPI_ERR_RMA_RANGE, 1);
    flush(several, 1, MPI_SUCCESS, -1);
    put(several, 2, key, at);
    put(several, 3, key, at + sizeof memory);
    put(several, 3, none, 0);
    flush(several, -1, MPI_ERR_RMA_RANGE, 3);
    flush(several, -1, MPI_SUCCESS, -1);
    put(several, 3, none, 0);
    put(several, 1, none, 0);
    flush(several, -1, MPI_ERR_RMA_RANGE, 1);
    flush(several, 3, MPI_SUCCESS, -1);
    ck_assert_int_eq(several->failed, 0);
    free(several);
    ck_assert_int_eq(MPI_Win_free(&win), MPI_SUCCESS);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("window");
    TCase *words = tcase_create("words"), *transfers = tcase_create("transfers");
    tcase_add_test(words, hidden_locks);
    tcase_add_test(words, hidden_busy);
    tcase_add_loop_test(words, stray_queue, 0, STRAYS);
    tcase_add_loop_test(words, stray_turns, 0, STRAYS);
    tcase_add_loop_test(words, stray_readers, 0, STRAYS);
    tcase_add_loop_test(words, stray_busy, 0, STRAYS);
    tcase_add_test(transfers, failures);
    suite_add_tcase(suite, words);
    suite_add_tcase(suite, transfers);
    MPI_Init(NULL, NULL);
    int failed = suite_run(suite);
    MPI_Finalize();
    return failed;
}
