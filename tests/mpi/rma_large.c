/* One-sided calls and windows that count in MPI_Count: each moves its data, in units that an int
 * does not have too, and what does not fit is an error. */
#include <sys/resource.h>

#include "t.h"

enum { N = 7, WORDS = 2 * N };
static const MPI_Datatype word = MPI_INT64_T;

static void fill(int64_t *to, int64_t from)
{
    for (int i = 0; i < N; i++)
        to[i] = from + i;
}

static void expect(const int64_t *got, int64_t from)
{
    for (int i = 0; i < N; i++)
        SAME(got[i], from + i);
}

static void wait(MPI_Request *r) { OK(MPI_Wait(r, MPI_STATUS_IGNORE)); }

/* By one rank at a time, to the next: the second half of its part. */
static void all_calls(MPI_Win win, int64_t *mine)
{
    const int to = t_next();
    int64_t out[N], got[N], sum[N];
    MPI_Request r;
    for (int i = 0; i < WORDS; i++)
        mine[i] = -1;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win));
    fill(out, 100);
    OK(MPI_Put_c(out, N, word, to, N, N, word, win));
    OK(MPI_Win_flush(to, win));
    OK(MPI_Get_c(got, N, word, to, N, N, word, win));
    OK(MPI_Win_flush(to, win));
    expect(got, 100);
    fill(out, 200);
    OK(MPI_Rput_c(out, N, word, to, N, N, word, win, &r));
    wait(&r);
    OK(MPI_Win_flush(to, win));
    fill(got, 0);
    OK(MPI_Rget_c(got, N, word, to, N, N, word, win, &r));
    wait(&r);
    expect(got, 200);
    for (int i = 0; i < N; i++)
        sum[i] = 10;
    OK(MPI_Accumulate_c(sum, N, word, to, N, N, word, MPI_SUM, win));
    OK(MPI_Raccumulate_c(sum, N, word, to, N, N, word, MPI_SUM, win, &r));
    wait(&r);
    OK(MPI_Get_accumulate_c(sum, N, word, got, N, word, to, N, N, word, MPI_SUM, win));
    OK(MPI_Win_flush(to, win));
    expect(got, 220);
    OK(MPI_Rget_accumulate_c(sum, N, word, got, N, word, to, N, N, word, MPI_SUM, win, &r));
    wait(&r);
    expect(got, 230);
    CLASS(MPI_Put_c(out, N, word, to, N + 1, N, word, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Put_c(out, -1, word, to, 0, -1, word, win), MPI_ERR_COUNT);
    CLASS(MPI_Get_c(got, (MPI_Count)1 << 40, word, to, 0, (MPI_Count)1 << 40, word, win),
          MPI_ERR_RMA_RANGE);
    OK(MPI_Win_unlock(to, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    expect(mine + N, 240);
    for (int i = 0; i < N; i++)
        SAME(mine[i], -1);
}

static void shared(void)
{
    int64_t *mine, *theirs;
    MPI_Aint size, unit;
    MPI_Win win;
    if (t_apart())
        return;
    OK(MPI_Win_allocate_shared_c(sizeof *mine * WORDS, sizeof *mine, MPI_INFO_NULL,
                                 MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    all_calls(win, mine);
    OK(MPI_Win_shared_query_c(win, t_next(), &size, &unit, &theirs));
    SAME(size, (MPI_Aint)sizeof *mine * WORDS);
    SAME(unit, (MPI_Aint)sizeof *mine);
    expect(theirs + N, 240);
    OK(MPI_Win_shared_query_c(win, t_rank, &size, &unit, &theirs));
    CHECK(theirs == mine);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));
}

/* All in one rank's heap, of which some pages are used. */
static void shared_long(void)
{
    const MPI_Aint words = ((MPI_Aint)640 << 20) / 8 / t_size;
    int64_t *mine, *theirs;
    MPI_Aint size, unit;
    MPI_Win win;
    struct rlimit space;
    if (t_apart() || getenv("NICEMU_HEAP") || getrlimit(RLIMIT_AS, &space)
        || space.rlim_cur != RLIM_INFINITY)
        return;
    OK(MPI_Win_allocate_shared_c(8 * words, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    mine[0] = t_rank;
    mine[words - 1] = -t_rank;
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_shared_query_c(win, t_next(), &size, &unit, &theirs));
    SAME(size, 8 * words);
    SAME(theirs - mine, (t_next() - t_rank) * words);
    SAME(theirs[0], t_next());
    SAME(theirs[words - 1], -t_next());
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
}

/* Only place 0 is in reach. */
static void huge_unit(void)
{
    int64_t own[N] = { 0 }, out[N];
    MPI_Win win;
    fill(out, 1);
    OK(MPI_Win_create_c(own, sizeof own, (MPI_Aint)1 << 33, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put_c(out, N, word, t_next(), 0, N, word, win));
    CLASS(MPI_Put_c(out, N, word, t_next(), 1, N, word, win), MPI_ERR_RMA_RANGE);
    CLASS(MPI_Put_c(out, N, word, t_next(), (MPI_Aint)1 << 40, N, word, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Win_fence(0, win));
    expect(own, 1);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    static int64_t own[WORDS];
    int64_t *mine;
    MPI_Win win;
    t_start(&argc, &argv);
    t_errors_return();
    OK(MPI_Win_create_c(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    all_calls(win, own);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate_c(sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    all_calls(win, mine);
    OK(MPI_Win_free(&win));
    shared();
    shared_long();
    huge_unit();
    return t_end();
}
