/* Threads that use one window at once, each its own target: locks, flushes of one target and of all
 * that are locked, the first access in an epoch of a fence, dynamic memory attached while others
 * are looked up. */
#include <pthread.h>

#include "t.h"

enum { THREADS = 3, TURNS = 40, WORDS = 16 };

static MPI_Win win;
static int64_t attached[THREADS][WORDS];
static MPI_Aint theirs[THREADS];

static void together(void *(*body)(void *), int threads)
{
    static const int numbers[THREADS] = { 0, 1, 2 };
    pthread_t thread[THREADS];
    for (int i = 0; i < threads; i++)
        CHECK(!pthread_create(&thread[i], NULL, body, (void *)&numbers[i]));
    for (int i = 0; i < threads; i++)
        CHECK(!pthread_join(thread[i], NULL));
}

/* Thread i works on rank i's words. */
static void *lock_and_add(void *number)
{
    const int target = *(int *)number, one = t_rank % WORDS;
    int64_t value;
    for (int i = 0; i < TURNS; i++) {
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        OK(MPI_Get(&value, 1, MPI_INT64_T, target, one, 1, MPI_INT64_T, win));
        OK(i % 2 ? MPI_Win_flush(target, win) : MPI_Win_flush_all(win));
        value += target + 1;
        OK(MPI_Put(&value, 1, MPI_INT64_T, target, one, 1, MPI_INT64_T, win));
        OK(MPI_Win_unlock(target, win));
    }
    return NULL;
}

static void *put_in_fence(void *number)
{
    static int64_t value[THREADS];      /* until the fence */
    const int i = *(int *)number;
    value[i] = 100 * t_rank + i;
    OK(MPI_Put(&value[i], 1, MPI_INT64_T, t_next(), 4 + i, 1, MPI_INT64_T, win));
    return NULL;
}

static void all_of(const int64_t *mine)
{
    const int threads = t_size < THREADS ? t_size : THREADS;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    together(lock_and_add, threads);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_rank, 0, win));
    for (int r = 0; r < t_size && t_rank < threads; r++)
        SAME(mine[r], (int64_t)TURNS * (t_rank + 1));
    OK(MPI_Win_unlock(t_rank, win));
    OK(MPI_Win_fence(0, win));
    together(put_in_fence, THREADS);
    CLASS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);      /* the epoch is in use */
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    for (int i = 0; i < THREADS; i++)
        SAME(mine[4 + i], 100 * t_prev() + i);
    OK(MPI_Win_free(&win));
}

/* Each thread attaches memory, finds the next rank's of the same number, and takes its own back. */
static void *attach_and_put(void *number)
{
    const int i = *(int *)number;
    const int64_t value = 1000 * t_rank + i;
    int64_t extra[WORDS];
    for (int turn = 0; turn < TURNS; turn++) {
        OK(MPI_Win_attach(win, extra, sizeof extra));
        OK(MPI_Put(&value, 1, MPI_INT64_T, t_next(), theirs[i] + 8 * (turn % WORDS), 1,
                   MPI_INT64_T, win));
        OK(MPI_Win_flush(t_next(), win));
        OK(MPI_Win_detach(win, extra));
    }
    return NULL;
}

static void dynamic(void)
{
    MPI_Aint mine[THREADS];
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int i = 0; i < THREADS; i++) {
        OK(MPI_Win_attach(win, attached[i], sizeof attached[i]));
        OK(MPI_Get_address(attached[i], &mine[i]));
    }
    OK(MPI_Sendrecv(mine, THREADS, MPI_AINT, t_prev(), 0, theirs, THREADS, MPI_AINT, t_next(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Win_lock_all(0, win));
    together(attach_and_put, THREADS);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
    for (int i = 0; i < THREADS; i++)
        for (int word = 0; word < WORDS; word++)
            SAME(attached[i][word], 1000 * t_prev() + i);
}

int main(int argc, char **argv)
{
    static int64_t own[WORDS];
    int64_t *mine;
    t_start_threads(&argc, &argv);
    CHECK(t_size <= 4);
    OK(MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    all_of(own);
    OK(MPI_Win_allocate(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    memset(mine, 0, sizeof own);
    all_of(mine);
    dynamic();
    return t_end();
}
