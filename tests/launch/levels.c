/* levels CASE [single|serialized|multiple]: what a program may do with several threads at the
 * level that it has, and what it must not. The first argument names what it does, the second the
 * level that it asks for; MPI_Init without one. */
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int rank, value;

static void receive(int tag)
{
    MPI_Recv(&value, 1, MPI_INT, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void run(void *(*what)(void *))
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, what, NULL))
        exit(9);
    pthread_join(thread, NULL);
}

/* Whether the thread, given by its process and its number, sleeps. */
static bool sleeps(const int *who)
{
    char path[64], text[256] = "", *end;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", who[0], who[1]);
    FILE *f = fopen(path, "r");
    if (!f)
        exit(7);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    end = strrchr(text, ')');
    return end && end[1] && end[2] == 'S';
}

/* Two receives at once: the main thread's begins when the other one sleeps in its own.  A thread
 * that has not come to its call yet would be one that must not call MPI, beside a main thread that
 * waits for ever: that is a standstill, and told as one. */
static sem_t runs;
static int receiver[2];

static void *receives(void *unused)
{
    receiver[0] = getpid();
    receiver[1] = (int)syscall(SYS_gettid);
    sem_post(&runs);
    receive(2);
    return unused;
}

static void at_once(void)
{
    pthread_t thread;

    sem_init(&runs, 0, 0);
    if (pthread_create(&thread, NULL, receives, NULL))
        exit(9);
    sem_wait(&runs);
    while (!sleeps(receiver))
        usleep(1000);
    receive(1);
}

/* Only another thread than the main one calls, one call after the other. */
static void *calls(void *unused)
{
    MPI_Request request;

    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&value, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &request);
        MPI_Send(&i, 1, MPI_INT, rank, 4, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return unused;
}

/* Of two ranks first 1 waits in a receive until it sleeps there, then 0: a rank whose message is
 * always there before it looks would never wait. */
static void *waits(void *unused)
{
    int me[2] = { getpid(), (int)syscall(SYS_gettid) }, peer[2];
    for (int waiting = 1; waiting >= 0; waiting--) {
        if (rank == waiting) {
            MPI_Send(me, 2, MPI_INT, !rank, 6, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, !rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(peer, 2, MPI_INT, !rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            while (!sleeps(peer))
                usleep(1000);
            MPI_Send(&value, 1, MPI_INT, !rank, 7, MPI_COMM_WORLD);
        }
    }
    return calls(unused);
}

static void elsewhere(void) { run(waits); }

/* The main thread and others take turns. */
static void in_turns(void)
{
    double begin = MPI_Wtime();

    for (int i = 0; i < 3; i++) {
        run(calls);
        calls(NULL);
    }
    double took = MPI_Wtime() - begin;
    if (took < 0 || took > 1e5) {
        fprintf(stderr, "that cannot have taken %g s\n", took);
        exit(8);
    }
}

/* Says what was provided. */
static void told(void)
{
    int provided;

    MPI_Query_thread(&provided);
    printf("%s\n", provided == MPI_THREAD_SINGLE       ? "single"
                   : provided == MPI_THREAD_FUNNELED   ? "funneled"
                   : provided == MPI_THREAD_SERIALIZED ? "serialized"
                                                       : "multiple");
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    { "at_once", at_once }, { "elsewhere", elsewhere }, { "in_turns", in_turns }, { "told", told },
};

static int level_by_name(const char *name)
{
    return strcmp(name, "multiple") == 0     ? MPI_THREAD_MULTIPLE
           : strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED
                                             : MPI_THREAD_SINGLE;
}

int main(int argc, char **argv)
{
    int provided, queried;

    if (argc > 2) {
        MPI_Init_thread(&argc, &argv, level_by_name(argv[2]), &provided);
        MPI_Query_thread(&queried);
        if (queried != provided)
            return 7;
    } else {
        MPI_Init(&argc, &argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, argv[1]) == 0) {
            cases[i].run();
            return MPI_Finalize();
        }
    return 9;
}
