/* Messages of each kind between all ranks, so that a tool has something to follow.  Rank 0 prints
 * how many there are; "ways": by those calls that have to do with messages and are not in these,
 * and prints how many; "flood N": so many between ranks 0 and 1,
 * "flood N tags": of as many tags; "beside": what is no message;
 * "late", "away", "scans": ranks that wait for each other; "poll N": so many looks for messages in
 * each rank; "last": messages that are received in MPI_Finalize; "copies N": so many
 * communicators, of which there is one at a time; "broken": a job that fails after ranks have
 * waited for each other; "again": communicators of the same ranks and tag;
 * "distant": messages late in a job. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, messages;

/* To the next rank, from the one before; each call of `exchange` is one message per rank. */
static int next(void) { return (rank + 1) % size; }
static int before(void) { return (rank + size - 1) % size; }

static void blocking(void)
{
    int in, all = size * 3;

    if (rank % 2 == 0) {
        MPI_Send(&rank, 1, MPI_INT, next(), 3, MPI_COMM_WORLD);
        MPI_Recv(&in, 1, MPI_INT, before(), MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(&rank, 1, MPI_INT, next(), 3, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(&rank, 1, MPI_INT, next(), 4, &in, 1, MPI_INT, before(), 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&in, 1, MPI_INT, next(), 5, before(), 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    messages += all;
}

/* Two of one tag, waited for in the other order; persistent ones; one by MPI_Mprobe. */
static void requests(MPI_Comm comm)
{
    static char out[2][100000], in[2][100000];
    MPI_Request r[4];
    MPI_Message message;
    MPI_Status status;
    int found = 0, self;

    MPI_Comm_rank(comm, &self);
    for (int i = 0; i < 2; i++)
        MPI_Irecv(in[i], sizeof in[i], MPI_BYTE, before(), 6, comm, &r[i]);
    for (int i = 0; i < 2; i++)
        MPI_Isend(out[i], sizeof out[i] / (unsigned)(i * 10 + 1), MPI_BYTE, next(), 6, comm,
                  &r[2 + i]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    while (!found)
        MPI_Test(&r[0], &found, MPI_STATUS_IGNORE);
    MPI_Waitall(2, r + 2, MPI_STATUSES_IGNORE);
    MPI_Send_init(out[0], 8, MPI_DOUBLE, next(), 7, comm, &r[0]);
    MPI_Recv_init(in[0], 8, MPI_DOUBLE, before(), 7, comm, &r[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Isend(&self, 1, MPI_INT, next(), 8, comm, &r[0]);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
    MPI_Mrecv(in[0], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, comm);
    messages += size * 6;
}

static void collectives(MPI_Comm comm)
{
    int one = 1, sum, *all = malloc((size_t)size * sizeof *all);

    MPI_Bcast(&one, 1, MPI_INT, 0, comm);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Gather(rank ? &one : MPI_IN_PLACE, 1, rank ? MPI_INT : MPI_DATATYPE_NULL, all, 1, MPI_INT,
               0, comm);
    MPI_Barrier(comm);
    free(all);
}

/* Ranks in the other order, so that its numbers are not the job's; and half of the ranks. */
static void others(void)
{
    MPI_Comm turned, half;
    int self, count, in;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    MPI_Comm_rank(turned, &self);
    MPI_Sendrecv(&rank, 1, MPI_INT, (self + 1) % size, 9, &in, 1, MPI_INT,
                 (self + size - 1) % size, 9, turned, MPI_STATUS_IGNORE);
    MPI_Bcast(&in, 1, MPI_INT, 0, turned);
    messages += size;
    MPI_Comm_split(turned, rank % 2, rank, &half);
    MPI_Comm_rank(half, &self);
    MPI_Comm_size(half, &count);
    MPI_Sendrecv(&rank, 1, MPI_INT, (self + 1) % count, 9, &in, 1, MPI_INT,
                 (self + count - 1) % count, 9, half, MPI_STATUS_IGNORE);
    messages += size;
    MPI_Comm_free(&half);
    MPI_Comm_free(&turned);
}

/* -- the calls that are not above */

enum { PAIRS = 2, FIRST_TAG = 20 };

/* Receives of two messages, in whatever way they are sent and waited for. */
static void post(MPI_Request *r, int *in)
{
    for (int i = 0; i < PAIRS; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, i ? MPI_ANY_SOURCE : before(), FIRST_TAG + i, MPI_COMM_WORLD,
                  &r[i]);
    MPI_Barrier(MPI_COMM_WORLD);        /* for ready sends */
    messages += size * PAIRS;
}

static void ways_to_wait(void)
{
    MPI_Request r[2 * PAIRS];
    MPI_Status status[2 * PAIRS];
    int in[PAIRS], index, found, count, indices[2 * PAIRS];

    post(r, in);
    MPI_Bsend(&rank, 1, MPI_INT, next(), FIRST_TAG, MPI_COMM_WORLD);
    MPI_Rsend(&rank, 1, MPI_INT, next(), FIRST_TAG + 1, MPI_COMM_WORLD);
    for (int i = 0; i < PAIRS; i++)
        MPI_Waitany(PAIRS, r, &index, MPI_STATUS_IGNORE);
    post(r, in);
    MPI_Issend(&rank, 1, MPI_INT, next(), FIRST_TAG, MPI_COMM_WORLD, &r[2]);
    MPI_Irsend(&rank, 1, MPI_INT, next(), FIRST_TAG + 1, MPI_COMM_WORLD, &r[3]);
    for (int i = 0; i < 2 * PAIRS; i += found)
        MPI_Testany(2 * PAIRS, r, &index, &found, status);
    post(r, in);
    MPI_Ibsend(&rank, 1, MPI_INT, next(), FIRST_TAG + 1, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&rank, 1, MPI_INT, next(), FIRST_TAG, MPI_COMM_WORLD, &r[3]);
    for (int i = 0; i < 2 * PAIRS; i += count)
        MPI_Waitsome(2 * PAIRS, r, &count, indices, MPI_STATUSES_IGNORE);
    post(r, in);
    for (int i = PAIRS; i > 0; i--)
        MPI_Send_c(&rank, 1, MPI_INT, next(), FIRST_TAG + i - 1, MPI_COMM_WORLD);
    for (int i = 0; i < PAIRS; i += count)
        MPI_Testsome(PAIRS, r, &count, indices, status);
    post(r, in);
    for (int i = PAIRS; i > 0; i--)
        MPI_Isend_c(&rank, 1, MPI_INT, next(), FIRST_TAG + i - 1, MPI_COMM_WORLD, &r[1 + i]);
    do
        MPI_Testall(2 * PAIRS, r, &found, MPI_STATUSES_IGNORE);
    while (!found);
}

/* Persistent ones, one by one; a receive that is freed takes its message all the same. */
static void ways_to_start(void)
{
    MPI_Request r[3];
    int in, again, third;

    MPI_Recv_init_c(&in, 1, MPI_INT, MPI_ANY_SOURCE, 23, MPI_COMM_WORLD, &r[0]);
    MPI_Ssend_init(&rank, 1, MPI_INT, next(), 23, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&r[0]);
        MPI_Start(&r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Irecv_c(&in, 1, MPI_INT, before(), 24, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&again, 1, MPI_INT, MPI_ANY_SOURCE, 25, MPI_COMM_WORLD, &r[1]);
    MPI_Cancel(&r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Irecv(&again, 1, MPI_INT, before(), 25, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(&third, 1, MPI_INT, before(), 25, MPI_COMM_WORLD, &r[2]);
    MPI_Cancel(&r[1]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next(), 24, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, next(), 25, MPI_COMM_WORLD);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, next(), 25, MPI_COMM_WORLD);
    MPI_Recv_c(&again, 1, MPI_INT, before(), 25, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    messages += size * 5;
}

/* Sends that are withdrawn have no arrow, and those behind them still have their own. */
static void ways_to_withdraw(void)
{
    MPI_Request r[3];
    int in[2];

    MPI_Issend(&rank, 1, MPI_INT, next(), 22, MPI_COMM_WORLD, &r[0]);
    MPI_Issend(&rank, 1, MPI_INT, next(), 22, MPI_COMM_WORLD, &r[1]);
    MPI_Ssend_init(&rank, 1, MPI_INT, next(), 22, MPI_COMM_WORLD, &r[2]);
    MPI_Start(&r[2]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Cancel(&r[2]);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    MPI_Start(&r[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&in[0], 1, MPI_INT, before(), 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&in[1], 1, MPI_INT, before(), 22, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, &r[1], MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[2]);
    messages += size * 2;
}

/* Receives that are done before the one in front of them is known to have met nothing: one is a
 * request, the other a call. */
static void ways_to_overtake(void)
{
    MPI_Request r[2];
    int in[3];

    MPI_Irecv(&in[0], 1, MPI_INT, before(), 38, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, before(), 38, MPI_COMM_WORLD, &r[1]);
    MPI_Cancel(&r[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_Send(&rank, 1, MPI_INT, next(), 38, MPI_COMM_WORLD);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Recv(&in[2], 1, MPI_INT, before(), 38, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Recv(&in[2], 1, MPI_INT, before(), 38, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    messages += size * 3;
}

static void ways_to_exchange(void)
{
    MPI_Request r;
    int in = rank;

    MPI_Isendrecv(&rank, 1, MPI_INT, next(), 26, &in, 1, MPI_INT, before(), 26, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Isendrecv_c(&rank, 1, MPI_INT, next(), 27 + rank, &in, 1, MPI_INT, MPI_ANY_SOURCE,
                    27 + before(), MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(&in, 1, MPI_INT, next(), 27 + rank, before(), 27 + before(),
                          MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace_c(&in, 1, MPI_INT, next(), 26, before(), MPI_ANY_TAG, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(&rank, 1, MPI_INT, next(), 27 + rank, &in, 1, MPI_INT, MPI_ANY_SOURCE,
                   27 + before(), MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace_c(&in, 1, MPI_INT, next(), 27 + rank, before(), 27 + before(),
                           MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&rank, 1, MPI_INT, MPI_PROC_NULL, 27, &in, 1, MPI_INT, MPI_PROC_NULL, 27,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    messages += size * 6;
}

static void ways_to_look(void)
{
    MPI_Request r;
    MPI_Message message;
    MPI_Status status;
    int in, found = 0;

    MPI_Send(&rank, 1, MPI_INT, next(), 31, MPI_COMM_WORLD);
    while (!found)
        MPI_Improbe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &found, &message, &status);
    MPI_Imrecv(&in, 1, MPI_INT, &message, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, next(), 31, MPI_COMM_WORLD);
    MPI_Mprobe(before(), 31, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv_c(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, next(), 31, MPI_COMM_WORLD);
    MPI_Probe(MPI_ANY_SOURCE, 31, MPI_COMM_WORLD, &status);
    MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    messages += size * 3;
}

/* A message to the next rank of each, and of two groups across. */
static void around(MPI_Comm comm)
{
    int self, count, in;

    MPI_Comm_rank(comm, &self);
    MPI_Comm_size(comm, &count);
    MPI_Sendrecv(&rank, 1, MPI_INT, (self + 1) % count, 32, &in, 1, MPI_INT,
                 (self + count - 1) % count, 32, comm, MPI_STATUS_IGNORE);
    messages += size;
}

static void ways_to_communicators(void)
{
    MPI_Comm comm, part, across;
    MPI_Request r;
    MPI_Group all, turned;
    int from[3] = { size - 1, 0, -1 }, in, periodic = 1;

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    around(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, &from, &turned);
    MPI_Comm_create_group(MPI_COMM_WORLD, turned, 33, &comm);
    around(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_create(MPI_COMM_WORLD, turned, &comm);
    around(comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&turned);
    MPI_Group_free(&all);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &comm);
    around(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, !(rank % 2), 34, &across);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank / 2, 35, &in, 1, MPI_INT, rank / 2, 35, across,
                 MPI_STATUS_IGNORE);
    messages += size;
    MPI_Intercomm_merge(across, rank % 2, &comm);
    around(comm);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&across);
    MPI_Comm_free(&part);
}

/* A receive whose communicator is freed before it is done, and its memory used for others. */
static void ways_to_free(void)
{
    MPI_Comm comm, other[3];
    MPI_Request r;
    int in;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Irecv(&in, 1, MPI_INT, size - 1 - before(), 36, comm, &r);
    MPI_Send(&rank, 1, MPI_INT, size - 1 - next(), 36, comm);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &other[i]);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&other[i]);
    messages += size;
}

static void ways(void)
{
    static char room[4096];
    void *buffer;
    int bytes;

    MPI_Buffer_attach(room, sizeof room);
    ways_to_wait();
    ways_to_start();
    ways_to_withdraw();
    ways_to_overtake();
    ways_to_exchange();
    ways_to_look();
    ways_to_communicators();
    ways_to_free();
    MPI_Buffer_detach(&buffer, &bytes);
}

/* What a NIC does beside its processor, several things at a time: parts of a message, in the other
 * order; memory of others that hosts reach by themselves. */
static void beside(void)
{
    enum { PARTS = 8, BYTES = 4096 };
    static char out[PARTS * BYTES], in[PARTS * BYTES];
    long one = 1, *old = calloc((size_t)size, sizeof *old);
    MPI_Request r[2];
    MPI_Win win;

    MPI_Psend_init(out, PARTS, BYTES, MPI_BYTE, next(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Precv_init(in, PARTS, BYTES, MPI_BYTE, before(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Startall(2, r);
    for (int i = PARTS; i > 0; i--)
        MPI_Pready(i - 1, r[0]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < size; i++) {
        MPI_Put(out, (i + 1) * 2000, MPI_BYTE, i, 64, (i + 1) * 2000, MPI_BYTE, win);
        MPI_Accumulate(&one, 1, MPI_LONG, i, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &old[i], MPI_LONG, i, 8, MPI_SUM, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(old);
}

/* Of one tag, or each of another. */
static void flood(long count, bool kinds)
{
    char byte = 0;

    for (long i = 0; i < count && rank < 2; i++)
        if (rank)
            MPI_Recv(&byte, 1, MPI_BYTE, 0, kinds ? (int)i : 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(&byte, 1, MPI_BYTE, 1, kinds ? (int)i : 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* KiB of memory that is this process's alone. */
static long kib(void)
{
    char line[200];
    long anonymous = -1;
    FILE *status = fopen("/proc/self/status", "r");

    while (status && fgets(line, sizeof line, status))
        sscanf(line, "RssAnon: %ld", &anonymous);
    if (status)
        fclose(status);
    return anonymous;
}

/* Prints by how much the memory has grown. */
static void copies(long count)
{
    MPI_Comm comm;
    MPI_Win win;
    long before_all = 0;

    for (long i = 0; i < count + 1000; i++) {
        if (i == 1000)
            before_all = kib();
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, comm, &win);
        MPI_Win_free(&win);
        MPI_Comm_free(&comm);
    }
    printf("%ld\n", kib() - before_all);
}

static void compute(int who, int ms)
{
    if (rank == who)
        MPIX_Compute(ms * 1e-3);
}

static void send(int from, int to, int tag)
{
    if (rank == from)
        MPI_Send(&rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void receive(int to, int from, int tag)
{
    int in;

    if (rank == to)
        MPI_Recv(&in, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Receives that are posted at once, and waited for together. */
static void receive_posted(int to, int from, int tag, int count)
{
    MPI_Request r[8];
    int in[8];

    for (int i = 0; rank == to && i < count; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, from, tag, MPI_COMM_WORLD, &r[i]);
    if (rank == to)
        MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
}

/* Of four ranks; behind each step stands when they are through with it, in ms. */
static void late(void)
{
    int one = 1, sum, all[4];

    compute(0, 10);
    send(0, 1, 1);
    receive(1, 0, 1);           /* 10 10 0 0: rank 1 has waited 10 for a sender */
    compute(3, 100);
    if (rank == 2)
        MPI_Ssend(&rank, 1, MPI_INT, 3, 2, MPI_COMM_WORLD);
    receive(3, 2, 2);           /* 10 10 100 100: rank 2 has waited 100 for a receiver */
    compute(3, 30);
    MPI_Barrier(MPI_COMM_WORLD);        /* all 130: ranks 0 and 1 have waited 120, rank 2 30 */
    compute(0, 5);
    MPI_Barrier(MPI_COMM_WORLD);        /* all 135: all but rank 0 have waited 5 */
    compute(3, 15);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* all 150: but rank 3, 15 */
    compute(1, 40);
    MPI_Bcast(&one, 1, MPI_INT, 1, MPI_COMM_WORLD);     /* all 190: all but rank 1 have waited 40 */
    compute(0, 50);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) /* 240 190 240 190: rank 2 has waited 50 */
        send(0, 1, 3);
    compute(1, 60);
    for (int i = 0; i < 3; i++)
        receive(1, 0, 3);       /* 240 250 240 190: rank 1 had 3 messages before it asked */
    compute(0, 70);
    for (int i = 0; i < 2; i++)
        send(0, 3, 4);
    receive_posted(3, 0, 4, 2); /* 310 250 240 310: rank 3 has waited 120 */
    compute(3, 80);
    MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, 3, MPI_COMM_WORLD);   /* and nobody waits */
    send(3, 2, 5);
    receive(2, 3, 5);           /* 310 250 390 390: rank 2 has waited 150 */
}

/* A receive is posted in time, and its end looked for late; a send that is waited for, and a
 * barrier that is started; of two ranks. */
static void away(void)
{
    MPI_Request r;
    int in;

    if (rank == 1)
        MPI_Irecv(&in, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    send(0, 1, 6);
    compute(1, 20);
    if (rank == 1)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Issend(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &r);
    if (rank == 0)
        MPI_Wait(&r, MPI_STATUS_IGNORE);    /* 20 for the receiver, and 10 more */
    compute(1, 10);
    receive(1, 0, 7);
    compute(1, 40);
    MPI_Ibarrier(MPI_COMM_WORLD, &r);       /* who starts it does not wait for others */
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Who comes late keeps those above him waiting, by their ranks in the communicator; of four.  Of
 * the last, which is long, the lower ranks are done before the last rank comes. */
static void scans(void)
{
    enum { MANY = 1 << 20 };
    static int in[MANY], out[MANY];
    MPI_Comm reverse;
    int sum = 0;

    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &reverse);
    MPI_Barrier(MPI_COMM_WORLD);
    compute(1, 30);
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    compute(1, 50);
    MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, reverse);
    MPI_Comm_free(&reverse);
    MPI_Barrier(MPI_COMM_WORLD);
    compute(3, 200);
    MPI_Scan(in, out, MANY, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Of two ranks: 100 ms, of which rank 0 waits 90 and rank 1 10.  What they are in when the job ends
 * has no record, and what is in front of it has. */
static void broken(void)
{
    compute(1, 90);
    send(1, 0, 1);
    receive(0, 1, 1);
    compute(0, 10);
    send(0, 1, 2);
    receive(1, 0, 2);
    send(1, 0, 3);
    receive(0, 1, 3);
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    receive(1, 0, 4);
}

/* Of two ranks: the second time it is the other one that comes late, to what takes some ms. */
static void again(void)
{
    enum { COUNT = 1 << 20 };
    double *in = calloc(COUNT, sizeof *in), *out = calloc(COUNT, sizeof *out);
    MPI_Group all;
    MPI_Comm comm;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_create_group(MPI_COMM_WORLD, all, 37, &comm);
        compute(!i, 50);
        MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, comm);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&all);
    free(in);
    free(out);
}

/* A hundred seconds after the beginning, two messages 1.5 us after each other. */
static void distant(void)
{
    compute(0, 100000);
    send(0, 1, 1);
    if (rank == 0)
        MPIX_Compute(1.5e-6);
    send(0, 1, 1);
    receive(1, 0, 1);
    receive(1, 0, 1);
}

/* For messages that nobody sends. */
static void poll(long count)
{
    int found;

    for (long i = 0; i < count; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

/* A library that tidies up when MPI_Finalize frees MPI_COMM_SELF: it waits for a receive, makes
 * another, and frees its communicator. */
static MPI_Comm tidied;
static MPI_Request open_request;
static int open_in;

static int tidy_up(MPI_Comm comm, int key, void *value, void *extra)
{
    int in;

    (void)comm, (void)key, (void)value, (void)extra;
    MPI_Wait(&open_request, MPI_STATUS_IGNORE);
    MPI_Recv(&in, 1, MPI_INT, before(), 9, tidied, MPI_STATUS_IGNORE);
    return MPI_Comm_free(&tidied);
}

static void last(void)
{
    int key;

    MPI_Comm_dup(MPI_COMM_WORLD, &tidied);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tidy_up, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Comm_free_keyval(&key);
    MPI_Irecv(&open_in, 1, MPI_INT, before(), 8, tidied, &open_request);
    MPI_Send(&rank, 1, MPI_INT, next(), 8, tidied);
    MPI_Send(&rank, 1, MPI_INT, next(), 9, tidied);
}

/* Over all that this rank has left, as a program that writes where it should not. */
static void scribble(void)
{
    char line[400], writable;
    unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "mpirun-trace")
            && sscanf(line, "%lx-%lx r%c", &from, &to, &writable) == 3 && writable == 'w') {
            memset((void *)from, 0xee, to - from);
            puts("scribbled");
        }
    if (maps)
        fclose(maps);
}

/* Requests that are done when the call that made them returns, waited for without statuses. */
static void one_sided(void)
{
    int word = 1, *base;
    MPI_Request r[2];
    MPI_Win win;
    MPI_Win_allocate(sizeof word, sizeof word, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 2; i++)
        MPI_Raccumulate(&word, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, MPI_SUM, win, &r[i]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    MPI_Comm copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2 && !strcmp(argv[1], "flood")) {
        flood(atol(argv[2]), argc > 3);
        MPI_Finalize();
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "poll")) {
        poll(atol(argv[2]));
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "beside")) {
        beside();
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "one-sided")) {
        one_sided();
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "late")) {
        late();
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "ways")) {
        ways();
        if (rank == 0)
            printf("%d\n", messages);
        MPI_Finalize();
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "copies")) {
        copies(atol(argv[2]));
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && (!strcmp(argv[1], "broken") || !strcmp(argv[1], "again"))) {
        (argv[1][0] == 'b' ? broken : again)();
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "distant")) {
        distant();
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "last")) {
        last();
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "scans")) {
        scans();
        MPI_Finalize();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[1], "away")) {
        away();
        MPI_Finalize();
        return 0;
    }
    blocking();
    requests(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    requests(copy);
    MPI_Comm_free(&copy);
    others();
    collectives(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", messages);
    MPI_Finalize();
    if (argc > 1 && !strcmp(argv[1], "scribble") && rank == 1)
        scribble();
    return argc > 1 && !strcmp(argv[1], "fail") && rank == 1 ? 3 : 0;
}
