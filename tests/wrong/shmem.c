/* Wrong uses of SHMEM, and programs that wait for ever: one for each name; with "right"
 * behind it what should have been done. */
#include <shmem.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long lock, flag, at[2], garbage = 77L << 32;
static bool right;

/* One that checks its arguments, one that goes the short way, and one that would begin anew. */
static void child(const char *what)
{
    int status;
    if (fork() == 0) {
        if (!strcmp(what, "child"))
            shmem_barrier_all();
        else if (!strcmp(what, "child_put"))
            shmem_long_p(at, 1, 0);
        else
            shmem_init();
        _exit(0);
    }
    wait(&status);
}

static void misuse(const char *what, int me, int n)
{
    long local = 0, *heap = shmem_malloc(64);
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    if (!strcmp(what, "pe"))
        shmem_long_p(at, 1, right ? n - 1 : n);
    else if (!strcmp(what, "address"))
        shmem_long_put(right ? heap : &local, at, 1, 0);
    else if (!strcmp(what, "end"))
        shmem_long_get(at, heap, right ? 2 : 100, 1 % n);
    else if (!strcmp(what, "free"))
        shmem_free(right ? shmem_malloc(8) : heap + 1);
    else if (!strcmp(what, "freed")) {
        if (!right)
            shmem_free(heap);
        shmem_long_atomic_inc(heap, 0);
    } else if (!strcmp(what, "context")) {
        if (!right)
            shmem_ctx_destroy(ctx);
        shmem_ctx_long_p(ctx, at, 1, 0);
    } else if (!strcmp(what, "sizes"))
        shmem_free(shmem_malloc(64 + (right ? 0 : (size_t)me)));
    else if (!strcmp(what, "garbage"))
        shmem_set_lock(right ? &lock : &garbage);
    else if (!strcmp(what, "unlock") && !right)
        shmem_clear_lock(&lock);
    else if (!strcmp(what, "exit") && !right)
        shmem_global_exit(9);
    else if (!strcmp(what, "after") && !right) {
        shmem_finalize();
        shmem_barrier_all();
    }
    if (!strncmp(what, "child", 5) && !right)
        child(what);
    if (right && (!strcmp(what, "garbage") || !strcmp(what, "unlock"))) {
        if (!strcmp(what, "unlock"))
            shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
    }
}

/* "each": all of what follows. */
static bool is(const char *what, const char *name)
{
    return !strcmp(what, name) || !strcmp(what, "each");
}

static void misuse_moves(const char *what)
{
    const size_t many = right ? 0 : SIZE_MAX / 11;     /* 8 of it are no overflow */
    const ptrdiff_t stride = right;
    long *heap = shmem_malloc(64);
    if (is(what, "many"))
        shmem_long_alltoall(SHMEM_TEAM_WORLD, heap, at, many);
    if (is(what, "many_of_all"))
        shmem_fcollectmem(SHMEM_TEAM_WORLD, heap, at, many + many);
    if (is(what, "stride_to"))
        shmem_long_alltoalls(SHMEM_TEAM_WORLD, heap, at, stride, 1, 1);
    if (is(what, "stride_from"))
        shmem_long_alltoalls(SHMEM_TEAM_WORLD, heap, at, 1, stride, 1);
    if (is(what, "put_stride"))
        shmem_long_iput(heap, at, 1, stride, 1, 0);
    if (is(what, "get_stride"))
        shmem_long_iget(heap, at, stride, 1, 1, 0);
    if (is(what, "signal"))
        shmem_long_put_signal(heap, at, 1, (uint64_t *)heap + 1, 1,
                              right ? SHMEM_SIGNAL_ADD : 0, 0);
    if (is(what, "unaligned"))
        shmem_long_atomic_inc((long *)((char *)heap + (right ? 8 : 4)), 0);
    if (is(what, "comparison"))
        shmem_long_test(at, right ? SHMEM_CMP_GE : SHMEM_CMP_GE + 1, 0);
}

static void misuse_teams(const char *what, int me, int n)
{
    shmem_team_t team;
    shmem_ctx_t ctx;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team);
    shmem_team_create_ctx(team, 0, &ctx);
    if (is(what, "root"))
        shmem_long_broadcast(team, at, at + 1, 1, right ? n - 1 : n);
    if (is(what, "team_pe"))
        shmem_ctx_long_p(ctx, at, 1, right ? n - 1 : n);
    if (is(what, "team") && !right)
        shmem_team_destroy(team);
    if (is(what, "team"))
        shmem_team_sync(team);
    if (is(what, "team_context") && !right)
        shmem_team_destroy(team);
    if (is(what, "team_context"))
        shmem_ctx_quiet(ctx);
    if (is(what, "world"))
        shmem_team_destroy(right ? SHMEM_TEAM_INVALID : SHMEM_TEAM_WORLD);
    if (is(what, "default"))
        shmem_ctx_destroy(right ? SHMEM_CTX_INVALID : SHMEM_CTX_DEFAULT);
    if (is(what, "destroyed")) {
        shmem_ctx_create(0, &ctx);
        shmem_ctx_destroy(ctx);
        if (!right)
            shmem_ctx_destroy(ctx);
    }
    if (is(what, "set"))
        shmem_barrier(right ? me : 0, 0, 1, NULL);
    if (is(what, "sets"))
        shmem_barrier(0, 0, right ? n : n + 1, NULL);
}

/* A waiter writes its name to who is before it. */
static void wait_for_waiter(long alone)
{
    while (__atomic_load_n(&lock, __ATOMIC_RELAXED) == alone)
        shmem_fence();
}

/* PE 1 waits behind PE 0. */
static void queue_up(int me)
{
    shmem_barrier_all();
    if (me)
        shmem_barrier_all();
    shmem_set_lock(&lock);
    const long alone = lock;
    if (me)
        return;
    shmem_barrier_all();
    wait_for_waiter(alone);
}

/* It is set again before others want it or when they do, as it falls out; when PE 1 waits; and by
 * PE 1, which has waited.  The last clears another's. */
static void misuse_lock(const char *what, int me)
{
    if (is(what, "half")) {
        long *place = right ? &lock : (long *)((char *)at + sizeof *at / 2);
        shmem_set_lock(place);
        shmem_clear_lock(place);
    }
    if (is(what, "again")) {
        shmem_set_lock(&lock);
        if (!right)
            shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
    }
    if (is(what, "queued") || is(what, "turn")) {
        queue_up(me);
        if (!right && me == !strcmp(what, "turn"))
            shmem_set_lock(&lock);
        shmem_clear_lock(&lock);
    }
    if (is(what, "other")) {
        shmem_barrier_all();
        if (!me)
            shmem_set_lock(&lock);
        shmem_barrier_all();
        if (!me == right)
            shmem_clear_lock(&lock);
    }
}

static void wait_for_ever(const char *what, int me)
{
    if (!strcmp(what, "wait") && right && !me)
        for (int pe = 1; pe < shmem_n_pes(); pe++)
            shmem_long_atomic_set(&flag, 42, pe);
    if (!strcmp(what, "wait") && me)
        shmem_wait_until(&flag, SHMEM_CMP_GT, 41);
    if (!strcmp(what, "lock"))
        shmem_set_lock(&lock);
    if (!strcmp(what, "lock") && right)
        shmem_clear_lock(&lock);
    if (!strcmp(what, "collective") && (right || !me))
        shmem_sum_reduce(SHMEM_TEAM_WORLD, at, at + 1, 1);
    shmem_barrier_all();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "before";
    right = argc > 2;
    if (!strcmp(what, "before") && !right)
        shmem_barrier_all();
    shmem_init();
    if (!strcmp(what, "wait") || !strcmp(what, "lock") || !strcmp(what, "collective"))
        wait_for_ever(what, shmem_my_pe());
    else
        misuse(what, shmem_my_pe(), shmem_n_pes());
    misuse_moves(what);
    misuse_teams(what, shmem_my_pe(), shmem_n_pes());
    misuse_lock(what, shmem_my_pe());
    shmem_finalize();
    return 0;
}
