/* Locks of the program's own: they exclude, ranks get them in turn, whoever tries does not wait, a
 * home that computes holds nobody up, all are counted, wrong use is told.  argument: how memory is
 * reached. */
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "t.h"

enum { TURNS = 40, LOCKS = 3 };

/* Under the lock: read, change, write; each with a lock at another home. */
static void count(MPI_Win win, MPIX_Lock lock, int word)
{
    int64_t value;
    OK(MPI_Get(&value, 1, MPI_INT64_T, 0, word, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(0, win));
    value++;
    if (value % 8 == 0)
        sched_yield();
    OK(MPI_Put(&value, 1, MPI_INT64_T, 0, word, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(0, win));
    OK(MPIX_Lock_release(lock));
}

static void exclusion(MPI_Win win)
{
    MPIX_Lock lock[LOCKS];
    int64_t sums[LOCKS];
    int flag, tries = 0;
    for (int i = 0; i < LOCKS; i++)
        OK(MPIX_Lock_create(MPI_COMM_WORLD, i % t_size, &lock[i]));
    for (int turn = 0; turn < TURNS; turn++) {
        const int i = (turn + t_rank) % LOCKS;
        if (turn % 5 == 4) {
            for (flag = 0; !flag; tries++) {
                OK(MPIX_Lock_try(lock[i], &flag));
                if (!flag)
                    sched_yield();
            }
        } else {
            OK(MPIX_Lock_acquire(lock[i]));
        }
        count(win, lock[i], i);
    }
    CHECK(tries >= TURNS / 5);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Get(sums, LOCKS, MPI_INT64_T, 0, 0, LOCKS, MPI_INT64_T, win));
    OK(MPI_Win_flush(0, win));
    SAME(sums[0] + sums[1] + sums[2], (int64_t)TURNS * t_size);
    for (int i = LOCKS; i-- > 0;) {
        OK(MPIX_Lock_free(&lock[i]));
        CHECK(lock[i] == MPIX_LOCK_NULL);
    }
}

/* Those who wait get it before anybody gets it again: who is in the queue when a rank comes back is
 * not passed.  Each notes who had the lock, the first of whom has it until all are in the queue. */
enum { ROUNDS = 6 };

static void fairness(void)
{
    int64_t *log, next;
    MPI_Win win;
    MPIX_Lock lock;
    const int entries = ROUNDS * t_size;
    OK(MPI_Win_allocate((MPI_Aint)sizeof *log * (entries + 1), sizeof *log, MPI_INFO_NULL,
                        MPI_COMM_WORLD, &log, &win));
    memset(log, 0, sizeof *log * (size_t)(entries + 1));
    OK(MPIX_Lock_create(MPI_COMM_WORLD, 0, &lock));
    OK(MPI_Win_lock_all(0, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t me = t_rank;
        OK(MPIX_Lock_acquire(lock));
        OK(MPI_Get(&next, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(0, win));
        OK(MPI_Put(&me, 1, MPI_INT64_T, 0, 1 + next, 1, MPI_INT64_T, win));
        next++;
        OK(MPI_Put(&next, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win));
        OK(MPI_Win_flush(0, win));
        if (i == 0 && next == 1)        /* the first: the others come meanwhile */
            for (double end = MPI_Wtime() + 2e-3; MPI_Wtime() < end;)
                MPIX_Compute(1e-4);
        OK(MPIX_Lock_release(lock));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 0) {
        int had[64] = { 0 };
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        SAME(log[0], (int64_t)entries);
        for (int i = 1; i <= entries; i++)
            had[log[i]]++;
        for (int r = 0; r < t_size; r++)
            SAME(had[r], ROUNDS);
        /* on the model clock all come alike: in the middle each of them once per round */
        for (int i = 1 + t_size; t_modelled() && t_size > 2 && i + 1 <= entries; i++)
            CHECK(log[i] != log[i + 1]);
        OK(MPI_Win_unlock(0, win));
    }
    OK(MPIX_Lock_free(&lock));
    OK(MPI_Win_free(&win));
}

/* A rank in the queue is passed by nobody: rank 0 has the lock until rank 1 waits for it, gives it
 * back and asks again at once. */
static void in_turn(void)
{
    MPIX_Lock lock;
    int flag = 0, order = 0;
    if (t_size < 2 || !t_modelled())  /* else nobody knows who is in the queue */
        return;
    OK(MPIX_Lock_create(MPI_COMM_WORLD, t_size - 1, &lock));
    if (t_rank == 0) {
        OK(MPIX_Lock_acquire(lock));
        OK(MPI_Send(&order, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
        for (int i = 0; i < 20; i++)
            MPIX_Compute(1e-4);
        OK(MPIX_Lock_release(lock));
        OK(MPIX_Lock_acquire(lock));
        OK(MPI_Recv(&order, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        SAME(order, 1);
        OK(MPIX_Lock_release(lock));
    } else if (t_rank == 1) {
        OK(MPI_Recv(&order, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPIX_Lock_try(lock, &flag));
        CHECK(!flag);
        OK(MPIX_Lock_acquire(lock));
        OK(MPIX_Lock_release(lock));
        order = 1;
        OK(MPI_Send(&order, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    }
    OK(MPIX_Lock_free(&lock));
}

/* The home calls nothing until all others have had the lock. */
static void home_is_away(MPI_Win win, const int64_t *mine)
{
    MPIX_Lock lock;
    if (t_size < 2)
        return;
    OK(MPIX_Lock_create(MPI_COMM_WORLD, 0, &lock));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank) {
        for (int i = 0; i < 5; i++) {
            const int64_t one = 1;
            OK(MPIX_Lock_acquire(lock));
            OK(MPI_Accumulate(&one, 1, MPI_INT64_T, 0, LOCKS, 1, MPI_INT64_T, MPI_SUM, win));
            OK(MPI_Win_flush(0, win));
            OK(MPIX_Lock_release(lock));
        }
    } else if (!t_modelled()) {
        const int64_t want = 5 * (t_size - 1);
        while (__atomic_load_n(&mine[LOCKS], __ATOMIC_ACQUIRE) < want)
            sched_yield();
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPIX_Lock_free(&lock));
}

/* -- what is counted */

struct figure { MPI_T_pvar_session session; MPI_T_pvar_handle handle; };

static struct figure figure_of(const char *name)
{
    struct figure f;
    int index, values, provided;
    OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    OK(MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index));
    OK(MPI_T_pvar_session_create(&f.session));
    OK(MPI_T_pvar_handle_alloc(f.session, index, NULL, &f.handle, &values));
    OK(MPI_T_pvar_start(f.session, f.handle));
    return f;
}

static int64_t counted(struct figure *f)
{
    uint64_t value = 0;
    OK(MPI_T_pvar_read(f->session, f->handle, &value));
    OK(MPI_T_pvar_session_free(&f->session));
    OK(MPI_T_finalize());
    return (int64_t)value;
}

/* Rank 0 has a lock that nobody wants, and then has it while the others come. */
static void counts(MPI_Win win)
{
    MPIX_Lock lock;
    int flag, had = 0;
    OK(MPIX_Lock_create(MPI_COMM_WORLD, 0, &lock));
    struct figure taken = figure_of("locks_taken"), waited = figure_of("locks_waited");
    for (int i = 0; t_rank == 0 && i < 5; i++, had++) {
        OK(i % 2 ? MPIX_Lock_try(lock, &flag) : MPIX_Lock_acquire(lock));
        CHECK(i % 2 == 0 || flag);
        OK(i < 4 ? MPIX_Lock_release(lock) : MPI_SUCCESS);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank) {
        OK(MPIX_Lock_try(lock, &flag));
        CHECK(!flag);                   /* and is not counted */
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 0)
        MPIX_Compute(2e-3);
    else
        OK(MPIX_Lock_acquire(lock));
    had += t_rank != 0;
    OK(MPIX_Lock_release(lock));
    if (t_rank == 0) {                  /* of a window, alone and shared */
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        OK(MPI_Win_unlock(0, win));
        had += 2;
    }
    const int64_t waits = counted(&waited);
    SAME(counted(&taken), had);
    CHECK(waits >= 0 && waits <= (t_rank ? 1 : 0));
    SAME(t_modelled() ? waits : 1, t_modelled() ? t_rank != 0 : 1);
    OK(MPIX_Lock_free(&lock));
}

/* -- wrong use */

#define FAILS(call, class) \
    do { \
        int raised_ = -1; \
        MPI_Error_class(call, &raised_); \
        SAME(raised_, class); \
    } while (0)

static void mistakes(void)
{
    MPIX_Lock lock = MPIX_LOCK_NULL, gone;
    MPI_Comm comm;
    int flag;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    FAILS(MPIX_Lock_create(comm, t_size, &lock), MPI_ERR_RANK);
    FAILS(MPIX_Lock_create(comm, -1, &lock), MPI_ERR_RANK);
    FAILS(MPIX_Lock_create(comm, 0, NULL), MPI_ERR_ARG);
    FAILS(MPIX_Lock_create(MPI_COMM_NULL, 0, &lock), MPI_ERR_COMM);
    FAILS(MPIX_Lock_acquire(MPIX_LOCK_NULL), MPI_ERR_ARG);
    if (t_size > 1)
        FAILS(MPIX_Lock_create(comm, t_rank != 0, &lock), MPI_ERR_ARG);
    OK(MPIX_Lock_create(comm, t_size - 1, &lock));
    OK(MPI_Comm_free(&comm));           /* it is not needed any more */
    FAILS(MPIX_Lock_release(lock), MPI_ERR_RMA_SYNC);
    FAILS(MPIX_Lock_try(lock, NULL), MPI_ERR_ARG);
    OK(MPIX_Lock_acquire(lock));
    FAILS(MPIX_Lock_acquire(lock), MPI_ERR_RMA_CONFLICT);
    FAILS(MPIX_Lock_try(lock, &flag), MPI_ERR_RMA_CONFLICT);
    gone = lock;
    FAILS(MPIX_Lock_free(&gone), MPI_ERR_RMA_SYNC);
    OK(MPIX_Lock_release(lock));
    gone = lock;
    OK(MPIX_Lock_free(&lock));
    FAILS(MPIX_Lock_acquire(gone), MPI_ERR_ARG);
    FAILS(MPIX_Lock_free(NULL), MPI_ERR_ARG);
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char **argv)
{
    int64_t *mine;
    MPI_Win win;
    if (argc > 1 && !strcmp(argv[1], "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (argc > 1 && !strcmp(argv[1], "packet"))
        setenv("NICEMU_REMOTE", "packet", 1);
    t_start(&argc, &argv);
    OK(MPI_Win_allocate((LOCKS + 1) * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD,
                        &mine, &win));
    memset(mine, 0, (LOCKS + 1) * sizeof *mine);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    exclusion(win);
    home_is_away(win, mine);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    counts(win);
    OK(MPI_Win_free(&win));
    fairness();
    in_turn();
    mistakes();
    return t_end();
}
