/* Elements that some accumulate into one by one and others many at a time: nothing is lost, and of
 * what is fetched nothing comes twice, while they change over from one to the other and back.
 * argument: direct, fenced (without membarrier), threads (several of each rank), or private memory,
 * which nobody else has mapped. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "t.h"

enum { CELLS = 3000, ROUNDS = 600, THREADS = 3, LONG = 2000, SPREAD = 600 };
enum { ONE, SWAP, FEW, SOME, MANY, GAPS, FETCH_MANY, KINDS };

static MPI_Win win;
static MPI_Datatype gaps;               /* SPREAD cells, each second one */
static int64_t ones[CELLS];
static bool threads;

/* Of all ranks' cells: how often this rank has added 1, and the sum of what it fetched there. */
static atomic_llong *added, *fetched, *fetches;

static unsigned any(uint64_t *state, unsigned below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % below;
}

static void count(int target, int from, int cells, int step)
{
    for (int i = 0; i < cells; i++)
        atomic_fetch_add(&added[target * CELLS + from + i * step], 1);
}

static void count_fetched(int target, int from, const int64_t *old, int cells)
{
    for (int i = 0; i < cells; i++) {
        atomic_fetch_add(&fetched[target * CELLS + from + i], old[i]);
        atomic_fetch_add(&fetches[target * CELLS + from + i], 1);
    }
}

static void swap(int target, int cell)
{
    int64_t old = 0, expected, next;
    do {
        expected = old;
        next = old + 1;
        OK(MPI_Compare_and_swap(&next, &expected, &old, MPI_INT64_T, target, cell, win));
        OK(MPI_Win_flush(target, win));
    } while (old != expected);
}

static void add(int target, int from, int cells)
{
    OK(MPI_Accumulate(ones, cells, MPI_INT64_T, target, from, cells, MPI_INT64_T, MPI_SUM, win));
    count(target, from, cells, 1);
}

static void fetch_many(int target, int from)
{
    int64_t old[SPREAD];
    OK(MPI_Get_accumulate(ones, SPREAD, MPI_INT64_T, old, SPREAD, MPI_INT64_T, target, from, SPREAD,
                          MPI_INT64_T, MPI_SUM, win));
    OK(MPI_Win_flush(target, win));
    count(target, from, SPREAD, 1);
    count_fetched(target, from, old, SPREAD);
}

static void change(int kind, int target, uint64_t *state)
{
    int64_t old;
    const int cell = (int)any(state, CELLS);
    switch (kind) {
    case ONE:
        OK(MPI_Fetch_and_op(ones, &old, MPI_INT64_T, target, cell, MPI_SUM, win));
        OK(MPI_Win_flush(target, win));
        count(target, cell, 1, 1);
        count_fetched(target, cell, &old, 1);
        break;
    case SWAP:
        swap(target, cell);
        count(target, cell, 1, 1);
        break;
    case FEW:
        add(target, cell % (CELLS - 3), 3);
        break;
    case SOME:
        add(target, cell % (CELLS - 40), 40);
        break;
    case MANY:
        add(target, cell % (CELLS - LONG), LONG);
        break;
    case GAPS:
        OK(MPI_Accumulate(ones, SPREAD, MPI_INT64_T, target, cell % (CELLS - 2 * SPREAD), 1, gaps,
                          MPI_SUM, win));
        count(target, cell % (CELLS - 2 * SPREAD), SPREAD, 2);
        break;
    default:
        fetch_many(target, cell % (CELLS - SPREAD));
    }
}

/* Rounds of short operations, of long ones, and of all. */
static void *work(void *argument)
{
    uint64_t state = (uint64_t)(t_rank * THREADS) + (uintptr_t)argument + 1;
    for (int i = 0; i < ROUNDS; i++) {
        const int target = (int)any(&state, (unsigned)t_size), manner = i / 10 % 3;
        for (int k = 0; manner == 0 && k < 30; k++)
            change((int)any(&state, MANY), target, &state);
        if (manner == 1)
            change(MANY + (int)any(&state, KINDS - MANY), target, &state);
        change((int)any(&state, KINDS), target, &state);
    }
    return NULL;
}

static void all_work(void)
{
    pthread_t id[THREADS];
    for (uintptr_t t = 1; threads && t < THREADS; t++)
        CHECK(!pthread_create(&id[t], NULL, work, (void *)t));
    work(NULL);
    for (int t = 1; threads && t < THREADS; t++)
        CHECK(!pthread_join(id[t], NULL));
}

static void sum(atomic_llong *of)
{
    OK(MPI_Allreduce(MPI_IN_PLACE, of, t_size * CELLS, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD));
}

static void counters_new(void)
{
    const size_t cells = (size_t)t_size * CELLS;
    added = calloc(cells, sizeof *added);
    fetched = calloc(cells, sizeof *fetched);
    fetches = calloc(cells, sizeof *fetches);
    CHECK(added && fetched && fetches);
}

static void counters_free(void)
{
    free(added);
    free(fetched);
    free(fetches);
}

/* Every addition is there. */
static void check_sums(const int64_t *cell)
{
    sum(added);
    for (int i = 0; i < CELLS; i++)
        SAME(cell[i], added[t_rank * CELLS + i]);
}

static void all_kinds(int64_t *cell)
{
    counters_new();
    memset(cell, 0, CELLS * sizeof *cell);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    all_work();
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check_sums(cell);
    counters_free();
}

/* Only what fetches: the old values of a cell are 0, 1, 2 and so on, each once. */
static void only_fetches(int64_t *cell)
{
    uint64_t state = (uint64_t)t_rank + 77;
    counters_new();
    memset(cell, 0, CELLS * sizeof *cell);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < (i / 10 % 2 ? 1 : 20); k++)
            change(i / 10 % 2 ? FETCH_MANY : ONE, i % t_size, &state);
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check_sums(cell);
    sum(fetched);
    sum(fetches);
    for (int i = t_rank * CELLS; i < (t_rank + 1) * CELLS; i++)
        SAME(fetched[i], fetches[i] * (fetches[i] - 1) / 2);
    counters_free();
}

/* Many elements, of which some are beside their alignment, and are changed in another way. */
static void beside_alignment(void)
{
    enum { EACH = 300, SHIFTED = EACH * 8 + 4 };
    int lengths[] = { EACH, EACH };
    MPI_Aint at[] = { 0, SHIFTED };
    MPI_Datatype type;
    MPI_Win bytes;
    char *base;
    int64_t value;
    OK(MPI_Type_create_hindexed(2, lengths, at, MPI_INT64_T, &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Win_allocate(2 * SHIFTED, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &bytes));
    memset(base, 0, 2 * SHIFTED);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, bytes));
    for (int i = 0; i < 50; i++)
        OK(MPI_Accumulate(ones, 2 * EACH, MPI_INT64_T, i % t_size, 0, 1, type, MPI_SUM, bytes));
    OK(MPI_Win_unlock_all(bytes));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    const int mine = (50 + t_size - 1 - t_rank) / t_size;
    for (int i = 0; i < 2 * EACH; i++) {
        memcpy(&value, base + (i < EACH ? i * 8 : SHIFTED + (i - EACH) * 8), sizeof value);
        SAME(value, mine * t_size);
    }
    OK(MPI_Win_free(&bytes));
    OK(MPI_Type_free(&type));
}

/* Not on the model clock, between machines, or by frames: there memory is private, too. */
static bool is_mapped(void)
{
    MPI_Comm here;
    int size;
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here));
    OK(MPI_Comm_size(here, &size));
    OK(MPI_Comm_free(&here));
    return size == t_size && !t_modelled() && !getenv("NICEMU_FAULT") && !getenv("NICEMU_REMOTE")
           && !getenv("NICEMU_HEAP");
}

/* Types that have an element twice, as programs that scatter and add use them though they may not:
 * both are added.  (Of private memory a copy comes and goes, and one is lost.) */
static void add_to_next(int64_t *cell, int cells, int count, MPI_Datatype type)
{
    memset(cell, 0, CELLS * sizeof *cell);
    OK(MPI_Win_fence(0, win));
    OK(MPI_Accumulate(ones, cells, MPI_INT64_T, t_next(), 0, count, type, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
}

static void twice_there(int64_t *cell)
{
    enum { STEPS = SPREAD / 2 };
    int at[SPREAD];
    MPI_Datatype pairs, both, steps;
    for (int i = 0; i < SPREAD; i++)
        at[i] = i / 2 * 2;
    OK(MPI_Type_create_indexed_block(SPREAD, 1, at, MPI_INT64_T, &pairs));
    OK(MPI_Type_commit(&pairs));
    add_to_next(cell, SPREAD, 1, pairs);
    for (int i = 0; i < SPREAD; i++)
        SAME(cell[i], i % 2 ? 0 : 2);
    OK(MPI_Type_free(&pairs));
    OK(MPI_Type_vector(2, 1, 2, MPI_INT64_T, &both));
    OK(MPI_Type_create_resized(both, 0, 2 * sizeof *cell, &steps));
    OK(MPI_Type_commit(&steps));
    add_to_next(cell, 2 * STEPS, STEPS, steps);
    for (int i = 0; i <= 2 * STEPS; i++)
        SAME(cell[i], i % 2 ? 0 : i == 0 || i == 2 * STEPS ? 1 : 2);
    OK(MPI_Type_free(&steps));
    OK(MPI_Type_free(&both));
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "direct";
    int64_t *cell, *own = calloc(CELLS, sizeof *own);
    int level;
    threads = !strcmp(way, "threads");
    if (!strcmp(way, "fenced"))
        setenv("NICEMU_MEMBARRIER", "off", 1);
    if (!strcmp(way, "private"))
        setenv("MPILITE_RMA", "private", 1);
    OK(MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &t_rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &t_size));
    threads &= level == MPI_THREAD_MULTIPLE;
    for (int i = 0; i < CELLS; i++)
        ones[i] = 1;
    OK(MPI_Type_vector(SPREAD, 1, 2, MPI_INT64_T, &gaps));
    OK(MPI_Type_commit(&gaps));
    CHECK(own);
    cell = own;
    if (!strcmp(way, "private"))
        OK(MPI_Win_create(own, CELLS * sizeof *own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD,
                          &win));
    else
        OK(MPI_Win_allocate(CELLS * sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD,
                            &cell, &win));
    all_kinds(cell);
    only_fetches(cell);
    beside_alignment();
    if (strcmp(way, "private") != 0 && is_mapped())
        twice_there(cell);
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&gaps));
    free(own);
    return t_end();
}
