/* Collectives on teams and on active sets against what each PE can compute; teams. */
#include <complex.h>

#include "s.h"

enum { COUNT = 5, MOST = 16 };

static long psync[SHMEM_SYNC_SIZE];

/* -- reductions: each type and operation, on a team */

static shmem_team_t team;
static int team_me, team_n;

#define EXPECT(T, OP, i) \
    T want = contribution_of(T, shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD), i); \
    for (int p = 1; p < team_n; p++) { \
        T one = contribution_of(T, shmem_team_translate_pe(team, p, SHMEM_TEAM_WORLD), i); \
        want = OP; \
    }
#define contribution_of(T, pe, i) ((T)((pe) * 3 % 5 + (i) + 1))

#define REDUCE(N, T, NAME, OP) \
    static void reduce_##N##_##NAME(void) \
    { \
        static T dest[COUNT], source[COUNT]; \
        for (int i = 0; i < COUNT; i++) \
            source[i] = contribution_of(T, me, i); \
        SAME(shmem_##N##_##NAME##_reduce(team, dest, source, COUNT), 0); \
        for (int i = 0; i < COUNT; i++) { \
            EXPECT(T, OP, i) \
            CHECK(dest[i] == want); \
        } \
        shmem_team_sync(team); \
        SAME(shmem_##N##_##NAME##_reduce(team, source, source, COUNT), 0); \
        CHECK(!memcmp(dest, source, sizeof dest) || sizeof(T) == sizeof(long double)); \
        SAME(shmem_##N##_##NAME##_reduce(SHMEM_TEAM_INVALID, dest, source, 1), -1); \
        shmem_team_sync(team); \
    }
#define REDUCE_BITS(N, T) \
    REDUCE(N, T, and, want & one) REDUCE(N, T, or, want | one) REDUCE(N, T, xor, want ^ one)
#define REDUCE_ORDER(N, T) \
    REDUCE(N, T, max, want > one ? want : one) REDUCE(N, T, min, want < one ? want : one)
#define REDUCE_SUM(N, T) REDUCE(N, T, sum, want + one) REDUCE(N, T, prod, want * one)
SHMEM_REDUCE_BIT_TYPES(REDUCE_BITS)
SHMEM_REDUCE_ORDER_TYPES(REDUCE_ORDER)
SHMEM_REDUCE_SUM_TYPES(REDUCE_SUM)

static void reductions(void)
{
#define CALL_BITS(N, T) reduce_##N##_and(); reduce_##N##_or(); reduce_##N##_xor();
#define CALL_ORDER(N, T) reduce_##N##_max(); reduce_##N##_min();
#define CALL_SUM(N, T) reduce_##N##_sum(); reduce_##N##_prod();
    SHMEM_REDUCE_BIT_TYPES(CALL_BITS)
    SHMEM_REDUCE_ORDER_TYPES(CALL_ORDER)
    SHMEM_REDUCE_SUM_TYPES(CALL_SUM)
}

/* The same of the active set of all, under the old names. */
#define TO_ALL(N, T, NAME, OP) \
    static void to_all_##N##_##NAME(void) \
    { \
        static T dest[COUNT], source[COUNT], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE]; \
        for (int i = 0; i < COUNT; i++) \
            source[i] = contribution_of(T, me, i); \
        shmem_##N##_##NAME##_to_all(dest, source, COUNT, 0, 0, n, work, psync); \
        for (int i = 0; i < COUNT; i++) { \
            EXPECT(T, OP, i) \
            CHECK(dest[i] == want); \
        } \
    }
#define TO_ALL_BITS(N, T) \
    TO_ALL(N, T, and, want & one) TO_ALL(N, T, or, want | one) TO_ALL(N, T, xor, want ^ one)
#define TO_ALL_ORDER(N, T) \
    TO_ALL(N, T, max, want > one ? want : one) TO_ALL(N, T, min, want < one ? want : one)
#define TO_ALL_SUM(N, T) TO_ALL(N, T, sum, want + one) TO_ALL(N, T, prod, want * one)
SHMEM_OLD_BIT_TYPES(TO_ALL_BITS)
SHMEM_OLD_ORDER_TYPES(TO_ALL_ORDER)
SHMEM_OLD_SUM_TYPES(TO_ALL_SUM)

static void old_reductions(void)
{
#define CALL_OLD_BITS(N, T) to_all_##N##_and(); to_all_##N##_or(); to_all_##N##_xor();
#define CALL_OLD_ORDER(N, T) to_all_##N##_max(); to_all_##N##_min();
#define CALL_OLD_SUM(N, T) to_all_##N##_sum(); to_all_##N##_prod();
    team = SHMEM_TEAM_WORLD;
    team_n = n;
    SHMEM_OLD_BIT_TYPES(CALL_OLD_BITS)
    SHMEM_OLD_ORDER_TYPES(CALL_OLD_ORDER)
    SHMEM_OLD_SUM_TYPES(CALL_OLD_SUM)
}

/* -- moving data */

#define MOVE(N, T) \
    static void move_##N(void) \
    { \
        static T dest[MOST * MOST * 2], source[MOST * MOST * 2]; \
        T *d = dest; \
        for (int i = 0; i < MOST; i++) \
            source[i] = (T)(team_me * 7 + i); \
        for (int root = 0; root < team_n; root++) { \
            memset(dest, 0, sizeof dest); \
            shmem_team_sync(team); \
            SAME(shmem_##N##_broadcast(team, dest, source, 3, root), 0); \
            for (int i = 0; i < 3; i++) \
                CHECK(dest[i] == (T)(root * 7 + i)); \
            shmem_team_sync(team); \
        } \
        SAME(shmem_##N##_fcollect(team, dest, source, 2), 0); \
        for (int i = 0; i < 2 * team_n; i++) \
            CHECK(dest[i] == (T)(i / 2 * 7 + i % 2)); \
        shmem_team_sync(team); \
        SAME(shmem_##N##_collect(team, dest, source, (size_t)team_me), 0); \
        for (int p = 0; p < team_n; p++) \
            for (int i = 0; i < p; i++) \
                CHECK(*d++ == (T)(p * 7 + i)); \
        shmem_team_sync(team); \
        for (int i = 0; i < 2 * team_n; i++) \
            source[i] = (T)(team_me * 10 + i); \
        SAME(shmem_##N##_alltoall(team, dest, source, 2), 0); \
        for (int i = 0; i < 2 * team_n; i++) \
            CHECK(dest[i] == (T)(i / 2 * 10 + team_me * 2 + i % 2)); \
        shmem_team_sync(team); \
        memset(dest, 0, sizeof dest); \
        for (int i = 0; i < 6 * team_n; i++) \
            source[i] = (T)(team_me * 10 + i); \
        shmem_team_sync(team); \
        SAME(shmem_##N##_alltoalls(team, dest, source, 2, 3, 2), 0); \
        for (int i = 0; i < 4 * team_n; i++) \
            CHECK(dest[i] == (i % 2 ? (T)0 : (T)(i / 4 * 10 + (team_me * 2 + i / 2 % 2) * 3))); \
        shmem_team_sync(team); \
    }
SHMEM_RMA_TYPES(MOVE)

static void moves(void)
{
    static int dest[MOST], source;
#define CALL_MOVE(N, T) move_##N();
    SHMEM_RMA_TYPES(CALL_MOVE)
    source = team_me + 1;
    SAME(shmem_fcollectmem(team, dest, &source, sizeof source), 0);
    SAME(dest[team_n - 1], team_n);
    shmem_team_sync(team);
    SAME(shmem_collectmem(team, dest, &source, team_me ? 0 : sizeof source), 0);
    SAME(dest[0], 1);
    shmem_team_sync(team);
    SAME(shmem_broadcastmem(team, dest, &source, sizeof source, team_n - 1), 0);
    SAME(dest[0], team_n);
    shmem_team_sync(team);
    SAME(shmem_broadcast(team, dest, &source, 1, 0), 0);
    SAME(dest[0], 1);
    shmem_team_sync(team);
    SAME(shmem_sum_reduce(team, dest, &source, 1), 0);
    SAME(dest[0], team_n * (team_n + 1) / 2);
    SAME(shmem_sync(team), 0);
    SAME(shmem_broadcast(team, dest, &source, 0, 0), 0);
    SAME(shmem_sum_reduce(team, dest, &source, 0), 0);
}

/* A context counts PEs as the team does. */
static void context_of(shmem_team_t t)
{
    shmem_ctx_t ctx;
    static int at;
    team_me = shmem_team_my_pe(t);
    team_n = shmem_team_n_pes(t);
    SAME(shmem_team_create_ctx(t, 0, &ctx), 0);
    shmem_team_t of;
    SAME(shmem_ctx_get_team(ctx, &of), 0);
    CHECK(of == t);
    shmem_p(ctx, &at, team_me, (team_me + 1) % team_n);
    shmem_ctx_quiet(ctx);
    shmem_team_sync(t);
    SAME(at, (team_me + team_n - 1) % team_n);
    shmem_team_sync(t);
    shmem_ctx_destroy(ctx);
}

static void on_team(shmem_team_t t)
{
    team = t;
    team_me = shmem_team_my_pe(t);
    team_n = shmem_team_n_pes(t);
    reductions();
    moves();
    context_of(t);
}

/* -- teams */

/* There are no such PEs: all are told so, and get no team. */
static void no_team(int start, int stride, int size)
{
    shmem_team_t none = SHMEM_TEAM_WORLD;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, start, stride, size, NULL, 0, &none) != 0);
    CHECK(none == SHMEM_TEAM_INVALID);
}

static void no_teams(void)
{
    shmem_team_t none;
    no_team(0, 1, n + 1);
    no_team(0, 1, 0);
    no_team(0, 0, 2);
    no_team(-1, 1, n);
    no_team(0, -1, 2);
    no_team(n, -1, 2);
    no_team(0, 1 << 16, (1 << 16) + 1);         /* the last is no int, whose lower bits are 0 */
    CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &none) != 0);
    shmem_team_destroy(SHMEM_TEAM_INVALID);
    SAME(shmem_team_translate_pe(SHMEM_TEAM_WORLD, n, SHMEM_TEAM_WORLD), -1);
    SAME(shmem_team_translate_pe(SHMEM_TEAM_WORLD, -1, SHMEM_TEAM_WORLD), -1);
}

static int contexts_of(shmem_team_t t)
{
    shmem_team_config_t got = { .num_contexts = 77 };
    SAME(shmem_team_get_config(t, 0, &got), 0);
    SAME(got.num_contexts, 77);
    SAME(shmem_team_get_config(t, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
    return got.num_contexts;
}

/* Each of the two teams has a config of its own, of which the mask says what counts. */
static void rows_and_columns(void)
{
    const shmem_team_config_t three = { .num_contexts = 3 }, five = { .num_contexts = 5 };
    shmem_team_t x, y, plain, more;
    SAME(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, &three, SHMEM_TEAM_NUM_CONTEXTS, &x, &five,
                             SHMEM_TEAM_NUM_CONTEXTS, &y), 0);
    SAME(contexts_of(x), 3);
    SAME(contexts_of(y), 5);
    SAME(shmem_team_n_pes(x), me / 2 * 2 + 1 < n ? 2 : 1);
    SAME(shmem_team_n_pes(y), (n - me % 2 + 1) / 2);
    SAME(shmem_team_split_2d(SHMEM_TEAM_WORLD, n + 3, &three, 0, &plain, NULL, 0, &more), 0);
    SAME(contexts_of(plain), 0);
    SAME(shmem_team_n_pes(plain), n);
    SAME(shmem_team_n_pes(more), 1);
    shmem_team_destroy(x);
    shmem_team_destroy(y);
    shmem_team_destroy(plain);
    shmem_team_destroy(more);
}

/* A team takes its own contexts with it, and no others. */
static void contexts_of_others(void)
{
    static int at;
    shmem_ctx_t ctx;
    shmem_team_t all;
    SAME(shmem_ctx_create(0, &ctx), 0);
    SAME(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &all), 0);
    shmem_team_destroy(all);
    shmem_p(ctx, &at, me + 1, (me + 1) % n);
    shmem_barrier_all();
    SAME(at, (me + n - 1) % n + 1);
    shmem_ctx_destroy(ctx);
}

static void splits(void)
{
    shmem_team_t odd, back, x, y;
    shmem_team_config_t config = { .num_contexts = 3 }, got = { 0 };
    SAME(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (n + 1) / 2, &config,
                                  SHMEM_TEAM_NUM_CONTEXTS, &odd), 0);
    SAME(odd != SHMEM_TEAM_INVALID, me % 2 == 0);
    SAME(shmem_team_my_pe(odd), me % 2 ? -1 : me / 2);
    if (odd != SHMEM_TEAM_INVALID) {
        SAME(shmem_team_n_pes(odd), (n + 1) / 2);
        SAME(shmem_team_get_config(odd, SHMEM_TEAM_NUM_CONTEXTS, &got), 0);
        SAME(got.num_contexts, 3);
        SAME(shmem_team_translate_pe(odd, me / 2, SHMEM_TEAM_WORLD), me);
        SAME(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 1 % n, odd), n > 1 ? -1 : 0);
        on_team(odd);
        shmem_team_destroy(odd);
    }
    SAME(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &back), 0);
    SAME(shmem_team_my_pe(back), n - 1 - me);
    on_team(back);
    SAME(shmem_team_split_2d(back, 2, NULL, 0, &x, NULL, 0, &y), 0);
    SAME(shmem_team_my_pe(x), (n - 1 - me) % (n < 2 ? n : 2));
    SAME(shmem_team_my_pe(y), (n - 1 - me) / (n < 2 ? n : 2));
    shmem_team_destroy(x);
    shmem_team_destroy(y);
    shmem_team_destroy(back);
    SAME(shmem_team_my_pe(SHMEM_TEAM_SHARED) < shmem_team_n_pes(SHMEM_TEAM_SHARED), 1);
}

/* -- sets of PEs, as of old: of all, of every second, of all but the first */

static void old_set(int start, int log_stride, int size)
{
    static int dest[2 * MOST], source[2 * MOST], work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    static double complex sum, one, cwork[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
    const int stride = 1 << log_stride, place = (me - start) / stride;
    if (me < start || (me - start) % stride || place >= size)
        return;
    for (int i = 0; i < 2 * MOST; i++)
        source[i] = me * 100 + i;
    dest[0] = dest[1] = -1;
    shmem_sync(start, log_stride, size, psync);
    shmem_broadcast32(dest, source, 2, size - 1, start, log_stride, size, psync);
    SAME(dest[1], place == size - 1 ? -1 : (start + (size - 1) * stride) * 100 + 1);
    shmem_barrier(start, log_stride, size, psync);
    shmem_fcollect64(dest, source, 1, start, log_stride, size, psync);
    for (int p = 0; p < size; p++)
        SAME(dest[2 * p + 1], (start + p * stride) * 100 + 1);
    shmem_barrier(start, log_stride, size, psync);
    shmem_collect32(dest, source, (size_t)place % 2, start, log_stride, size, psync);
    for (int p = 1; p < size; p += 2)
        SAME(dest[p / 2], (start + p * stride) * 100);
    shmem_barrier(start, log_stride, size, psync);
    shmem_alltoall32(dest, source, 1, start, log_stride, size, psync);
    for (int p = 0; p < size; p++)
        SAME(dest[p], (start + p * stride) * 100 + place);
    shmem_barrier(start, log_stride, size, psync);
    shmem_alltoalls32(dest, source, 2, 1, 1, start, log_stride, size, psync);
    for (int p = 0; p < size; p++)
        SAME(dest[2 * p], (start + p * stride) * 100 + place);
    shmem_barrier(start, log_stride, size, psync);
    shmem_int_sum_to_all(dest, source, 2, start, log_stride, size, work, psync);
    for (int i = 0, want = 0; i < 2; want = 0, i++) {
        for (int p = 0; p < size; p++)
            want += (start + p * stride) * 100 + i;
        SAME(dest[i], want);
    }
    shmem_barrier(start, log_stride, size, psync);      /* all have read what they got */
    shmem_int_max_to_all(dest, source, 1, start, log_stride, size, work, psync);
    SAME(dest[0], (start + (size - 1) * stride) * 100);
    shmem_barrier(start, log_stride, size, psync);
    shmem_int_xor_to_all(dest, source, 1, start, log_stride, size, work, psync);
    one = 1 + 2 * I;
    shmem_complexd_sum_to_all(&sum, &one, 1, start, log_stride, size, cwork, psync);
    CHECK(creal(sum) == size && cimag(sum) == 2 * size);
    shmem_barrier(start, log_stride, size, psync);
}

int main(int argc, char **argv)
{
    s_start(argc, argv);
    on_team(SHMEM_TEAM_WORLD);
    old_reductions();
    context_of(SHMEM_TEAM_SHARED);
    splits();
    no_teams();
    rows_and_columns();
    contexts_of_others();
    for (int k = 0; k < 2; k++) {
        old_set(0, 0, n);
        old_set(0, 1, (n + 1) / 2);
        if (n > 1)
            old_set(1, 0, n - 1);
        for (int size = 2; size < n; size++)    /* that begin with the same PE */
            old_set(0, 0, size);
        if (n > 2)
            old_set(0, 1, 2);
    }
    return s_end();
}
