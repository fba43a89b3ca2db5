/* What the kernel tells of a rank's threads: none of those that its NIC has may be awake when all
 * are said to wait.  A child plays the rank, as it has no timer, which would be taken for help. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/tasks.h"
#include "suite.h"

/* The thread sanitizer's runtime has a thread in each process that was forked, and one more for
 * each fork before: they would be taken for the program's, as a rank tells of one. */
#ifdef __SANITIZE_THREAD__
enum { CASES = 2 };
#else
enum { CASES = 3 };
#endif

static struct shared {
    _Atomic int32_t own;                /* the thread of the NIC's, by its number */
    _Atomic uint32_t bell, runs;        /* runs: it is to, or does (2) */
} *shared;

static void *nics_own(void *unused)
{
    atomic_store(&shared->own, (int32_t)syscall(SYS_gettid));
    for (;;) {
        poll(NULL, 0, 20);
        for (uint32_t asked = 1; atomic_load(&shared->runs); asked = 1)
            atomic_compare_exchange_strong(&shared->runs, &asked, 2);
    }
    return unused;
}

static pid_t begin_rank(void)
{
    pthread_t thread;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert(shared != MAP_FAILED);
    pid_t parent = getpid(), rank = fork();
    if (rank)
        return rank;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGALRM, SIG_DFL);       /* check's handler would be taken for help, too */
    if (getppid() != parent || pthread_create(&thread, NULL, nics_own, NULL))
        _exit(1);
    for (;;)
        syscall(SYS_futex, &shared->bell, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void end_rank(pid_t rank)
{
    kill(rank, SIGKILL);
    waitpid(rank, NULL, 0);
    munmap(shared, sizeof *shared);
}

static void await(const struct nic_rank_threads *t, pid_t rank)
{
    while (!mpi_tasks_all_wait(t, rank))
        usleep(1000);
}

/* 0: the NIC's thread; 1: the one that sleeps on the wire; 2: that, and any thread may call. */
START_TEST(own_threads)
{
    pid_t rank = begin_rank();
    while (!atomic_load(&shared->own))
        usleep(1000);
    struct nic_rank_threads t = { .process = rank, .one = _i < 2 ? rank : 0, .waiting = 1,
                                  .word = (uint64_t)(uintptr_t)&shared->bell };
    *(_i ? &t.watch : &t.nic) = shared->own;
    for (unsigned i = 0; i < 20; i++) {
        await(&t, rank);
        atomic_store(&shared->runs, 1);
        while (atomic_load(&shared->runs) != 2)
            usleep(1000);
        for (unsigned k = 0; k < 20; k++)
            ck_assert(!mpi_tasks_all_wait(&t, rank));
        atomic_store(&shared->runs, 0);
    }
    t.polls = true;     /* then it is asked what it has found to do, not whether it sleeps */
    atomic_store(&shared->runs, 1);
    if (_i == 0)
        await(&t, rank);
    end_rank(rank);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tasks");
    TCase *t = tcase_create("tasks");
    tcase_add_loop_test(t, own_threads, 0, CASES);
    suite_add_tcase(s, t);
    return suite_run(s);
}
