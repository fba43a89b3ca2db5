/* A rank on one of several machines.  All talk with each other; then the argument says what the
 * last rank does while the others wait for it. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;

static void check(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d of %d: wrong: %s\n", rank, size, what);
    MPI_Abort(MPI_COMM_WORLD, 99);
}

/* -- messages */

/* To the rank so far behind, from the one so far in front, and the answer back. */
static void ping_pong(int distance, int bytes)
{
    int to = (rank + distance) % size, from = (rank + size - distance) % size;
    char *out = malloc((size_t)bytes + 1), *in = malloc((size_t)bytes + 1);
    MPI_Request request;
    MPI_Status status;
    int count;
    memset(out, rank + 1, (size_t)bytes + 1);
    MPI_Irecv(in, bytes, MPI_CHAR, from, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, bytes, MPI_CHAR, to, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    check(count == bytes && status.MPI_SOURCE == from, "the envelope");
    for (int i = 0; i < bytes; i += 100)
        check(in[i] == (char)(from + 1), "bytes that came");
    MPI_Sendrecv(in, bytes, MPI_CHAR, from, 2, out, bytes, MPI_CHAR, to, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(!bytes || out[bytes - 1] == (char)(rank + 1), "bytes that came back");
    free(in);
    free(out);
}

static void messages(void)
{
    static const int sizes[] = { 0, 8, 3000, 100000, 1500000 };
    for (int distance = 1; distance < size; distance++)
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
            ping_pong(distance, sizes[i]);
}

/* -- collectives */

static void collectives(MPI_Comm comm)
{
    enum { MANY = 5000 };
    static int out[MANY], in[MANY];
    int own, all;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &all);
    for (int turn = 0; turn < 10; turn++) {
        int root = turn % all, n = turn % 2 ? MANY : 1;
        for (int i = 0; i < n; i++)
            out[i] = own + i + turn;
        MPI_Allreduce(out, in, n, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < n; i++)
            check(in[i] == all * (all - 1) / 2 + all * (i + turn), "a sum");
        MPI_Barrier(comm);
        MPI_Bcast(out, n, MPI_INT, root, comm);
        check(out[n - 1] == root + n - 1 + turn, "a broadcast");
        MPI_Reduce(&own, in, 1, MPI_INT, MPI_MAX, root, comm);
        check(own != root || *in == all - 1, "a maximum");
        MPI_Allgather(&own, 1, MPI_INT, in, 1, MPI_INT, comm);
        for (int r = 0; r < all; r++)
            check(in[r] == r, "what all gather");
    }
}

/* -- windows */

static void windows(void)
{
    MPI_Win win;
    long *mine, one = 1, before = -1;
    int next = (rank + 1) % size;
    MPI_Win_allocate((MPI_Aint)(2 * sizeof *mine), sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &mine, &win);
    mine[0] = mine[1] = 0;
    MPI_Win_fence(0, win);
    long value = 100 + rank;
    MPI_Put(&value, 1, MPI_LONG, next, 0, 1, MPI_LONG, win);
    for (int r = 0; r < size; r++)
        MPI_Accumulate(&one, 1, MPI_LONG, r, 1, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    check(mine[0] == 100 + (rank + size - 1) % size && mine[1] == size, "a window");
    MPI_Win_fence(0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 1, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    check(before >= size && before < 2 * size, "a counter");
    MPI_Win_free(&win);
}

/* Of those that are on one machine. */
static void shared_window(MPI_Comm near)
{
    MPI_Win win;
    int own, all, unit, *mine, *theirs;
    MPI_Aint bytes;
    MPI_Comm_rank(near, &own);
    MPI_Comm_size(near, &all);
    MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, near, &mine, &win);
    MPI_Win_fence(0, win);
    *mine = own;
    MPI_Win_fence(0, win);
    MPI_Win_shared_query(win, all - 1, &bytes, &unit, &theirs);
    check(*theirs == all - 1, "shared memory");
    MPI_Win_free(&win);
}

/* -- the end */

static void wait_for_last(void)
{
    int nothing;
    MPI_Recv(&nothing, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(const char *how)
{
    if (rank < size - 1)
        wait_for_last();
    else if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 3);
    else if (!strcmp(how, "kill"))
        raise(SIGKILL);
    else if (!strcmp(how, "five"))
        _exit(5);
}

int main(int argc, char **argv)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int near_size, length;
    MPI_Comm near;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &near_size);
    MPI_Get_processor_name(host, &length);
    printf("rank %d of %d, %d near, on %s\n", rank, size, near_size, host);
    messages();
    collectives(MPI_COMM_WORLD);
    collectives(near);
    windows();
    shared_window(near);
    MPI_Comm_free(&near);
    if (argc > 1 && strcmp(argv[1], "code"))
        end(argv[1]);
    MPI_Finalize();
    return argc > 1 && rank == size - 1 ? 9 : 0;
}
