/* MPI and SHMEM in one program, begun and ended in either order; what is symmetric serves MPI, too;
 * a child of the process has the variables for itself; programs of old, which end without
 * shmem_finalize; several threads. */
#include <mpi.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "s.h"

static long shared[4];
static int of_parent = 7;
static long big[1 << 20];

static void together(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    SAME(rank, me);
    SAME(size, n);
    long *heap = shmem_malloc(sizeof *heap), own = me + 1;
    for (int turn = 0; turn < 20; turn++) {
        shmem_p(&shared[0], own + turn, (me + 1) % n);
        shmem_barrier_all();
        MPI_Allreduce(&shared[0], heap, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        SAME(*heap, (long)n * (n + 1) / 2 + (long)n * turn);
        MPI_Sendrecv(heap, 1, MPI_LONG, (me + 1) % n, 1, &shared[1], 1, MPI_LONG,
                     (me + n - 1) % n, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        SAME(shared[1], *heap);
        shmem_sum_reduce(SHMEM_TEAM_WORLD, &shared[2], &shared[1], 1);
        SAME(shared[2], n * *heap);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    big[me] = me;               /* long messages out of the program's own data */
    MPI_Bcast(big, 1 << 20, MPI_LONG, n - 1, MPI_COMM_WORLD);
    SAME(big[n - 1], n - 1);
    shmem_free(heap);
}

static void child(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        of_parent = 9;
        _exit(of_parent);
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    SAME(WEXITSTATUS(status), 9);
    SAME(of_parent, 7);
    shmem_barrier_all();
}

static void *adder(void *argument)
{
    for (int i = 0; i < 200; i++)
        shmem_atomic_inc(&shared[3], (int)(intptr_t)argument);
    return NULL;
}

static void threads(void)
{
    pthread_t thread[3];
    int level = -1;
    shmem_query_thread(&level);
    SAME(level, SHMEM_THREAD_MULTIPLE);
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, adder, (void *)(intptr_t)((me + i) % n));
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    shmem_barrier_all();
    SAME(shared[3], 600);
}

/* Deprecated: the program ends, and SHMEM with it, once all PEs have come. */
static int unfinished(void)
{
    shmem_init();
    me = shmem_my_pe();
    n = shmem_n_pes();
    shmem_int_p((int *)shmem_malloc(sizeof(int)), me, (me + 1) % n);
    child();
    if (me == n - 1)
        exit(0);
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "shmem";
    int level;
    if (!strcmp(how, "old")) {
        setenv("SMA_SYMMETRIC_SIZE", "128k", 1);
        unsetenv("SHMEM_SYMMETRIC_SIZE");
        start_pes(0);
        start_pes(0);
        CHECK(!shmalloc(256 << 10));
        me = _my_pe();
        n = _num_pes();
        int *at = shmalloc(sizeof *at);
        shmem_int_p(at, me, (me + 1) % n);
        shmem_barrier_all();
        SAME(*at, (me + n - 1) % n);
        shfree(at);
        child();
        return 0;
    }
    if (!strcmp(how, "unfinished"))
        return unfinished();
    if (!strcmp(how, "mpi") || !strcmp(how, "outside"))
        MPI_Init(NULL, NULL);
    if (!strcmp(how, "threads")) {
        CHECK(shmem_init_thread(SHMEM_THREAD_SINGLE - 1, &level) != 0);
        CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE + 1, &level) != 0);
        SAME(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level), 0);
        SAME(level, SHMEM_THREAD_MULTIPLE);
    } else {
        shmem_init();
        shmem_query_thread(&level);
        SAME(level, SHMEM_THREAD_SINGLE);
    }
    me = shmem_my_pe();
    n = shmem_n_pes();
    if (strcmp(how, "mpi") && strcmp(how, "outside") && strcmp(how, "threads"))
        MPI_Init(NULL, NULL);
    if (!strcmp(how, "threads"))
        threads();
    else
        together();
    child();
    if (!strcmp(how, "outside") || !strcmp(how, "threads")) {
        shmem_finalize();
        SAME(of_parent, 7);         /* the variables are as they were */
        of_parent = 8;
        if (strcmp(how, "threads"))
            MPI_Finalize();
        return of_parent != 8;
    }
    MPI_Finalize();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
