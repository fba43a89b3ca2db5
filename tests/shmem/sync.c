/* Waits and tests of one and of many variables, order, signals, locks. */
#include "s.h"

#include <stdbool.h>

enum { MANY = 6 };

/* -- each type; the vector forms with a value of its own for each */

#define SYNC(N, T) \
    static void sync_##N(void) \
    { \
        static T at[MANY]; \
        const int to = (me + 1) % n, status[MANY] = { 0, 0, 1, 0, 0, 0 }, all_out[2] = { 1, 1 }; \
        T values[MANY]; \
        size_t indices[MANY], seen; \
        for (int i = 0; i < MANY; i++) { \
            at[i] = 0; \
            values[i] = (T)(i + 10); \
        } \
        shmem_barrier_all(); \
        CHECK(!shmem_##N##_test(at, SHMEM_CMP_NE, 0) && shmem_##N##_test(at, SHMEM_CMP_LT, 1)); \
        SAME(shmem_##N##_test_any(at, MANY, NULL, SHMEM_CMP_EQ, 1), SIZE_MAX); \
        SAME(shmem_##N##_test_some(at, MANY, indices, NULL, SHMEM_CMP_GT, 0), 0); \
        SAME(shmem_##N##_wait_until_any(at, 2, all_out, SHMEM_CMP_EQ, 9), SIZE_MAX); \
        SAME(shmem_##N##_wait_until_some(at, 0, indices, NULL, SHMEM_CMP_EQ, 9), 0); \
        shmem_##N##_wait_until_all(at, 2, all_out, SHMEM_CMP_EQ, 9); \
        shmem_barrier_all(); \
        shmem_##N##_p(at + 3, 13, to); \
        shmem_##N##_wait_until(at + 3, SHMEM_CMP_EQ, 13); \
        SAME(shmem_##N##_wait_until_any(at, MANY, NULL, SHMEM_CMP_GE, 13), 3); \
        SAME(shmem_##N##_wait_until_any_vector(at, MANY, status, SHMEM_CMP_EQ, values), 3); \
        SAME(shmem_##N##_test_any(at, MANY, NULL, SHMEM_CMP_NE, 0), 3); \
        SAME(shmem_##N##_test_any_vector(at, MANY, NULL, SHMEM_CMP_EQ, values), 3); \
        shmem_barrier_all(); \
        shmem_##N##_p(at + 1, 11, to); \
        shmem_##N##_wait_until(at + 1, SHMEM_CMP_GT, 10); \
        SAME(shmem_##N##_wait_until_some(at, MANY, indices, NULL, SHMEM_CMP_GE, 11), 2); \
        CHECK(indices[0] == 1 && indices[1] == 3); \
        SAME(shmem_##N##_wait_until_some_vector(at, MANY, indices, NULL, SHMEM_CMP_EQ, values), \
             2); \
        SAME(shmem_##N##_test_some(at, MANY, indices, status, SHMEM_CMP_NE, 0), 2); \
        SAME(shmem_##N##_test_some_vector(at, MANY, indices, NULL, SHMEM_CMP_EQ, values), 2); \
        CHECK(!shmem_##N##_test_all(at, MANY, status, SHMEM_CMP_GT, 9)); \
        shmem_barrier_all(); \
        for (int i = 0; i < MANY; i++) \
            if (i != 2) \
                shmem_##N##_p(at + i, (T)(10 + i), to); \
        shmem_##N##_wait_until_all(at, MANY, status, SHMEM_CMP_GT, 9); \
        shmem_##N##_wait_until_all_vector(at, MANY, status, SHMEM_CMP_EQ, values); \
        CHECK(shmem_##N##_test_all(at, MANY, status, SHMEM_CMP_LE, 15)); \
        CHECK(!shmem_##N##_test_all(at, MANY, NULL, SHMEM_CMP_NE, 0)); \
        CHECK(shmem_##N##_test_all_vector(at, MANY, status, SHMEM_CMP_EQ, values)); \
        /* the first that is found is not always the same: nobody is forgotten */ \
        for (unsigned found = 0, i = 0; found != 0x3b; i++) { \
            CHECK(i < 1000); \
            seen = shmem_##N##_wait_until_any(at, MANY, status, SHMEM_CMP_NE, 0); \
            found |= 1u << seen; \
        } \
        CHECK(shmem_##N##_test(at, SHMEM_CMP_GT, (T)-1) == ((T)-1 < (T)1)); \
        shmem_barrier_all(); \
    }
SHMEM_SYNC_TYPES(SYNC)

/* -- each comparison, with less, the same and more; and of no variables */

static void comparisons(void)
{
    static int at;
    for (at = -1; at <= 1; at++) {
        SAME(shmem_int_test(&at, SHMEM_CMP_EQ, 0), at == 0);
        SAME(shmem_int_test(&at, SHMEM_CMP_NE, 0), at != 0);
        SAME(shmem_int_test(&at, SHMEM_CMP_GT, 0), at > 0);
        SAME(shmem_int_test(&at, SHMEM_CMP_LE, 0), at <= 0);
        SAME(shmem_int_test(&at, SHMEM_CMP_LT, 0), at < 0);
        SAME(shmem_int_test(&at, SHMEM_CMP_GE, 0), at >= 0);
    }
    SAME(shmem_int_test_any(&at, 0, NULL, SHMEM_CMP_EQ, 0), SIZE_MAX);
    SAME(shmem_int_test_some(&at, 0, NULL, NULL, SHMEM_CMP_EQ, 0), 0);
    CHECK(shmem_int_test_all(&at, 0, NULL, SHMEM_CMP_EQ, 0));
}

/* Some are never none, also of a variable that does not hold for long.  It is the last of many, so
 * that a while lies between two looks at it. */
static void some(void)
{
    enum { VARS = 2000, CALLS = 1000 };
    static int at[VARS], enough;
    static size_t indices[VARS];
    int *const last = &at[VARS - 1];
    if (n > 1 && me == 0 && shmem_ptr(at, 1)) {
        for (int i = 0; i < CALLS; i++) {
            SAME(shmem_int_wait_until_some(at, VARS, indices, NULL, SHMEM_CMP_EQ, 1), 1);
            SAME(indices[0], VARS - 1);
        }
        shmem_p(&enough, 1, 1);
    }
    if (me == 1 && shmem_ptr(at, 0))
        while (!shmem_int_test(&enough, SHMEM_CMP_EQ, 1)) {
            shmem_p(last, 1, 0);
            shmem_p(last, 0, 0);
        }
    shmem_barrier_all();
}

/* The deprecated ones: until it is something else. */
static void old_waits(void)
{
    static long at;
    const int to = (me + 1) % n;
    at = 7;
    shmem_barrier_all();
    shmem_p(&at, 8L, to);
    shmem_wait(&at, 7);
    SAME(at, 8);
    shmem_barrier_all();
    shmem_p(&at, 9L, to);
    shmem_long_wait(&at, 8);
    SAME(at, 9);
    shmem_barrier_all();
}

/* -- order: who sees the flag sees the data, of puts that are not waited for, too */

static void fence(shmem_ctx_t ctx)
{
    if (ctx == SHMEM_CTX_DEFAULT)
        shmem_fence();
    else
        shmem_ctx_fence(ctx);
}

static void order(shmem_ctx_t ctx)
{
    enum { WORDS = 3000, TURNS = 20 };
    static long data[WORDS], flag;
    static long own[WORDS];
    const int to = (me + 1) % n, from = (me + n - 1) % n;
    flag = 0;
    shmem_barrier_all();
    for (long turn = 1; turn <= TURNS; turn++) {
        for (int i = 0; i < WORDS; i++)
            own[i] = turn * 1000 + me + i;
        shmem_put_nbi(ctx, data, own, WORDS, to);
        fence(ctx);
        shmem_p(ctx, &flag, turn, to);
        shmem_wait_until(&flag, SHMEM_CMP_GE, turn);
        for (int i = 0; i < WORDS; i++)
            SAME(data[i], turn * 1000 + from + i);
        shmem_barrier_all();
    }
}

/* -- a wait that lasts: the waiter sleeps, and is woken by whatever way the store comes */

static void long_wait(void)
{
    static int flag, count, last;
    static uint64_t signal;
    static const int five = 5;
    flag = count = 0;
    last = 9;
    signal = 0;
    shmem_barrier_all();
    if (me == 0) {
        for (int i = 0; i < 4; i++) {
            for (volatile long k = 0; k < 3000000; k++)
                continue;
            for (int pe = 1; pe < n; pe++) {
                if (i == 0)
                    shmem_p(&flag, 1, pe);
                else if (i == 1)
                    shmem_atomic_inc(&count, pe);
                else if (i == 2)
                    shmem_put_signal(&flag, &(int){ 2 }, 1, &signal, 3, SHMEM_SIGNAL_SET, pe);
                else
                    shmem_put_nbi(&last, &five, 1, pe);
            }
            shmem_quiet();
        }
    } else {
        shmem_wait_until(&flag, SHMEM_CMP_GE, 1);
        shmem_wait_until(&count, SHMEM_CMP_EQ, 1);
        shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 3);
        SAME(flag, 2);
        shmem_wait_until(&last, SHMEM_CMP_EQ, 5);
    }
    shmem_barrier_all();
}

/* -- locks: in static variables and in the heap */

static void count_under(long *lock, int turns)
{
    static long total;
    static int holders;
    total = 0;
    shmem_barrier_all();
    for (int i = 0; i < turns; i++) {
        if (i % 3 == 2)
            while (shmem_test_lock(lock))
                continue;
        else
            shmem_set_lock(lock);
        SAME(shmem_atomic_fetch_inc(&holders, 0), 0);
        shmem_p(&total, shmem_g(&total, n - 1) + 1, n - 1);
        shmem_quiet();
        SAME(shmem_atomic_fetch_add(&holders, -1, 0), 1);
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    if (me == n - 1)
        SAME(total, (long)n * turns);
    SAME(*lock, 0);
    shmem_barrier_all();
}

/* What was put under a lock is complete before the next one has it. */
static void put_under(long *lock)
{
    enum { WORDS = 20000, TURNS = 20, LAST = WORDS - 1 };
    static long data[WORDS], own[WORDS];
    for (int i = 0; i < TURNS; i++) {
        shmem_set_lock(lock);
        own[LAST] = shmem_g(&data[LAST], n - 1) + 1;
        shmem_put_nbi(data, own, WORDS, n - 1);
        shmem_clear_lock(lock);
    }
    shmem_barrier_all();
    if (me == n - 1)
        SAME(data[LAST], (long)n * TURNS);
}

static void locks(void)
{
    static long lock[3];
    long *heap = shmem_malloc(3 * sizeof *heap);
    memset(heap, 0, 3 * sizeof *heap);
    for (int i = 0; i < 3; i++) {
        count_under(&lock[i], 60);
        count_under(&heap[i], 30);
    }
    put_under(lock);
    /* one that another PE has */
    if (me == 0)
        shmem_set_lock(lock);
    shmem_barrier_all();
    SAME(shmem_test_lock(lock), 1);
    shmem_barrier_all();
    if (me == 0)
        shmem_clear_lock(lock);
    shmem_free(heap);
}

/* Loops of reads of one's own memory: each ends when the PE in front has changed it, without any
 * other call. */
static bool has_come(int way, uint64_t *at)
{
    uint64_t seen;
    switch (way) {
    case 0: return shmem_uint64_g(at, me) == 7;
    case 1: shmem_uint64_get(&seen, at, 1, me); return seen == 7;
    case 2: shmem_getmem(&seen, at, sizeof seen, me); return seen == 7;
    case 3: return shmem_uint64_atomic_fetch(at, me) == 7;
    case 4: return shmem_uint64_atomic_fetch_add(at, 0, me) == 7;
    case 5: return shmem_uint64_atomic_compare_swap(at, 7, 7, me) == 7;
    case 6: return shmem_uint64_atomic_fetch_or(at, 0, me) == 7;
    default: return shmem_signal_fetch(at) == 7;
    }
}

static void own_reads(void)
{
    enum { WAYS = 8 };
    static uint64_t data;
    uint64_t *heap = shmem_calloc(1, sizeof *heap);
    for (int i = 0; i < 2 * WAYS; i++) {
        uint64_t *at = i % 2 ? heap : &data;
        *at = 0;
        shmem_barrier_all();
        if (me == 0)
            shmem_uint64_atomic_add(at, 7, (me + 1) % n);
        while (!has_come(i / 2, at))
            ;
        if (me)
            shmem_uint64_p(at, 7, (me + 1) % n);
        shmem_barrier_all();
    }
    shmem_free(heap);
}

int main(int argc, char **argv)
{
    shmem_ctx_t ctx;
    s_start(argc, argv);
    SAME(shmem_ctx_create(0, &ctx), 0);
#define CALL(N, T) sync_##N();
    SHMEM_SYNC_TYPES(CALL)
    comparisons();
    some();
    old_waits();
    order(SHMEM_CTX_DEFAULT);
    order(ctx);
    shmem_ctx_destroy(ctx);
    long_wait();
    locks();
    own_reads();
    return s_end();
}
