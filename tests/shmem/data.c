/* The program's variables on their way to memory that all PEs have mapped, and back: nothing is
 * lost that MPI, another thread or a window puts there meanwhile, or for want of memory, and a
 * child of the process has them as they were when it was forked.  argument: who else is there. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "s.h"

enum { LONG = 12 << 20, PARTS = 8, PART = LONG / PARTS, WORDS = 4096, TURNS = 5 };
static struct { volatile long before; unsigned char large[LONG]; volatile long behind; } data;
static unsigned char *const large = data.large;     /* takes long to move */

static int next(void) { return (me + 1) % n; }
static int prev(void) { return (me + n - 1) % n; }

static void begin(void)
{
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
}

/* -- windows that are there when SHMEM begins, or are left when it ends */

static int array[WORDS], flag;

static void exchange(MPI_Win win, int value)
{
    const int own = value + me;
    int got = -1;
    MPI_Win_fence(0, win);
    MPI_Put(&own, 1, MPI_INT, next(), 5, 1, MPI_INT, win);
    array[6] = 1000 + own;
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, next(), 6, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    SAME(array[5], value + prev());
    SAME(got, 1000 + value + next());
}

static void windows(void)
{
    MPI_Win early, late;
    for (int i = 0; i < WORDS; i++)
        array[i] = i;
    MPI_Win_create(array, sizeof array, sizeof *array, MPI_INFO_NULL, MPI_COMM_WORLD, &early);
    shmem_init();
    shmem_int_p(&flag, 1 + me, next());
    shmem_barrier_all();
    SAME(flag, 1 + prev());
    exchange(early, 100);
    MPI_Win_create(array, sizeof array, sizeof *array, MPI_INFO_NULL, MPI_COMM_WORLD, &late);
    exchange(late, 200);
    MPI_Win_free(&early);
    exchange(late, 300);
    shmem_finalize();
    exchange(late, 400);
    MPI_Win_free(&late);
    SAME(array[5], 400 + prev());
    SAME(array[7], 7);
}

static void window_behind(void)
{
    MPI_Win win;
    shmem_init();
    array[7] = 7;
    MPI_Win_create(array, sizeof array, sizeof *array, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    exchange(win, 100);
    shmem_finalize();
    exchange(win, 200);
    MPI_Win_free(&win);
    SAME(array[5], 200 + prev());
    SAME(array[7], 7);
}

/* -- messages that come meanwhile: a receive waits before anybody may go on */

static MPI_Request request[2 * PARTS];

static void start_messages(unsigned char *from)
{
    memset(large, 1, LONG);
    memset(from, 7 + me, LONG);
    for (int i = 0; i < PARTS; i++)
        MPI_Irecv(large + (size_t)i * PART, PART, MPI_CHAR, prev(), i, MPI_COMM_WORLD,
                  &request[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < PARTS; i++)
        MPI_Isend(from + (size_t)i * PART, PART, MPI_CHAR, next(), i, MPI_COMM_WORLD,
                  &request[PARTS + i]);
}

static void end_messages(void)
{
    size_t lost = 0;
    MPI_Waitall(2 * PARTS, request, MPI_STATUSES_IGNORE);
    for (size_t i = 0; i < LONG; i++)
        lost += large[i] != 7 + prev();
    SAME(lost, 0);
}

static void messages(bool at_end)
{
    unsigned char *from = malloc(LONG);
    if (at_end)
        shmem_init();
    start_messages(from);
    if (at_end)
        shmem_finalize();
    else
        shmem_init();
    end_messages();
    if (!at_end) {
        shmem_int_p(&flag, 1 + me, next());
        shmem_barrier_all();
        SAME(flag, 1 + prev());
        shmem_finalize();
    }
    free(from);
}

/* -- a thread that writes meanwhile */

static _Atomic int stop;

static void *count_up(void *argument)
{
    long number = 0;
    for (; !stop; number++)
        data.before++;
    *(long *)argument = number;
    return NULL;
}

static void thread(bool at_end)
{
    pthread_t one;
    long number = 0;
    memset(large, 1, LONG);
    if (at_end)
        shmem_init();
    CHECK(!pthread_create(&one, NULL, count_up, &number));
    if (at_end)
        shmem_finalize();
    else
        shmem_init();
    stop = 1;
    pthread_join(one, NULL);
    SAME(data.before, number);
    if (!at_end) {
        CHECK(n == 1 || !shmem_ptr(large, next()));
        shmem_finalize();
    }
    SAME(data.before, number);
}

/* -- children: the parent writes while they begin; and nobody else is there */

/* A page of the process's own, which the kernel takes away when it is told to. */
static bool is_private(unsigned char *at)
{
    unsigned char *page = at + 4096 - (uintptr_t)at % 4096;
    page[0] = 1;
    return !madvise(page, 4096, MADV_DONTNEED) && !page[0];
}

/* Nobody else writes there: variables are mapped at whoever has the heap mapped.  Where the thread
 * sanitizer runs there is a thread of its. */
static void mapped(void)
{
#if !defined(__SANITIZE_THREAD__)
    void *block = shmem_malloc(1);
    for (int pe = 0; pe < n; pe++)
        SAME(shmem_ptr(large, pe) != NULL, shmem_ptr(block, pe) != NULL);
    shmem_free(block);
#endif
}

static void children(void)
{
    int status;
    memset(large, 1, LONG);
    shmem_init();
    mapped();
    for (int turn = 0; turn < TURNS; turn++) {
        data.behind = 1;
        pid_t pid = fork();
        if (!pid)
            _exit(data.behind != 1 || large[0] != 1 || large[LONG - 1] != 1);
        data.behind = large[0] = large[LONG - 1] = 2;
        CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
        SAME(WEXITSTATUS(status), 0);
        large[0] = large[LONG - 1] = 1;
    }
    shmem_barrier_all();
    shmem_finalize();
    SAME(large[LONG - 1], 1);
    CHECK(is_private(large));           /* all is back, as nobody else is there */
}

/* -- no memory for the way back */

static void no_memory(void)
{
    struct rlimit limit, before;
    long pages = 0;
    memset(large, 1, LONG);
    data.behind = 42;
    shmem_init();
    shmem_barrier_all();
    FILE *sizes = fopen("/proc/self/statm", "r");
    CHECK(sizes && fscanf(sizes, "%ld", &pages) == 1);
    fclose(sizes);
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
    CHECK(!setrlimit(RLIMIT_AS, &limit));
    shmem_finalize();
    CHECK(!setrlimit(RLIMIT_AS, &before));
    SAME(data.behind, 42);
    for (size_t i = 0; i < LONG; i++)
        if (large[i] != 1)
            s_fail(__FILE__, __LINE__, "byte %zu is %d", i, large[i]);
}

int main(int argc, char **argv)
{
    const char *who = argc > 1 ? argv[1] : "windows";
    begin();
    if (!strcmp(who, "windows"))
        windows();
    if (!strcmp(who, "window_behind"))
        window_behind();
    if (!strcmp(who, "messages") || !strcmp(who, "messages_behind"))
        messages(strcmp(who, "messages"));
    if (!strcmp(who, "thread") || !strcmp(who, "thread_behind"))
        thread(strcmp(who, "thread"));
    if (!strcmp(who, "children"))
        children();
    if (!strcmp(who, "memory"))
        no_memory();
    MPI_Finalize();
    return 0;
}
