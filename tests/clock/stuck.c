/* stuck HOW: jobs of the model clock that cannot go on, or end too soon, each in its way. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static char word[100000];

static void receive(int from, int tag)
{
    MPI_Recv(word, 1, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Some messages first, so that there is something to log. */
static void exchange(void)
{
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv(word, 100, MPI_CHAR, (rank + 1) % size, 1, word + 1000, 100, MPI_CHAR,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* The others have gone. */
static void finalized(void)
{
    if (!rank)
        receive(1, 21);
}

static void collectives(void)
{
    if (rank)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        receive(1, 22);
}

static void roots(void) { MPI_Bcast(word, 50000, MPI_CHAR, rank, MPI_COMM_WORLD); }

static void probe(void)
{
    MPI_Status s;
    if (!rank)
        MPI_Probe(MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, &s);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void send(void) { MPI_Ssend(word, 1, MPI_CHAR, (rank + 1) % size, 24, MPI_COMM_WORLD); }

static void some(void)
{
    MPI_Request r[2];
    int which;
    MPI_Irecv(word, 1, MPI_CHAR, (rank + 1) % size, 25, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(word + 1, 1, MPI_CHAR, MPI_ANY_SOURCE, 26, MPI_COMM_WORLD, &r[1]);
    MPI_Waitany(2, r, &which, MPI_STATUS_IGNORE);
}

/* No standstill: its time goes on.  Says when it is in the loop. */
static void poll(void)
{
    MPI_Request r;
    int flag = 0;
    MPI_Irecv(word, 1, MPI_CHAR, (rank + 1) % size, 27, MPI_COMM_WORLD, &r);
    for (long turn = 0; !flag; turn++) {
        if (turn == 1000) {
            puts("polls");
            fflush(stdout);
        }
        MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    }
}

static void last_one(void (*end)(void))
{
    if (rank == size - 1)
        end();
    receive((rank + 1) % size, 28);
}

static void leave_now(void) { _exit(0); }
static void fail_now(void) { _exit(5); }
static void kill_now(void) { raise(SIGKILL); }
static void fault_now(void) { raise(SIGSEGV); }
static void abort_now(void) { MPI_Abort(MPI_COMM_WORLD, 9); }
static void leave(void) { last_one(leave_now); }
static void fail(void) { last_one(fail_now); }
static void killed(void) { last_one(kill_now); }
static void fault(void) { last_one(fault_now); }
static void aborted(void) { last_one(abort_now); }

static void *call(void *argument)
{
    MPI_Comm *comm = argument;
    for (;;)
        MPI_Barrier(*comm);
    return NULL;
}

/* Sooner or later both are inside. */
static void threads(void)
{
    pthread_t other;
    MPI_Comm comm[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    pthread_create(&other, NULL, call, &comm[0]);
    call(&comm[1]);
}

static void nothing(void) { }

static const struct { const char *name; void (*run)(void); } ways[] = {
    { "finalized", finalized }, { "collectives", collectives }, { "roots", roots },
    { "probe", probe }, { "send", send }, { "some", some }, { "poll", poll },
    { "leave", leave }, { "fail", fail }, { "killed", killed }, { "fault", fault },
    { "aborted", aborted }, { "threads", threads }, { "nothing", nothing },
};

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, argc > 1 && !strcmp(argv[1], "threads") ? MPI_THREAD_MULTIPLE
                    : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchange();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && !strcmp(argv[1], ways[i].name))
            ways[i].run();
    return MPI_Finalize();
}
