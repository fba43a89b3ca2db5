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

/* -- off the net */

/* Whoever has started this may go on: what is to happen happens now. */
static void say_ready(const char *file)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        fclose(fopen(file, "w"));
}

/* The first message to another machine, while that is off the net. */
static void first_message(const char *file)
{
    int value = rank, other = -1;
    fclose(fopen(file, "a"));
    usleep(700 * 1000);
    MPI_Sendrecv(&value, 1, MPI_INT, size - 1 - rank, 3, &other, 1, MPI_INT, size - 1 - rank, 3,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(other == size - 1 - rank, "the first message");
    messages();
}

/* Messages go on for so long; all come, in order. */
static void survive(const char *file, double seconds)
{
    double end = MPI_Wtime() + seconds;
    int more = 1;
    say_ready(file);
    for (int turn = 0; more; turn++) {
        int in = -1, to = (rank + 1) % size, from = (rank + size - 1) % size;
        MPI_Sendrecv(&turn, 1, MPI_INT, to, 3, &in, 1, MPI_INT, from, 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        check(in == turn, "what came behind an outage");
        if (turn % 50 == 0)
            ping_pong(1, 100000);
        more = MPI_Wtime() < end;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* FILE.RANK: this rank has lost another. */
static void say_lost(const char *file)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", file, rank);
    FILE *f = fopen(name, "w");
    if (f)
        fclose(f);
}

static void aborted(int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    if (class != MPI_ERR_PROC_ABORTED)
        fprintf(stderr, "rank %d: %s: %s\n", rank, call, text);
    check(class == MPI_ERR_PROC_ABORTED, call);
}

/* Rank 0 is so far ahead of the last one that this keeps no more of it, and never asks for it. */
static void run_ahead(void)
{
    enum { CALLS = 2000 };
    int ends = rank == 0 || rank == size - 1, nothing = 0;
    MPI_Request request;
    MPI_Comm two;
    MPI_Comm_split(MPI_COMM_WORLD, ends, rank, &two);
    for (int i = 0; rank == 0 && i < CALLS; i++) {
        MPI_Ibcast(&nothing, 1, MPI_INT, 0, two, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The last rank's machine goes, with rank 0 and others waiting for it in all ways.  They go on
 * without it. */
static void lose(const char *file)
{
    static char large[1500000];
    int last = size - 1, first[1][3] = { { 0, last - 1, 1 } }, sum = 0;
    MPI_Request request[2];
    MPI_Status status;
    MPI_Group all, left;
    MPI_Comm others;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    run_ahead();
    say_ready(file);
    if (rank == last) {
        aborted(MPI_Recv(large, 1, MPI_CHAR, 0, 4, MPI_COMM_WORLD, &status), "MPI_Recv");
        say_lost(file);
        return;
    }
    MPI_Irecv(large, 1, MPI_CHAR, last, 5, MPI_COMM_WORLD, &request[0]);
    aborted(MPI_Recv(large, 1, MPI_CHAR, last, 4, MPI_COMM_WORLD, &status), "MPI_Recv");
    say_lost(file);
    aborted(MPI_Wait(&request[0], &status), "MPI_Wait");
    aborted(MPI_Send(large, sizeof large, MPI_CHAR, last, 4, MPI_COMM_WORLD), "MPI_Send");
    MPI_Isend(large, sizeof large, MPI_CHAR, last, 4, MPI_COMM_WORLD, &request[0]);
    MPI_Issend(large, 1, MPI_CHAR, last, 4, MPI_COMM_WORLD, &request[1]);
    aborted(MPI_Wait(&request[1], &status), "MPI_Wait");
    aborted(MPI_Wait(&request[0], &status), "MPI_Wait");
    aborted(MPI_Probe(last, 4, MPI_COMM_WORLD, &status), "MPI_Probe");
    aborted(MPI_Recv(large, 1, MPI_CHAR, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &status), "MPI_Recv");
    aborted(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
    aborted(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), "MPI_Allreduce");
    aborted(MPI_Allreduce(large, large + sizeof large / 2, 10000, MPI_INT, MPI_SUM,
                          MPI_COMM_WORLD), "MPI_Allreduce");
    aborted(MPI_Ibarrier(MPI_COMM_WORLD, &request[0]) ? MPI_ERR_OTHER
            : MPI_Wait(&request[0], &status), "MPI_Ibarrier");
    aborted(MPI_Comm_dup(MPI_COMM_WORLD, &others), "MPI_Comm_dup");

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_range_incl(all, 1, first, &left);
    check(!MPI_Comm_create_group(MPI_COMM_WORLD, left, 7, &others), "MPI_Comm_create_group");
    collectives(others);
    MPI_Comm_free(&others);
    MPI_Group_free(&left);
    MPI_Group_free(&all);
    printf("rank %d goes on\n", rank);
}

/* The others lock a window of a rank that goes. */
static void lose_window(const char *file)
{
    int *mine, value = 1;
    MPI_Win win;
    MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    say_ready(file);
    for (;;) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win);
        MPI_Put(&value, 1, MPI_INT, size - 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(size - 1, win);
    }
}

static MPI_Group last_alone(MPI_Win win)
{
    int last = size - 1;
    MPI_Group all, one;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &last, &one);
    MPI_Group_free(&all);
    return one;
}

/* The last rank's machine goes while it has a lock, and all others wait for it in all ways that
 * windows have. */
static void lose_windows(const char *file)
{
    enum { LOCK, FENCE, POST, OPERATE, WINDOWS };
    long mine[WINDOWS] = { 0 }, value = 1, old = 0;
    int last = size - 1, code, done;
    MPI_Win win[WINDOWS];
    MPI_Request request;
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_create(&mine[i], sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD,
                       &win[i]);
        MPI_Win_set_errhandler(win[i], MPI_ERRORS_RETURN);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == last)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win[LOCK]);
    MPI_Win_fence(0, win[FENCE]);
    MPI_Win_lock_all(0, win[OPERATE]);
    say_ready(file);
    if (rank == last) {
        aborted(MPI_Recv(&old, 1, MPI_LONG, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE), "MPI_Recv");
        say_lost(file);
        return;
    }
    do {
        MPI_Rput(&value, 1, MPI_LONG, last, 0, 1, MPI_LONG, win[OPERATE], &request);
        MPI_Put(&value, 1, MPI_LONG, last, 0, 1, MPI_LONG, win[OPERATE]);
        code = MPI_Win_flush(last, win[OPERATE]);
        MPI_Wait(&request, MPI_STATUS_IGNORE);      /* that may have ended in time */
    } while (!code);
    aborted(code, "MPI_Win_flush");
    say_lost(file);
    done = MPI_Rput(&value, 1, MPI_LONG, last, 0, 1, MPI_LONG, win[OPERATE], &request);
    aborted(done ? done : MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait of MPI_Rput");
    aborted(MPI_Fetch_and_op(&value, &old, MPI_LONG, last, 0, MPI_SUM, win[OPERATE]),
            "MPI_Fetch_and_op");
    aborted(MPI_Accumulate(&value, 1, MPI_LONG, last, 0, 1, MPI_LONG, MPI_SUM, win[OPERATE]),
            "MPI_Accumulate");
    check(!MPI_Fetch_and_op(&value, &old, MPI_LONG, 0, 0, MPI_SUM, win[OPERATE])
          && !MPI_Win_flush(0, win[OPERATE]), "a window's other ranks");
    aborted(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win[LOCK]), "MPI_Win_lock");
    aborted(MPI_Win_fence(0, win[FENCE]), "MPI_Win_fence");
    MPI_Group group = last_alone(win[POST]);
    MPI_Win_post(group, 0, win[POST]);
    aborted(MPI_Win_start(group, 0, win[POST]), "MPI_Win_start");
    aborted(MPI_Win_wait(win[POST]), "MPI_Win_wait");
    MPI_Group_free(&group);
    printf("rank %d goes on\n", rank);
}

/* The last rank ends with a lock, in place of a fence, or in an epoch of its own. */
static void end_in(const char *how)
{
    long mine = 0;
    MPI_Win win;
    MPI_Win_create(&mine, sizeof mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Group group = last_alone(win);
    if (rank == size - 1 && !strcmp(how, "held"))
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        _exit(5);
    if (!strcmp(how, "held"))
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    else if (!strcmp(how, "fence"))
        MPI_Win_fence(0, win);
    else
        MPI_Win_start(group, 0, win);
}

/* -- the end */

static void wait_for_last(void)
{
    int nothing;
    MPI_Recv(&nothing, 1, MPI_INT, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(const char *how, const char *file)
{
    if (!strcmp(how, "survive"))
        survive(file, 3);
    else if (!strcmp(how, "lose"))
        lose(file);
    else if (!strcmp(how, "window"))
        lose_window(file);
    else if (!strcmp(how, "windows"))
        lose_windows(file);
    else if (!strcmp(how, "held") || !strcmp(how, "fence") || !strcmp(how, "epoch"))
        end_in(how);
    else if (rank < size - 1)
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
    if (argc > 2 && !strcmp(argv[1], "first")) {
        first_message(argv[2]);
        MPI_Finalize();
        return 0;
    }
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
        end(argv[1], argc > 2 ? argv[2] : "");
    MPI_Finalize();
    return argc > 1 && !strcmp(argv[1], "code") && rank == size - 1 ? 9 : 0;
}
