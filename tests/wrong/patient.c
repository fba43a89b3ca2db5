/* patient KIND: rank 0 asks for a message that nobody sends, in a loop that ends by itself after
 * some seconds, in each way that a loop can; the others wait for it.  Nothing is to be said. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

enum { SECONDS = 3 };
static MPI_Request request[2];
static int in[2];
static long global;
static volatile sig_atomic_t over;
static char path[] = "/tmp/patient.XXXXXX";

static void look(void)
{
    int flag;
    MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE);
}

/* Loops that count their looks, again and again until one has taken that long.  How long a look
 * takes depends on who else wants the processor, so that is measured while the others are here,
 * and each loop is a few times as long as the one before it at most. */
static void lasts(void (*loop)(long looks))
{
    double begin, took, next;
    long looks = 20000;

    do {
        begin = MPI_Wtime();
        loop(looks);
        took = MPI_Wtime() - begin;
        next = took < SECONDS / 16.0 ? 4 : SECONDS * 1.25 / took;
        looks = (long)((double)looks * next);
    } while (took < SECONDS);
}

static void local(long looks)
{
    for (long i = looks; i; i--)
        look();
}

static void in_global(long looks)
{
    for (global = looks; global; global--)
        look();
}

static void in_heap(long looks)
{
    volatile long *left = malloc(sizeof *left);
    for (*left = looks; *left; --*left)
        look();
    free((void *)left);
}

static void in_window(long looks)
{
    volatile long *left;
    MPI_Alloc_mem(sizeof *left, MPI_INFO_NULL, (void *)&left);
    for (*left = looks; *left; --*left)
        look();
    MPI_Free_mem((void *)left);
}

/* In turns: what a look has counted is forgotten in the next. */
static void in_rounds(long looks)
{
    int flag;
    for (long i = looks / 2; i; i--)
        for (int j = 0; j < 2; j++)
            MPI_Test(&request[j], &flag, MPI_STATUS_IGNORE);
}

static void counts(void) { lasts(local); }
static void counts_global(void) { lasts(in_global); }
static void counts_heap(void) { lasts(in_heap); }
static void counts_window(void) { lasts(in_window); }
static void counts_rounds(void) { lasts(in_rounds); }

static void clocks(void)
{
    double end = MPI_Wtime() + SECONDS;
    while (MPI_Wtime() < end)
        look();
}

/* No function of the C library. */
static void counter(void)
{
#ifdef __x86_64__
    double since = MPI_Wtime();
    unsigned long long begin = __rdtsc(), now;
    while (MPI_Wtime() < since + 0.1)
        ;
    now = __rdtsc();        /* held up between the two, we take the counter for slower than it is */
    double rate = (double)(now - begin) / (MPI_Wtime() - since);
    unsigned long long end = begin + (unsigned long long)(rate * SECONDS);
    while (__rdtsc() < end)
        look();
#endif
}

static void *sets(void *unused)
{
    sleep(SECONDS);
    over = 1;
    return unused;
}

static void thread(void)
{
    pthread_t other;
    pthread_create(&other, NULL, sets, NULL);
    while (!over)
        look();
    pthread_join(other, NULL);
}

static void rings(int signal)
{
    (void)signal;
    over = 1;
}

static void handler(void)
{
    struct itimerval timer = { .it_value.tv_sec = SECONDS };
    signal(SIGALRM, rings);
    setitimer(ITIMER_REAL, &timer, NULL);
    while (!over)
        look();
}

static void file(void)
{
    int fd = mkstemp(path);
    if (fork() == 0) {
        sleep(SECONDS);
        unlink(path);
        _exit(0);
    }
    while (access(path, F_OK) == 0)
        look();
    close(fd);
}

static void shared(void)
{
    volatile int *flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                              0);
    if (fork() == 0) {
        sleep(SECONDS);
        *flag = 1;
        _exit(0);
    }
    while (!*flag)
        look();
}

static const struct { const char *name; void (*wait)(void); } kinds[] = {
    { "counts", counts }, { "counts_global", counts_global }, { "counts_heap", counts_heap },
    { "counts_window", counts_window }, { "counts_rounds", counts_rounds }, { "clocks", clocks },
    { "counter", counter }, { "thread", thread }, { "handler", handler }, { "file", file },
    { "shared", shared },
};

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &request[i]);
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (argc > 1 && !rank && !strcmp(argv[1], kinds[i].name))
            kinds[i].wait();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        MPI_Cancel(&request[i]);
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
