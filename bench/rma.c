/* One-sided operations of 8 bytes from rank 1 on memory of rank 0, by kind of window: with a target
 * that waits in MPI, and with one that computes; fences and general active targets; a lock that all
 * ranks want; updates of all ranks at random places of a table that is larger than caches, which a
 * second round takes back (examples/rma/random_access.c is the program for longer runs).
 * usage: rma [milliseconds per row, default 20]
 *
 * Beside them what the same costs by a plain store, load or instruction in one's own memory, with a
 * fence where the operation has a flush. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCH_MAX = 4096, WORDS = 8, BULK = 1 << 20, NUMBERS = 8192 };
enum { TABLE_LOG2 = 22, FLUSH_EVERY = 1024, UPDATES = 16 * FLUSH_EVERY };   /* words of a rank */

static int rank, ranks;
static double limit;                    /* seconds per row */
static int64_t value = 1, got, expected;
static char bulk[BULK];
double heat = 1;                        /* what a target computes: any unit might look at it */

struct window { const char *kind; MPI_Win win; MPI_Aint at; };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void row(const char *name, const char *kind, const char *unit, double number)
{
    printf("%s/%s/%s %.2f\n", name, kind, unit, number);
    fflush(stdout);
}

/* -- operations */

static void put(const struct window *w)
{
    MPI_Put(&value, 1, MPI_INT64_T, 0, w->at, 1, MPI_INT64_T, w->win);
    MPI_Win_flush(0, w->win);
}

static void get(const struct window *w)
{
    MPI_Get(&got, 1, MPI_INT64_T, 0, w->at, 1, MPI_INT64_T, w->win);
    MPI_Win_flush(0, w->win);
}

static void fetch(const struct window *w)
{
    MPI_Fetch_and_op(&value, &got, MPI_INT64_T, 0, w->at, MPI_SUM, w->win);
    MPI_Win_flush(0, w->win);
}

static void swap(const struct window *w)
{
    MPI_Compare_and_swap(&value, &expected, &got, MPI_INT64_T, 0, w->at, w->win);
    MPI_Win_flush(0, w->win);
    expected = got;
}

static void bulk_put(const struct window *w)
{
    MPI_Put(bulk, BULK, MPI_BYTE, 0, w->at, BULK, MPI_BYTE, w->win);
    MPI_Win_flush(0, w->win);
}

static void bulk_add(const struct window *w)
{
    static double numbers[NUMBERS];
    MPI_Accumulate(numbers, NUMBERS, MPI_DOUBLE, 0, w->at, NUMBERS, MPI_DOUBLE, MPI_SUM, w->win);
    MPI_Win_flush(0, w->win);
}

static int64_t own[WORDS];
static void store(const struct window *w)
{
    (void)w;
    __atomic_store_n(&own[0], value, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void load(const struct window *w)
{
    (void)w;
    got = __atomic_load_n(&own[0], __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void instruction(const struct window *w)
{
    (void)w;
    got = __atomic_fetch_add(&own[0], value, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void fence(const struct window *w)
{
    if (rank == 1)
        MPI_Put(&value, 1, MPI_INT64_T, 0, w->at, 1, MPI_INT64_T, w->win);
    MPI_Win_fence(0, w->win);
}

static MPI_Group other;
static void post_start(const struct window *w)
{
    if (rank == 0) {
        MPI_Win_post(other, 0, w->win);
        MPI_Win_wait(w->win);
    } else {
        MPI_Win_start(other, 0, w->win);
        MPI_Put(&value, 1, MPI_INT64_T, 0, w->at, 1, MPI_INT64_T, w->win);
        MPI_Win_complete(w->win);
    }
}

/* -- rates */

/* Nanoseconds of each, in batches that grow while they are short. */
static double measure(void (*operation)(const struct window *), const struct window *w)
{
    long done = 0, batch = 1;
    double begin = now(), end;
    operation(w);
    do {
        for (long i = 0; i < batch; i++)
            operation(w);
        done += batch;
        batch = batch < BATCH_MAX ? 2 * batch : batch;
        end = now();
    } while (end - begin < limit);
    return (end - begin) / (double)(done + 1) * 1e9;
}

/* The target's part: waits in MPI for the end, or computes beyond it first. */
static void target(int computes)
{
    for (double end = now() + 3 * limit; computes && now() < end;)
        for (int i = 0; i < 10000; i++)
            heat = heat * 0.9999 + 1;
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void one(const char *name, void (*operation)(const struct window *),
                const struct window *w, int computes)
{
    char label[64];
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        target(computes);
    } else if (rank == 1) {
        double ns = measure(operation, w);
        snprintf(label, sizeof label, "%s%s", w->kind, computes ? ",away" : "");
        row(name, label, "ns", ns);
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void passive(const struct window *w)
{
    MPI_Win_lock_all(0, w->win);
    if (w->at == 0 && *w->kind != 's')
        one("accumulate-64KiB", bulk_add, w, 0);
    for (int computes = 0; computes < 2; computes++) {
        one("put+flush", put, w, computes);
        one("get+flush", get, w, computes);
        one("fetch-and-op", fetch, w, computes);
        one("compare-and-swap", swap, w, computes);
    }
    if (w->at == 0 && *w->kind != 's')
        one("put-1MiB", bulk_put, w, 0);
    MPI_Win_unlock_all(w->win);
}

/* All ranks do the same, a number of times that rank 0 says. */
static void active(const char *name, void (*operation)(const struct window *),
                   const struct window *w)
{
    long turns = 64;
    double begin, seconds;
    do {
        turns *= 2;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = now();
        for (long i = 0; i < turns; i++)
            operation(w);
        seconds = now() - begin;
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } while (seconds < limit / 2);
    if (rank == 0)
        row(name, w->kind, "ns", seconds / (double)turns * 1e9);
}

static void locked(const struct window *w)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w->win);
    MPI_Get(&got, 1, MPI_INT64_T, 0, w->at, 1, MPI_INT64_T, w->win);
    MPI_Win_flush(0, w->win);
    got++;
    MPI_Put(&got, 1, MPI_INT64_T, 0, w->at, 1, MPI_INT64_T, w->win);
    MPI_Win_unlock(0, w->win);
}

/* Time from one holder to the next. */
static void contended(const struct window *w)
{
    char label[64];
    long turns = 16;
    double begin, seconds;
    do {
        turns *= 2;
        MPI_Barrier(MPI_COMM_WORLD);
        begin = now();
        for (long i = 0; i < turns; i++)
            locked(w);
        MPI_Barrier(MPI_COMM_WORLD);
        seconds = now() - begin;
        MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } while (seconds < limit / 2);
    snprintf(label, sizeof label, "%s,%d-ranks", w->kind, ranks);
    if (rank == 0)
        row("lock-hand-over", label, "ns", seconds / (double)turns / ranks * 1e9);
}

/* -- random updates */

static void update(MPI_Win win)
{
    static uint64_t operand[FLUSH_EVERY];
    uint64_t x = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(rank + 1);
    for (long i = 0; i < UPDATES; i++) {
        x = x << 1 ^ (x >> 63 ? 7 : 0);
        operand[i % FLUSH_EVERY] = x;
        MPI_Accumulate(&operand[i % FLUSH_EVERY], 1, MPI_UINT64_T,
                       (int)((x >> TABLE_LOG2) % (uint64_t)ranks),
                       (MPI_Aint)(x & ((UINT64_C(1) << TABLE_LOG2) - 1)), 1, MPI_UINT64_T,
                       MPI_BXOR, win);
        if ((i + 1) % FLUSH_EVERY == 0)
            MPI_Win_flush_all(win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Time per update, of all ranks together. */
static void random_updates(void)
{
    char label[64];
    uint64_t *table, wrong = 0;
    MPI_Win win;
    MPI_Win_allocate((MPI_Aint)sizeof *table << TABLE_LOG2, sizeof *table, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &table, &win);
    MPI_Win_lock_all(0, win);
    for (uint64_t i = 0; i >> TABLE_LOG2 == 0; i++)
        table[i] = i;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now();
    update(win);
    update(win);
    const double seconds = now() - begin;
    for (uint64_t i = 0; i >> TABLE_LOG2 == 0; i++)
        wrong += table[i] != i;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (wrong) {
        fprintf(stderr, "rma: %llu words are wrong behind random updates\n",
                (unsigned long long)wrong);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    snprintf(label, sizeof label, "allocate,%d-ranks", ranks);
    if (rank == 0)
        row("random-update", label, "ns", seconds / (2.0 * UPDATES * ranks) * 1e9);
}

/* -- windows */

static void windows(void (*each)(const struct window *))
{
    static char memory[BULK];
    void *base;
    struct window w = { .kind = "allocate" };
    MPI_Win_allocate(BULK, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w.win);
    each(&w);
    MPI_Win_free(&w.win);
    w.kind = "shared";
    MPI_Win_allocate_shared(BULK, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w.win);
    each(&w);
    MPI_Win_free(&w.win);
    w.kind = "create";
    MPI_Win_create(memory, BULK, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
    each(&w);
    MPI_Win_free(&w.win);
    w.kind = "dynamic";
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w.win);
    MPI_Win_attach(w.win, memory, BULK);
    MPI_Get_address(memory, &w.at);
    MPI_Bcast(&w.at, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    each(&w);
    MPI_Win_detach(w.win, memory);
    MPI_Win_free(&w.win);
}

static void all_of_two(const struct window *w)
{
    passive(w);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, w->win);
    active("fence", fence, w);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win);
    active("post-start", post_start, w);
}

int main(int argc, char **argv)
{
    const struct window none = { .kind = "plain" };
    MPI_Group all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    limit = (argc > 1 ? atof(argv[1]) : 20) * 1e-3;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &(int){ !rank }, &other);
    if (rank == 0 && ranks == 2) {
        row("store", none.kind, "ns", measure(store, &none));
        row("load", none.kind, "ns", measure(load, &none));
        row("instruction", none.kind, "ns", measure(instruction, &none));
    }
    if (ranks == 2)
        windows(all_of_two);
    windows(contended);
    random_updates();
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Finalize();
    return 0;
}
