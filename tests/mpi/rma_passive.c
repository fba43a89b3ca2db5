/* A target that computes, and calls nothing meanwhile, holds nobody up, whatever kind of window it
 * is: puts and gets with their flushes, accumulates, fetches, swaps, locks of both kinds.  Rank 0
 * computes until all others are done; who is done looks whether it still does, in memory that they
 * share beside MPI.  argument: how memory is reached. */
#include <stdbool.h>

#include "t.h"

enum { WORDS = 64, COUNT = 0, SUM, LOCKED, SWAPPED, WIDE, PUT = 16, LIMIT = 200 };
static int turns = 3;
#define WORD(name) (8 * (MPI_Aint)(name))

static double heat = 1;

/* Beside MPI. */
static struct { bool computes; int done; } *beside;

/* No call of MPI, no sleep and no yield; a limit of what it computes, so that a failure ends. */
static void compute(void)
{
    const double end = t_computed() + LIMIT;
    while (__atomic_load_n(&beside->done, __ATOMIC_ACQUIRE) < t_size - 1) {
        for (int i = 0; i < 10000; i++)
            heat = heat * 0.9999 + 1;
        if (t_computed() > end)
            FAIL("%d of %d ranks are done, the others wait for this one",
                 __atomic_load_n(&beside->done, __ATOMIC_ACQUIRE), t_size - 1);
    }
    CHECK(heat > 0);
    __atomic_store_n(&beside->computes, false, __ATOMIC_RELEASE);
}

static bool computes(void) { return __atomic_load_n(&beside->computes, __ATOMIC_ACQUIRE); }

/* Under an exclusive lock: nobody is between the two. */
static void locked(MPI_Win win, MPI_Aint at)
{
    int64_t value;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    OK(MPI_Get(&value, 1, MPI_INT64_T, 0, at + WORD(LOCKED), 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(0, win));
    value++;
    OK(MPI_Put(&value, 1, MPI_INT64_T, 0, at + WORD(LOCKED), 1, MPI_INT64_T, win));
    OK(MPI_Win_unlock(0, win));
}

static void shared_ops(MPI_Win win, MPI_Aint at)
{
    const int64_t one = 1, mine = 100 + t_rank;
    const long double wide = 1;
    int64_t old, back = 0, found;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    OK(MPI_Put(&mine, 1, MPI_INT64_T, 0, at + WORD(PUT + t_rank), 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(0, win));
    OK(MPI_Get(&back, 1, MPI_INT64_T, 0, at + WORD(PUT + t_rank), 1, MPI_INT64_T, win));
    OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, at + WORD(COUNT), MPI_SUM, win));
    OK(MPI_Accumulate(&mine, 1, MPI_INT64_T, 0, at + WORD(SUM), 1, MPI_INT64_T, MPI_SUM, win));
    OK(MPI_Accumulate(&wide, 1, MPI_LONG_DOUBLE, 0, at + WORD(WIDE), 1, MPI_LONG_DOUBLE, MPI_SUM,
                      win));
    OK(MPI_Win_flush(0, win));
    SAME(back, mine);
    CHECK(old >= 0 && old < turns * t_size);
    do {
        found = old;
        OK(MPI_Fetch_and_op(NULL, &found, MPI_INT64_T, 0, at + WORD(SWAPPED), MPI_NO_OP, win));
        OK(MPI_Win_flush(0, win));
        back = found + 1;
        OK(MPI_Compare_and_swap(&back, &found, &old, MPI_INT64_T, 0, at + WORD(SWAPPED), win));
        OK(MPI_Win_flush(0, win));
    } while (old != found);
    OK(MPI_Win_unlock(0, win));
}

/* memory: the target's, at displacement `at`. */
static void away(MPI_Win win, const void *memory, MPI_Aint at)
{
    int64_t word[WORDS];
    long double wide;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 0) {
        compute();
    } else {
        for (int i = 0; i < turns; i++) {
            locked(win, at);
            shared_ops(win, at);
        }
        CHECK(computes());
        __atomic_fetch_add(&beside->done, 1, __ATOMIC_ACQ_REL);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank)
        return;
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    memcpy(word, memory, sizeof word);
    OK(MPI_Win_unlock(0, win));
    memcpy(&wide, &word[WIDE], sizeof wide);
    const int64_t all = (int64_t)turns * (t_size - 1);
    SAME(word[COUNT], all);
    SAME(word[LOCKED], all);
    SAME(word[SWAPPED], all);
    CHECK(wide == all);
    SAME(word[SUM], 100 * all + (int64_t)turns * t_size * (t_size - 1) / 2);
    for (int r = 1; r < t_size; r++)
        SAME(word[PUT + r], 100 + r);
}

static void start_over(void *memory)
{
    memset(memory, 0, 8 * WORDS);
    if (t_rank == 0) {
        beside->computes = true;
        beside->done = 0;
    }
}

static void dynamic(void *memory)
{
    MPI_Aint at;
    MPI_Win win;
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    start_over(memory);
    OK(MPI_Win_attach(win, memory, 8 * WORDS));
    OK(MPI_Get_address(memory, &at));
    OK(MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD));
    away(win, memory, at);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    static int64_t own[WORDS];
    int64_t on_stack[WORDS], *memory;
    const MPI_Aint bytes = sizeof own;
    const char *heap = getenv("NICEMU_HEAP");
    MPI_Win win;
    if (argc > 1 && !strcmp(argv[1], "staged"))
        setenv("NICEMU_RDMA", "staged", 1);
    if (argc > 1 && !strcmp(argv[1], "private"))
        setenv("MPILITE_RMA", "private", 1);
    if (argc > 1 && !strcmp(argv[1], "packet")) {
        setenv("NICEMU_REMOTE", "packet", 1);
        turns = 1;              /* each is many wake-ups of the target's NIC thread */
    }
    t_start(&argc, &argv);
    if (t_modelled())
        t_skip("on the model clock ranks wait for each other in real time");
    CHECK(t_size <= WORDS - PUT);
    beside = t_map("passive", sizeof *beside);
    start_over(own);
    OK(MPI_Win_create(own, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    away(win, own, 0);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    start_over(memory);
    away(win, memory, 0);
    OK(MPI_Win_free(&win));
    if (!t_apart() && !(heap && !strcmp(heap, "none"))) {
        OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
        start_over(memory);
        away(win, memory, 0);
        OK(MPI_Win_free(&win));
    } else {
        OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        CLASS(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win),
              MPI_ERR_RMA_SHARED);
    }
    dynamic(on_stack);
    OK(MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory));
    dynamic(memory);
    OK(MPI_Free_mem(memory));
    return t_end();
}
