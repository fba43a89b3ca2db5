/* stream MESSAGES PACE [BYTES [WAY [AHEAD]]]: so many messages of so many bytes (8), between which
 * the sender computes for PACE nanoseconds of virtual time; who only receives stops for a while in
 * real time now and then.  Each rank says by how many KiB its memory has grown.  WAY:
 *
 *   one     rank 0 to rank 1
 *   turns   the same, then rank 1 to rank 0
 *   both    ranks 0 and 1 send to each other, and receive after each send
 *   all     all others to rank 0, which receives them in the order in which they come
 *   last    rank 0 to rank 1 by MPI_Isend, and one more, which is received first
 *   cancel  the same, but every third send is cancelled, if it has not left
 *   parts   rank 0 to rank 1 by MPI_Isend, received in four parts: behind each no more sends have
 *           ended than were received, and AHEAD
 *   unsafe  rank 0 to rank 1, which receives when both have met in a barrier
 *   bcast   broadcasts by rank 0, for which the others are late */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { STOPS_EVERY = 5000, BYTES_MOST = 4096, LAST = 1 };

static int rank, ranks, bytes = 8;
static long messages;
static double pace;
static char data[BYTES_MOST];

static long memory(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) ? 0 : u.ru_maxrss;
}

static void stop(void) { nanosleep(&(struct timespec){ .tv_nsec = 3000000 }, NULL); }

static void expect(bool is_so, const char *what)
{
    if (is_so)
        return;
    printf("rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void send(int to, long number)
{
    memcpy(data, &number, sizeof number);
    MPI_Send(data, bytes, MPI_CHAR, to, 0, MPI_COMM_WORLD);
    if (pace > 0)
        MPIX_Compute(pace);
}

/* Its number, and whom it is from. */
static long receive(int from, int *source)
{
    MPI_Status status;
    long number;
    int count;
    MPI_Recv(data, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    expect(count == bytes, "a message of another length");
    memcpy(&number, data, sizeof number);
    *source = status.MPI_SOURCE;
    return number;
}

static void stream(int from, int to, bool late)
{
    int source;
    if (late && rank == to)
        MPI_Barrier(MPI_COMM_WORLD);
    for (long i = 0; i < messages; i++) {
        if (rank == from)
            send(to, i);
        else if (rank == to)
            expect(receive(from, &source) == i, "a message out of order");
        if (rank == to && i % STOPS_EVERY == 0)
            stop();
    }
    if (late && rank == from)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(void)
{
    if (rank)
        MPIX_Compute(1);
    for (long i = 0; i < messages; i++) {
        if (!rank)
            memcpy(data, &i, sizeof i);
        MPI_Bcast(data, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
        expect(!memcmp(data, &i, sizeof i), "a broadcast out of order");
    }
}

static void exchange(void)
{
    int source;
    for (long i = 0; rank < 2 && i < messages; i++) {
        send(!rank, i);
        expect(receive(!rank, &source) == i, "a message out of order");
    }
}

static void gather(void)
{
    long *next = calloc((size_t)ranks, sizeof *next);
    int source;
    for (long i = 0; rank && i < messages; i++)
        send(0, i);
    for (long i = 0; !rank && i < messages * (ranks - 1); i++) {
        long number = receive(MPI_ANY_SOURCE, &source);
        expect(number == next[source]++, "a message out of order");
    }
    free(next);
}

/* How many of every third have been: those that still waited for room. */
static long cancel_some(MPI_Request *send)
{
    long all = 0;
    for (long i = 0; i < messages; i += 3) {
        MPI_Status status;
        int cancelled;
        MPI_Cancel(&send[i]);
        MPI_Wait(&send[i], &status);
        MPI_Test_cancelled(&status, &cancelled);
        all += cancelled;
    }
    return all;
}

static void send_many(bool cancel)
{
    MPI_Request *send_of = malloc((size_t)messages * sizeof *send_of);
    for (long i = 0; i < messages; i++)
        MPI_Isend(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &send_of[i]);
    long left = messages - (cancel ? cancel_some(send_of) : 0);
    MPI_Send(&left, 1, MPI_LONG, 1, LAST, MPI_COMM_WORLD);
    MPI_Waitall((int)messages, send_of, MPI_STATUSES_IGNORE);
    free(send_of);
}

/* As no program needs buffers for that: the last may be held, but is received. */
static void last_first(bool cancel)
{
    int source;
    long left;
    if (rank == 0)
        send_many(cancel);
    if (rank == 1) {
        MPI_Recv(&left, 1, MPI_LONG, 0, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long i = 0; i < left; i++)
            receive(0, &source);
    }
}

enum { PARTS = 4 };

static long ended_of(MPI_Request *send)
{
    long ended = 0;
    for (long i = 0; i < messages; i++) {
        int flag;
        MPI_Request_get_status(send[i], &flag, MPI_STATUS_IGNORE);
        ended += flag;
    }
    return ended;
}

static void send_parts(long ahead)
{
    MPI_Request *send_of = malloc((size_t)messages * sizeof *send_of), go[PARTS];
    for (long i = 0; i < messages; i++)
        MPI_Isend(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &send_of[i]);
    for (long part = 0; part < PARTS; part++) {
        MPI_Recv(NULL, 0, MPI_CHAR, 1, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const long received = (part + 1) * (messages / PARTS) + part;   /* the latter by `go` */
        expect(ended_of(send_of) <= ahead + received, "a send ended too early");
        MPI_Isend(NULL, 0, MPI_CHAR, 1, LAST, MPI_COMM_WORLD, &go[part]);    /* may be held, too */
    }
    MPI_Waitall(PARTS, go, MPI_STATUSES_IGNORE);
    MPI_Waitall((int)messages, send_of, MPI_STATUSES_IGNORE);
    free(send_of);
}

static void receive_parts(void)
{
    int source;
    for (long i = 1; i <= messages; i++) {
        receive(0, &source);
        if (i % (messages / PARTS))
            continue;
        MPI_Send(NULL, 0, MPI_CHAR, 0, LAST, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_CHAR, 0, LAST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    const char *way = argc > 4 ? argv[4] : "one";
    messages = argc > 2 ? atol(argv[1]) : 0;
    pace = argc > 2 ? atof(argv[2]) * 1e-9 : 0;
    bytes = argc > 3 ? atoi(argv[3]) : bytes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    expect(ranks > 1 && bytes >= (int)sizeof(long) && bytes <= BYTES_MOST, "other arguments");
    long before = memory();
    if (!strcmp(way, "both"))
        exchange();
    else if (!strcmp(way, "bcast"))
        broadcast();
    else if (!strcmp(way, "all"))
        gather();
    else if (!strcmp(way, "last") || !strcmp(way, "cancel"))
        last_first(!strcmp(way, "cancel"));
    else if (!strcmp(way, "parts") && rank == 0)
        send_parts(argc > 5 ? atol(argv[5]) : 0);
    else if (!strcmp(way, "parts"))
        receive_parts();
    else
        stream(0, 1, !strcmp(way, "unsafe"));
    if (!strcmp(way, "turns"))
        stream(1, 0, false);
    printf("rank %d: %ld\n", rank, memory() - before);
    MPI_Finalize();
    return 0;
}
