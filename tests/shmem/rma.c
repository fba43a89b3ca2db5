/* Put and get: each type and size, plain, by context, not blocking, with strides and signals; in
 * the heap and in static variables; random ones against an oracle. */
#include "s.h"

enum { COUNT = 24 };

/* -- each type: what a PE has is a number of its own */

#define VALUE(T, pe, i) ((T)((pe) * 16 + (i) + 1))

#define TYPED(N, T) \
    static T static_##N[COUNT], one_##N; \
    static void check_##N(T *at, shmem_ctx_t ctx) \
    { \
        const int to = (me + 1) % n, from = (me + n - 1) % n; \
        static uint64_t signal; \
        T own[COUNT], got[COUNT], *const place = at; \
        for (int i = 0; i < COUNT; i++) { \
            own[i] = VALUE(T, me, i % 12); \
            at[i] = 0; \
        } \
        shmem_barrier_all(); \
        shmem_##N##_put(place, own, 4, to); \
        shmem_ctx_##N##_put(ctx, place + 4, own + 4, 2, to); \
        shmem_##N##_put_nbi(place + 6, own + 6, 2, to); \
        shmem_ctx_##N##_put_nbi(ctx, place + 8, own + 8, 1, to); \
        shmem_##N##_p(place + 9, own[9], to); \
        shmem_ctx_##N##_p(ctx, place + 10, own[10], to); \
        shmem_##N##_iput(place + 12, own, 3, 2, 3, to); \
        shmem_ctx_##N##_iput(ctx, place + 13, own, 3, 2, 3, to); \
        shmem_ctx_quiet(ctx); \
        shmem_barrier_all(); \
        for (int i = 0; i < 11; i++) \
            CHECK(at[i] == VALUE(T, from, i)); \
        for (int i = 0; i < 3; i++) \
            CHECK(at[12 + 3 * i] == VALUE(T, from, 2 * i) \
                  && at[13 + 3 * i] == VALUE(T, from, 2 * i)); \
        CHECK(at[11] == 0 && at[14] == 0); \
        shmem_##N##_get(got, place, 4, to); \
        shmem_ctx_##N##_get(ctx, got + 4, place + 4, 2, to); \
        shmem_##N##_get_nbi(got + 6, place + 6, 2, to); \
        shmem_ctx_##N##_get_nbi(ctx, got + 8, place + 8, 1, to); \
        shmem_quiet(); \
        shmem_ctx_quiet(ctx); \
        for (int i = 0; i < 9; i++) \
            CHECK(got[i] == VALUE(T, me, i)); \
        CHECK(shmem_##N##_g(place + 9, to) == own[9] \
              && shmem_ctx_##N##_g(ctx, place + 10, to) == own[10]); \
        shmem_##N##_iget(got, place + 12, 2, 3, 3, to); \
        shmem_ctx_##N##_iget(ctx, got + 1, place + 13, 2, 3, 3, to); \
        for (int i = 0; i < 6; i++) \
            CHECK(got[i] == own[i / 2 * 2]); \
        shmem_barrier_all(); \
        shmem_##N##_put_signal(place, own + 5, 3, &signal, 2, SHMEM_SIGNAL_SET, to); \
        SAME(shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 2), 2); \
        CHECK(at[0] == VALUE(T, from, 5) && at[2] == VALUE(T, from, 7)); \
        shmem_barrier_all(); \
        shmem_ctx_##N##_put_signal(ctx, place + 3, own, 1, &signal, 5, SHMEM_SIGNAL_ADD, to); \
        shmem_signal_wait_until(&signal, SHMEM_CMP_GE, 7); \
        CHECK(at[3] == VALUE(T, from, 0)); \
        shmem_barrier_all(); \
        shmem_##N##_put_signal_nbi(place, own, 1, &signal, 1, SHMEM_SIGNAL_ADD, to); \
        shmem_ctx_##N##_put_signal_nbi(ctx, place + 1, own + 1, 1, &signal, 1, \
                                       SHMEM_SIGNAL_ADD, to); \
        shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 9); \
        SAME(shmem_signal_fetch(&signal), 9); \
        CHECK(at[0] == VALUE(T, from, 0) && at[1] == VALUE(T, from, 1)); \
        shmem_barrier_all(); \
        signal = 0; \
    } \
    static void both_##N(shmem_ctx_t ctx) \
    { \
        T *heap = shmem_malloc(COUNT * sizeof *heap); \
        check_##N(heap, ctx); \
        check_##N(static_##N, ctx); \
        shmem_##N##_p(&one_##N, VALUE(T, me, 3), (me + 1) % n); \
        shmem_barrier_all(); \
        CHECK(one_##N == VALUE(T, (me + n - 1) % n, 3)); \
        shmem_free(heap); \
    }
SHMEM_RMA_TYPES(TYPED)

static void all_types(void)
{
    shmem_ctx_t ctx;
    SAME(shmem_ctx_create(SHMEM_CTX_PRIVATE, &ctx), 0);
#define CALL(N, T) both_##N(ctx);
    SHMEM_RMA_TYPES(CALL)
    shmem_ctx_destroy(ctx);
}

/* -- sizes and bytes; types taken from arguments */

#define SIZED(N, BYTES) \
    static void check_size_##N(void) \
    { \
        static unsigned char at[8 * BYTES]; \
        unsigned char own[4 * BYTES], got[4 * BYTES]; \
        const int to = (me + 1) % n, from = (me + n - 1) % n; \
        memset(at, 0, sizeof at); \
        memset(own, 1 + me, sizeof own); \
        shmem_barrier_all(); \
        shmem_put##N(at, own, 2, to); \
        shmem_put##N##_nbi(at + 2 * BYTES, own, 1, to); \
        shmem_iput##N(at + 3 * BYTES, own, 2, 2, 2, to); \
        shmem_barrier_all(); \
        for (int i = 0; i < 8 * BYTES; i++) \
            SAME(at[i], i < 4 * BYTES || i / BYTES == 5 ? 1 + from : 0); \
        shmem_get##N(got, at, 2, to); \
        shmem_get##N##_nbi(got + 2 * BYTES, at, 1, to); \
        shmem_quiet(); \
        shmem_iget##N(got + 3 * BYTES, at, 2, 2, 1, to); \
        CHECK(!memcmp(got, own, sizeof got)); \
        shmem_barrier_all(); \
    }
SHMEM_RMA_SIZES(SIZED)

static void sizes(void)
{
#define CALL_SIZE(N, BYTES) check_size_##N();
    SHMEM_RMA_SIZES(CALL_SIZE)
    static long at[4];
    static uint64_t signal;
    long own = me + 1;
    shmem_putmem_signal(at, &own, sizeof own, &signal, 1, SHMEM_SIGNAL_SET, (me + 1) % n);
    shmem_wait_until(&signal, SHMEM_CMP_EQ, 1);
    SAME(at[0], (me + n - 1) % n + 1);
    shmem_barrier_all();
    shmem_put(at + 1, &own, 1, (me + 1) % n);
    shmem_put(SHMEM_CTX_DEFAULT, at + 2, &own, 1, (me + 1) % n);
    shmem_p(SHMEM_CTX_DEFAULT, at + 3, own, (me + 1) % n);
    shmem_barrier_all();
    SAME(at[1] + at[2] + at[3], 3 * ((me + n - 1) % n + 1));
    SAME(shmem_g(at + 1, (me + 1) % n), own);
    SAME(shmem_g(SHMEM_CTX_DEFAULT, at + 1, (me + 1) % n), own);
    shmem_barrier_all();
}

/* -- random: each PE writes into a part of its own in the memory of all */

enum { PART = 5000, TURNS = 300 };
static unsigned char data[8 * PART];

static void random_puts(unsigned char *at, unsigned char (*oracle)[PART], unsigned *seed)
{
    static unsigned char buffer[PART];
    for (int k = 0; k < TURNS; k++) {
        const int pe = (int)(s_random(seed) % (unsigned)n);
        size_t from = s_random(seed) % PART, bytes = s_random(seed) % (PART - from + 1);
        bytes = k % 3 ? bytes % 20 : bytes;
        for (size_t i = 0; i < bytes; i++)
            oracle[pe][from + i] = buffer[i] = (unsigned char)s_random(seed);
        if (k % 5)
            shmem_putmem(at + me * PART + from, buffer, bytes, pe);
        else
            shmem_uchar_put_nbi(at + me * PART + from, buffer, bytes, pe);
        shmem_quiet();
    }
}

static void random_test(unsigned char *at)
{
    unsigned char (*oracle)[PART] = calloc((size_t)n, PART), got[PART];
    unsigned seed = 17u + (unsigned)me;
    memset(at, 0, (size_t)n * PART);
    shmem_barrier_all();
    random_puts(at, oracle, &seed);
    shmem_barrier_all();
    for (int pe = 0; pe < n; pe++) {
        shmem_getmem(got, at + me * PART, PART, pe);
        CHECK(!memcmp(got, oracle[pe], PART));
    }
    shmem_barrier_all();
    free(oracle);
}

/* No elements: of a block that shmem_malloc(0) has not given, too.  A signal comes all the same. */
static void no_elements(void)
{
    static uint64_t signal;
    int *none = shmem_malloc(0), next = (me + 1) % n;
    shmem_int_put(none, NULL, 0, next);
    shmem_int_put_nbi(none, NULL, 0, next);
    shmem_int_get(NULL, none, 0, next);
    shmem_getmem_nbi(NULL, none, 0, next);
    shmem_int_iput(none, NULL, 1, 1, 0, next);
    shmem_int_iget(NULL, none, 1, 1, 0, next);
    shmem_int_put_signal(none, NULL, 0, &signal, 7, SHMEM_SIGNAL_SET, next);
    shmem_signal_wait_until(&signal, SHMEM_CMP_EQ, 7);
    shmem_barrier_all();
}

/* -- when it is complete */

/* Behind a put that waits the source is the program's again, however long it is. */
static void long_puts(void)
{
    static char large[600000], *copy;
    copy = malloc(sizeof large);
    memset(copy, me + 1, sizeof large);
    shmem_barrier_all();
    shmem_putmem(large, copy, sizeof large, (me + 1) % n);
    memset(copy, 0, sizeof large);
    shmem_barrier_all();
    const int sum = 2 * ((me + n - 1) % n + 1);
    SAME(large[0] + large[sizeof large - 1], sum);
    SAME(large[sizeof large / 3] + large[sizeof large / 2], sum);
    shmem_getmem(copy, large, sizeof large, (me + 1) % n);
    SAME(copy[sizeof large - 1], me + 1);
    free(copy);
}

/* A barrier completes what all contexts have under way, and so does a context's end. */
static void ends_of_contexts(void)
{
    enum { LENGTH = 300000 };
    static char at[LENGTH], own[LENGTH];
    shmem_ctx_t ctx;
    for (int turn = 0; turn < 4; turn++) {
        SAME(shmem_ctx_create(0, &ctx), 0);
        memset(own, turn * 20 + me + 1, sizeof own);
        shmem_barrier_all();
        shmem_ctx_putmem_nbi(ctx, at, own, LENGTH, (me + 1) % n);
        if (turn % 2)
            shmem_ctx_destroy(ctx);
        if (turn % 2)
            shmem_sync_all();
        else
            shmem_barrier_all();
        for (int i = 0; i < LENGTH; i += LENGTH / 10 - 1)
            SAME(at[i], turn * 20 + (me + n - 1) % n + 1);
        if (turn % 2 == 0)
            shmem_ctx_destroy(ctx);
    }
    shmem_ctx_quiet(SHMEM_CTX_INVALID);     /* nothing is done */
    shmem_ctx_fence(SHMEM_CTX_INVALID);
    shmem_ctx_destroy(SHMEM_CTX_INVALID);
}

/* Several at a time, of which some take the place of those that ended. */
static void many_contexts(void)
{
    enum { MANY = 5 };
    shmem_ctx_t ctx[MANY];
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < MANY; i++) {
            SAME(shmem_ctx_create(0, &ctx[i]), 0);
            for (int k = 0; k < i; k++)
                CHECK(ctx[k] != ctx[i]);
        }
        for (int i = 0; i < MANY; i++)
            shmem_ctx_destroy(ctx[turn == 1 ? MANY - 1 - i : i]);
    }
}

int main(int argc, char **argv)
{
    s_start(argc, argv);
    all_types();
    no_elements();
    sizes();
    random_test(data);
    unsigned char *heap = shmem_malloc(8 * PART);
    random_test(heap);
    shmem_free(heap);
    long_puts();
    ends_of_contexts();
    many_contexts();
    return s_end();
}
