/* Passive targets: locks exclude each other, what ranks count is exact whatever way their words are
 * changed, and a target that computes holds nobody up.  argument: how memory is reached. */
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "t.h"

enum { TURNS = 60, WORDS = 8, DATA = 6, FLAG = 7 };   /* the last two: of looked_for */

/* -- exclusive locks: a read, a change, a write */

static void exclusive(MPI_Win win, const int64_t *mine)
{
    int64_t value;
    for (int i = 0; i < TURNS; i++) {
        int target = (t_rank + i) % t_size;
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        OK(MPI_Get(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(target, win));
        value++;
        if (i % 8 == 0)
            sched_yield();
        OK(MPI_Put(&value, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, win));
        OK(MPI_Win_unlock(target, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    int64_t sum = 0, want = 0;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_rank, 0, win));
    OK(MPI_Allreduce(mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD));
    OK(MPI_Win_unlock(t_rank, win));
    want = (int64_t)TURNS * t_size;
    SAME(sum, want);
}

/* -- readers see both words alike, writers change one after the other */

static void readers_and_writers(MPI_Win win)
{
    int64_t pair[2];
    for (int i = 0; i < TURNS; i++) {
        bool writes = (t_rank + i) % 4 == 0;
        OK(MPI_Win_lock(writes ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win));
        for (int w = 0; w < 2; w++)
            OK(MPI_Get(&pair[w], 1, MPI_INT64_T, 0, 1 + w, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush_local(0, win));
        SAME(pair[0], pair[1]);
        for (int w = 0; writes && w < 2; w++) {
            pair[w]++;
            OK(MPI_Put(&pair[w], 1, MPI_INT64_T, 0, 1 + w, 1, MPI_INT64_T, win));
            OK(MPI_Win_flush(0, win));
            if (i % 3 == 0)
                sched_yield();
        }
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* -- sums of all ranks at once: instructions, the busy word (16 bytes; beside their alignment),
 * many elements and one, with and without results */

struct sums { int64_t one, many[4]; long double wide; int32_t narrow; };

static void count_all(MPI_Comm comm, bool allocate)
{
    const int64_t ones[4] = { 1, 1, 1, 1 };
    const long double wide = 1;
    const int32_t narrow = 1;
    struct { char odd; struct sums s; } own, *mine = &own;
    struct sums got;
    MPI_Win win;
    int64_t old, last = -1;
    if (allocate)
        OK(MPI_Win_allocate(sizeof own + 64, 1, MPI_INFO_NULL, comm, &mine, &win));
    else
        OK(MPI_Win_create(&own, sizeof own, 1, MPI_INFO_NULL, comm, &win));
    memset(mine, 0, sizeof own);
    OK(MPI_Barrier(comm));
    const MPI_Aint one = offsetof(struct sums, one) + 16, many = offsetof(struct sums, many) + 16,
                   at_wide = offsetof(struct sums, wide) + 16,
                   at_narrow = offsetof(struct sums, narrow) + 16;
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < TURNS; i++) {
        OK(MPI_Fetch_and_op(ones, &old, MPI_INT64_T, 0, one, MPI_SUM, win));
        OK(MPI_Win_flush(0, win));
        CHECK(old > last);
        last = old;
        OK(MPI_Accumulate(ones, 4, MPI_INT64_T, 0, many, 4, MPI_INT64_T, MPI_SUM, win));
        OK(MPI_Accumulate(&wide, 1, MPI_LONG_DOUBLE, 0, at_wide, 1, MPI_LONG_DOUBLE, MPI_SUM,
                          win));
        OK(MPI_Accumulate(&narrow, 1, MPI_INT32_T, 0, at_narrow, 1, MPI_INT32_T, MPI_SUM, win));
        OK(MPI_Accumulate(ones, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, MPI_SUM, win));
    }
    OK(MPI_Win_flush(0, win));
    OK(MPI_Barrier(comm));
    const int64_t want = (int64_t)TURNS * t_size;
    OK(MPI_Get(&got, sizeof got, MPI_BYTE, 0, 16, sizeof got, MPI_BYTE, win));
    OK(MPI_Get(&old, 8, MPI_BYTE, 0, 1, 8, MPI_BYTE, win));
    OK(MPI_Win_flush_local_all(win));
    SAME(got.one, want);
    for (int i = 0; i < 4; i++)
        SAME(got.many[i], want);
    SAME(got.wide, want);
    SAME(got.narrow, want);
    SAME(old, want);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* -- a lock made of compare-and-swap: 4 and 1 bytes */

static void swap_lock(MPI_Win win, int64_t *mine)
{
    int32_t free_word = -1, me = t_rank, found;
    int64_t value;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t_rank, 0, win));
    mine[4] = 0;
    *(int32_t *)&mine[3] = -1;
    OK(MPI_Win_unlock(t_rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int i = 0; i < TURNS / 4; i++) {
        do {
            OK(MPI_Compare_and_swap(&me, &free_word, &found, MPI_INT32_T, 0, 3, win));
            OK(MPI_Win_flush(0, win));
            if (found != free_word)
                sched_yield();
        } while (found != free_word);
        OK(MPI_Get(&value, 1, MPI_INT64_T, 0, 4, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(0, win));
        value++;
        OK(MPI_Put(&value, 1, MPI_INT64_T, 0, 4, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Compare_and_swap(&free_word, &me, &found, MPI_INT32_T, 0, 3, win));
        OK(MPI_Win_flush(0, win));
        SAME(found, me);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Get(&value, 1, MPI_INT64_T, 0, 4, 1, MPI_INT64_T, win));
    OK(MPI_Win_unlock_all(win));
    SAME(value, (int64_t)(TURNS / 4) * t_size);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* -- rank 0 calls nothing until all others have done each kind of operation on its memory */

static void target_is_away(MPI_Win win, int64_t *mine)
{
    const int64_t one = 1, mark = 4711;
    int64_t old, word;
    if (t_modelled())
        return;
    __atomic_store_n(&mine[5], 0, __ATOMIC_RELEASE);
    __atomic_store_n(&mine[6], 0, __ATOMIC_RELEASE);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 0) {
        while (__atomic_load_n(&mine[5], __ATOMIC_ACQUIRE) < 5 * (t_size - 1))
            sched_yield();
        /* what came before the last of these words, as their writers have flushed it */
        word = __atomic_load_n(&mine[6], __ATOMIC_ACQUIRE);
        SAME(word, t_size > 1 ? mark : 0);
    } else {
        for (int i = 0; i < 5; i++) {
            OK(MPI_Win_lock(i % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, win));
            OK(MPI_Put(&mark, 1, MPI_INT64_T, 0, 6, 1, MPI_INT64_T, win));
            OK(MPI_Win_flush(0, win));
            OK(MPI_Get(&word, 1, MPI_INT64_T, 0, 6, 1, MPI_INT64_T, win));
            OK(MPI_Win_flush(0, win));
            SAME(word, mark);
            OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, 5, MPI_SUM, win));
            OK(MPI_Win_unlock(0, win));
        }
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* -- who calls nothing but MPI_Win_sync sees what others have put, data before their flag */

/* MPI_Win_sync is a fence, which the thread sanitizer does not know to order this load. */
#ifdef __SANITIZE_THREAD__
enum { LOOK = __ATOMIC_ACQUIRE };
#else
enum { LOOK = __ATOMIC_RELAXED };
#endif

static void looked_for(MPI_Win win, int64_t *mine)
{
    const int64_t data = 50 + t_rank, flag = 1;
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Put(&data, 1, MPI_INT64_T, t_next(), DATA, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    OK(MPI_Put(&flag, 1, MPI_INT64_T, t_next(), FLAG, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(t_next(), win));
    while (!__atomic_load_n(&mine[FLAG], LOOK)) {
        OK(MPI_Win_sync(win));
        sched_yield();
    }
    OK(MPI_Win_sync(win));
    SAME(mine[DATA], 50 + t_prev());
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* -- a lock that is not to be checked: none is left behind that others would wait for */

static void unchecked(MPI_Win win)
{
    const int64_t data = 60;
    for (int i = 0; i < 2; i++) {
        OK(MPI_Win_lock(i ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, t_next(), MPI_MODE_NOCHECK,
                        win));
        OK(MPI_Put(&data, 1, MPI_INT64_T, t_next(), DATA, 1, MPI_INT64_T, win));
        OK(MPI_Win_unlock(t_next(), win));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t_next(), 0, win));
        OK(MPI_Win_unlock(t_next(), win));
    }
}

/* The next one is checked again: rank 1 does not get it while rank 0 has it. */
static void checked_again(MPI_Win win)
{
    int got = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 0 && t_size > 1) {
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
        for (int i = 0; i < 1000 && !got; i++) {
            OK(MPI_Iprobe(1, 2, MPI_COMM_WORLD, &got, MPI_STATUS_IGNORE));
            sched_yield();
        }
        CHECK(!got);
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else if (t_rank == 1) {
        OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
    }
}

static void all_of(MPI_Win win, int64_t *mine)
{
    for (int i = 0; i < WORDS; i++)
        mine[i] = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    exclusive(win, mine);
    readers_and_writers(win);
    swap_lock(win, mine);
    target_is_away(win, mine);
    looked_for(win, mine);
    unchecked(win);
    checked_again(win);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "direct";
    static int64_t own[WORDS];
    int64_t *mine;
    MPI_Win win;
    if (!strcmp(way, "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (!strcmp(way, "private"))
        setenv("MPILITE_RMA", way, 1);
    if (!strcmp(way, "packet"))
        setenv("NICEMU_REMOTE", "packet", 1);
    t_start(&argc, &argv);
    OK(MPI_Win_create(own, sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    all_of(win, own);
    OK(MPI_Win_allocate(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    all_of(win, mine);
    if (!t_apart()) {
        OK(MPI_Win_allocate_shared(sizeof own, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
        all_of(win, mine);
    }
    count_all(MPI_COMM_WORLD, false);
    count_all(MPI_COMM_WORLD, true);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    CLASS(MPI_Win_sync(MPI_WIN_NULL), MPI_ERR_WIN);
    return t_end();
}
