/* harmless WHICH [COMMAND]: what is right, and might be taken for a mistake by mpirun --check, or
 * come out otherwise under it.  COMMAND: for a shell, where WHICH runs one. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

enum { COUNT = 8 };
static int rank;
static const char *command;
static int data[COUNT], other[2 * COUNT + 1];

static void expect(bool holds, int which)
{
    if (holds)
        return;
    printf("expectation %d does not hold\n", which);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Nothing comes from nobody, and what is not started is not in use. */
static void idle(void)
{
    MPI_Request r[3];
    MPI_Recv_init(other, COUNT, MPI_INT, rank, 90, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(other, COUNT, MPI_INT, MPI_PROC_NULL, 91, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(other, COUNT, MPI_INT, rank, 92, MPI_COMM_WORLD, &r[2]);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    MPI_Recv_init(other, COUNT, MPI_INT, rank, 93, MPI_COMM_WORLD, &r[1]);
    MPI_Send(data, COUNT, MPI_INT, rank, 92, MPI_COMM_WORLD);
    MPI_Wait(&r[2], MPI_STATUS_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

/* What is received comes to its place, and nothing behind it is touched. */
static void received(void)
{
    const int first = 2;
    MPI_Datatype moved;
    MPI_Request r[2];
    MPI_Type_create_indexed_block(1, COUNT, &first, MPI_INT, &moved);
    MPI_Type_commit(&moved);
    MPI_Irecv(other, 1, moved, rank, 94, MPI_COMM_WORLD, &r[0]);
    MPI_Send(data, COUNT, MPI_INT, rank, 94, MPI_COMM_WORLD);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    expect(!memcmp(other + first, data, sizeof data) && !other[0] && !other[1], 1);
    expect(!other[first + COUNT], 2);
    memset(other, -1, sizeof other);
    MPI_Irecv(other, COUNT, MPI_INT, rank, 95, MPI_COMM_WORLD, &r[0]);
    MPI_Send(data, 3, MPI_INT, rank, 95, MPI_COMM_WORLD);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    expect(!memcmp(other, data, 3 * sizeof *data) && other[3] == -1 && other[COUNT - 1] == -1, 3);
    MPI_Type_free(&moved);
}

/* A short message comes to the bytes that its type names first; of them the last come first. */
static void shuffled(void)
{
    MPI_Datatype back, minus, three;
    MPI_Request r[3];
    MPI_Type_vector(4, 1, -1, MPI_INT, &back);
    MPI_Type_create_resized(MPI_INT, 0, -(MPI_Aint)sizeof(int), &minus);
    MPI_Type_contiguous(3, minus, &three);
    MPI_Type_commit(&back);
    MPI_Type_commit(&minus);
    MPI_Type_commit(&three);
    memset(other, -1, sizeof other);
    MPI_Irecv(other + 3, 1, back, rank, 85, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(other + 6, 1, three, rank, 86, MPI_COMM_WORLD, &r[1]);
    MPI_Irecv(other + 9, 3, minus, rank, 87, MPI_COMM_WORLD, &r[2]);
    for (int tag = 85; tag < 88; tag++)
        MPI_Send(data, 2, MPI_INT, rank, tag, MPI_COMM_WORLD);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    for (int i = 3; i < 10; i += 3) {
        expect(other[i] == data[0] && other[i - 1] == data[1], 4);
        expect(other[i - 2] == -1, 5);
    }
    MPI_Type_free(&back);
    MPI_Type_free(&minus);
    MPI_Type_free(&three);
}

/* As many bytes as from the first to the last, but one is there twice, and another one is none. */
static void beside(void)
{
    MPI_Datatype type;
    MPI_Request r;
    MPI_Type_create_indexed_block(3, 1, (int[]){ 0, 0, 2 }, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Isend(data, 1, type, rank, 88, MPI_COMM_WORLD, &r);
    data[1]++;
    MPI_Recv(other, 3, MPI_INT, rank, 88, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    expect(other[0] == 1 && other[1] == 1 && other[2] == 3, 6);
    MPI_Type_free(&type);
}

/* A type whose parts were made with large counts, which the plain calls about types refuse. */
static void nested(void)
{
    MPI_Datatype row, rows, all;
    MPI_Type_contiguous_c(2, MPI_INT, &row);
    MPI_Type_vector(2, 1, 2, row, &rows);
    MPI_Type_create_struct(1, (int[]){ 1 }, (MPI_Aint[]){ 0 }, &rows, &all);
    MPI_Type_commit(&all);
    MPI_Sendrecv(data, 1, all, rank, 89, other, 4, MPI_INT, rank, 89, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(other[1] == data[1] && other[2] == data[4] && other[3] == data[5], 74);
    MPI_Type_free(&row);
    MPI_Type_free(&rows);
    MPI_Type_free(&all);
}

/* Who is told that it is there, and has the request yet, has the data as well. */
static void asked(void)
{
    MPI_Request r[2];
    MPI_Status status[2];
    int there, index, many, indices[2];
    for (int how = 0; how < 4; how++) {
        memset(other, 0, sizeof other);
        for (int i = 0; i < 2; i++)
            MPI_Irecv(other + i, 1, MPI_INT, rank, 96 + i, MPI_COMM_WORLD, &r[i]);
        for (int i = 0; i < 2; i++)
            MPI_Send(data + i, 1, MPI_INT, rank, 96 + i, MPI_COMM_WORLD);
        for (there = 0; how == 0 && !there;)
            MPI_Request_get_status(r[0], &there, status);
        for (there = 0; how == 1 && !there;)
            MPI_Request_get_status_all(2, r, &there, status);
        for (there = 0; how == 2 && !there;)
            MPI_Request_get_status_any(2, r, &index, &there, status);
        for (many = 0; how == 3 && !many;)
            MPI_Request_get_status_some(2, r, &many, indices, status);
        index = how == 2 ? index : how == 3 ? indices[0] : 0;
        expect(other[index] == data[index] && (how != 1 || other[1] == data[1]), 10 + how);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        expect(other[0] == data[0] && other[1] == data[1], 14 + how);
    }
}

/* So many that there is no room for them without asking for memory, to the one. */
static void several(void)
{
    enum { MOST = 40 };
    MPI_Request r[2 * MOST];
    int out[MOST], in[MOST];
    for (int count = 7; count <= MOST; count += count < 10 ? 1 : 10) {
        for (int i = 0; i < count; i++) {
            out[i] = in[i] = count + i;
            MPI_Irecv(&in[i], 1, MPI_INT, rank, 100 + i, MPI_COMM_WORLD, &r[i]);
            MPI_Isend(&out[i], 1, MPI_INT, rank, 100 + i, MPI_COMM_WORLD, &r[count + i]);
        }
        MPI_Waitall(2 * count, r, MPI_STATUSES_IGNORE);
        expect(in[0] == count && in[count - 1] == 2 * count - 1, 20);
    }
    for (int count = 15; count < 20; count++) {
        for (int i = 0; i < count; i++)
            MPI_Irecv(&in[i], 1, MPI_INT, rank, 100 + i, MPI_COMM_WORLD, &r[i]);
        for (int i = 0; i < count; i++)
            MPI_Send(&out[i], 1, MPI_INT, rank, 100 + i, MPI_COMM_WORLD);
        MPI_Waitall(count, r, MPI_STATUSES_IGNORE);
        expect(in[0] == out[0] && in[count - 1] == out[count - 1], 21);
    }
}

/* An error is that of the request where its status is ignored. */
static void errors(void)
{
    MPI_Request r[2];
    MPI_Status status[2];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int how = 0; how < 2; how++) {
        int code, class;
        for (int i = 0; i < 2; i++)
            MPI_Irecv(other + i * COUNT, i ? 1 : 2, MPI_INT, rank, 98 + i, MPI_COMM_WORLD, &r[i]);
        for (int i = 0; i < 2; i++)
            MPI_Send(data, 2, MPI_INT, rank, 98 + i, MPI_COMM_WORLD);
        code = MPI_Waitall(2, r, how ? status : MPI_STATUSES_IGNORE);
        MPI_Error_class(code, &class);
        expect(class == (how ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE), 30 + how);
        expect(!how || (status[0].MPI_ERROR == MPI_SUCCESS && status[1].MPI_ERROR), 32);
    }
}

/* One that has failed for the root alone, and one that its error handler has left: what comes
 * behind is not taken for them. */
static jmp_buf place;

static void leaves(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(place, 1);
}

static void failed_collective(void)
{
    int code;
    MPI_Errhandler handler;
    MPI_Comm comm;
    MPI_Comm_create_errhandler(leaves, &handler);
    for (int how = 0; how < 2; how++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, how ? handler : MPI_ERRORS_RETURN);
        if (!how || !setjmp(place)) {
            code = MPI_Gather(data, 2 - rank, MPI_INT, other, 2, MPI_INT, 0, comm);
            expect(!code == (rank > 0), 40 + how);
        }
        MPI_Bcast(data, 1, MPI_INT, 0, comm);
        MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, comm);
        MPI_Comm_free(&comm);
    }
    MPI_Errhandler_free(&handler);
}

/* Those that a refused call has not ended go on, and those that it has are done. */
static void refused(void)
{
    MPI_Request r[3], stale = (MPI_Request)0x123;
    int there;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int how = 0; how < 2; how++) {
        memset(other, -1, sizeof other);
        MPI_Recv_init(other, 1, MPI_INT, rank, 82, MPI_COMM_WORLD, &r[0]);
        MPI_Start(&r[0]);
        MPI_Send(data, 1, MPI_INT, rank, 82, MPI_COMM_WORLD);
        MPI_Irecv(other + 1, 1, MPI_INT, rank, 83, MPI_COMM_WORLD, &r[2]);
        r[1] = stale;
        if (how)
            expect(MPI_Waitall(3, r, MPI_STATUSES_IGNORE) != MPI_SUCCESS && *other == 1, 33);
        else
            expect(MPI_Testall(3, r, &there, MPI_STATUSES_IGNORE) != MPI_SUCCESS, 34);
        MPI_Send(data + 1, 1, MPI_INT, rank, 83, MPI_COMM_WORLD);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        MPI_Wait(&r[2], MPI_STATUS_IGNORE);
        expect(other[0] == 1 && other[1] == 2, 35 + how);
        MPI_Request_free(&r[0]);
    }
}

/* What was started before one that cannot be. */
static void started(void)
{
    MPI_Request r[3];
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++)
        MPI_Recv_init(other + i, 1, MPI_INT, rank, 79 + i, MPI_COMM_WORLD, &r[i]);
    MPI_Start(&r[1]);
    expect(MPI_Startall(3, r) != MPI_SUCCESS, 37);
    MPI_Start(&r[2]);
    for (int i = 0; i < 3; i++)
        MPI_Send(data + i, 1, MPI_INT, rank, 79 + i, MPI_COMM_WORLD);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 3; i++) {
        expect(other[i] == data[i], 38);
        MPI_Request_free(&r[i]);
    }
}

/* The clocks of the C library tell what they tell without the checks. */
static void clocks(void)
{
    struct timespec before, after;
    struct timeval between, *volatile none = NULL;
    struct timezone zone = { 7, 7 };
    time_t seconds, same;
    clock_gettime(CLOCK_REALTIME_COARSE, &before);
    same = time(&seconds);
    gettimeofday(&between, NULL);
    clock_gettime(CLOCK_REALTIME, &after);
    expect(seconds == same && seconds >= before.tv_sec && seconds <= after.tv_sec, 40);
    expect(!gettimeofday(none, &zone) && !zone.tz_minuteswest && !zone.tz_dsttime, 43);
    expect(between.tv_usec >= 0 && between.tv_usec < 1000000, 41);
    expect(between.tv_sec < after.tv_sec
           || (between.tv_sec == after.tv_sec && between.tv_usec <= after.tv_nsec / 1000), 42);
}

/* Operations of the program: their handles differ between ranks. */
static void adds(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void operation(void)
{
    MPI_Op op, more[2];
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2 && !rank; i++)
        MPI_Op_create(adds, 1, &more[i]);
    MPI_Op_create(adds, 1, &op);
    MPI_Allreduce(data, other, 1, MPI_INT, op, MPI_COMM_WORLD);
    expect(other[0] == size * data[0], 50);
    MPI_Op_free(&op);
    for (int i = 0; i < 2 && !rank; i++)
        MPI_Op_free(&more[i]);
}

/* A server that looks for two kinds of messages by turns, and a client that comes when a loop
 * without end would have been found, with one of them. */
static void serve_by_turns(int tag)
{
    MPI_Status status;
    int one = 0, two = 0;
    if (rank > 1)
        return;
    if (rank == 1) {
        nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 500000000 }, NULL);
        MPI_Send(data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        MPI_Recv(other, 1, MPI_INT, 0, 76, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    while (!one && !two) {
        MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &one, &status);
        if (!one)
            MPI_Iprobe(MPI_ANY_SOURCE, 78, MPI_COMM_WORLD, &two, &status);
    }
    expect(one == (tag == 77) && two == (tag == 78), 60);
    MPI_Recv(other, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(other, 1, MPI_INT, 1, 76, MPI_COMM_WORLD);
}

static void turns_first(void) { serve_by_turns(77); }
static void turns_second(void) { serve_by_turns(78); }

/* A loop that ends when another rank has written to this one's window. */
static void until_put(void)
{
    const int one = 1;
    int *cell, there;
    MPI_Win win;
    MPI_Win_allocate(sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
    *cell = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 500000000 }, NULL);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    while (!rank && !*(volatile int *)cell)
        MPI_Iprobe(MPI_ANY_SOURCE, 75, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
}

/* More than are followed, of which rank 0 meets the limit in another call than the others. */
static void many_collectives(void)
{
    enum { LIMIT = 1 << 14 };
    if (!rank)
        MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    for (int i = 0; i < LIMIT / 2 + 100; i++) {
        MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* What comes on a communicator that one of its ranks could not free. */
static int refuse(MPI_Comm comm, int key, void *value, void *extra)
{
    static int times;
    (void)comm, (void)key, (void)value, (void)extra;
    return rank == 1 && !times++ ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void kept(void)
{
    MPI_Comm dup;
    int key;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
    MPI_Comm_set_attr(dup, key, &key);
    if (!rank)
        MPI_Send(data, 1, MPI_INT, 1, 74, dup);
    expect((rank == 1) == (MPI_Comm_free(&dup) != MPI_SUCCESS), 70);
    if (rank == 1) {
        MPI_Recv(other, 1, MPI_INT, 0, 74, dup, MPI_STATUS_IGNORE);
        MPI_Comm_free(&dup);
    }
    MPI_Comm_free_keyval(&key);
}

/* Persistent requests outlive the handles of their communicator and their type. */
static void outlived(void)
{
    MPI_Comm dup;
    MPI_Datatype type;
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (rank == 1)
        MPI_Recv_init(other, 1, type, 0, 73, dup, &r);
    for (int i = 0; !rank && i < 2; i++)
        MPI_Send(data, 1, type, 1, 73, dup);
    MPI_Type_free(&type);
    MPI_Comm_free(&dup);
    for (int i = 0; rank == 1 && i < 2; i++) {
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        expect(!memcmp(other, data, 2 * sizeof *data), 71);
    }
    if (r != MPI_REQUEST_NULL)
        MPI_Request_free(&r);
}

/* In KiB; not by getrusage, which counts each processor's part only now and then.  0: unknown. */
static long memory(void)
{
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    char line[200];
    long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Rss: %ld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

/* More than are followed: no more memory is taken then, and nothing is said that is not so. */
static void many_communicators(void)
{
    long before = 0;
    MPI_Comm dup;
    for (int i = 0; i < 60000; i++) {
        if (i == 20000)
            before = memory();
        MPI_Comm_dup(MPI_COMM_SELF, &dup);
        MPI_Comm_free(&dup);
    }
    expect(memory() < before + 4096, 73);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        if (!rank)
            MPI_Send(data, 1, MPI_INT, 1, 72, dup);
        else if (rank == 1)
            MPI_Recv(other, 1, MPI_INT, 0, 72, dup, MPI_STATUS_IGNORE);
        MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, dup);
        MPI_Comm_free(&dup);
    }
}

/* A handler that does not come back: the call is over all the same, for other threads as well. */
static jmp_buf before_error;

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(before_error, 1);
}

static void *asks_size(void *size)
{
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return NULL;
}

static void left(void)
{
    MPI_Errhandler handler;
    pthread_t it;
    int size;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (volatile int i = 0; i < 3; i++)
        if (!setjmp(before_error))
            MPI_Send(data, 1, MPI_INT, 1000, 71, MPI_COMM_WORLD);
    pthread_create(&it, NULL, asks_size, &size);
    pthread_join(it, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

/* A program with a mistake, which is no rank: that is said of it, and not of the rank. */
static void child(void)
{
    int status = rank == 1 ? system(command) : -1;
    expect(rank != 1 || (WIFEXITED(status) && WEXITSTATUS(status) == 1), 72);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Any thread may ask these, at any time. */
static void *asks_level(void *handler)
{
    int flag, level, class, code;
    MPI_Initialized(&flag);
    MPI_Finalized(&flag);
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&flag);
    MPI_Abi_get_version(&level, &flag);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "none");
    MPI_Remove_error_string(code);
    MPI_Remove_error_code(code);
    MPI_Remove_error_class(class);
    MPI_Errhandler_free(handler);
    return NULL;
}

static void ignore(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; }

static void thread(void)
{
    MPI_Errhandler handler;
    pthread_t it;
    MPI_Comm_create_errhandler(ignore, &handler);
    pthread_create(&it, NULL, asks_level, &handler);
    pthread_join(it, NULL);
}

/* What a probe has taken out is nowhere else: which receive it goes to is not followed. */
static void taken(void)
{
    for (int way = 0; way < 3; way++) {
        MPI_Message m = MPI_MESSAGE_NULL;
        MPI_Request r = MPI_REQUEST_NULL;
        MPI_Comm dup;
        int there = way == 0;
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        MPI_Isend(data, COUNT, MPI_INT, rank, 96, dup, &r);
        if (there)
            MPI_Mprobe(MPI_ANY_SOURCE, 96, dup, &m, MPI_STATUS_IGNORE);
        while (!there)
            MPI_Improbe(MPI_ANY_SOURCE, 96, dup, &there, &m, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        if (way < 2)
            MPI_Mrecv(other, COUNT, MPI_INT, &m, MPI_STATUS_IGNORE);
        else
            MPI_Imrecv(other, COUNT, MPI_INT, &m, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        MPI_Comm_free(&dup);
    }
}

/* A send that was cancelled comes nowhere, unless that was too late. */
static void withdrawn(void)
{
    MPI_Request r;
    MPI_Status status;
    int mine, theirs;
    MPI_Issend(data, COUNT, MPI_INT, 1 - rank, 84, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, &status);
    MPI_Test_cancelled(&status, &mine);
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 70, &theirs, 1, MPI_INT, 1 - rank, 70,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!theirs)
        MPI_Recv(other, COUNT, MPI_INT, 1 - rank, 84, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Of a type with three parts only two have come. */
static void in_part(void)
{
    const MPI_Datatype parts[] = { MPI_INT, MPI_FLOAT, MPI_INT };
    const MPI_Aint at[] = { 0, 4, 8 };
    MPI_Datatype pair, triple;
    MPI_Type_create_struct(2, (int[]){ 1, 1 }, at, parts, &pair);
    MPI_Type_create_struct(3, (int[]){ 1, 1, 1 }, at, parts, &triple);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&triple);
    MPI_Sendrecv(data, 1, pair, rank, 69, other, 1, triple, rank, 69, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&pair);
    MPI_Type_free(&triple);
}

/* A second thread that calls when the first has sent and received, and has more under way. */
static void exchange(MPI_Comm comm, int *in)
{
    MPI_Request r[2];
    MPI_Comm dup;
    for (int i = 0; i < 200; i++) {
        MPI_Irecv(in, COUNT, MPI_INT, 1 - rank, i, comm, &r[0]);
        MPI_Isend(data, COUNT, MPI_INT, 1 - rank, i, comm, &r[1]);
        if (i % 2)
            MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        for (int done = 0; i % 2 == 0 && !done;)
            MPI_Testall(2, r, &done, MPI_STATUSES_IGNORE);
        expect(in[COUNT - 1] == COUNT, 80);
        in[COUNT - 1] = 0;
        MPI_Comm_dup(MPI_COMM_SELF, &dup);
        MPI_Comm_free(&dup);
    }
}

static void *exchanges(void *comm)
{
    int in[COUNT];
    exchange(*(MPI_Comm *)comm, in);
    return NULL;
}

static void second_thread(void)
{
    MPI_Request early, sent, again;
    MPI_Comm dup;
    pthread_t it;
    int in[COUNT] = { 0 };
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    exchange(MPI_COMM_WORLD, other);
    MPI_Irecv(in, COUNT, MPI_INT, 1 - rank, 997, MPI_COMM_WORLD, &early);
    MPI_Recv_init(&other[COUNT], COUNT, MPI_INT, 1 - rank, 998, MPI_COMM_WORLD, &again);
    MPI_Start(&again);
    MPI_Isend(data, COUNT, MPI_INT, 1 - rank, 999, MPI_COMM_WORLD, &sent);
    pthread_create(&it, NULL, exchanges, &dup);
    exchange(MPI_COMM_WORLD, other);
    MPI_Send(data, COUNT, MPI_INT, 1 - rank, 997, MPI_COMM_WORLD);
    MPI_Send(data, COUNT, MPI_INT, 1 - rank, 998, MPI_COMM_WORLD);
    pthread_join(it, NULL);
    MPI_Wait(&early, MPI_STATUS_IGNORE);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    expect(in[COUNT - 1] == COUNT && other[2 * COUNT - 1] == COUNT, 81);
    MPI_Request_free(&again);
    MPI_Recv(in, COUNT, MPI_INT, 1 - rank, 999, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Comm_free(&dup);
}

static const struct { const char *name; void (*run)(void); } cases[] = {
    { "second_thread", second_thread },
    { "idle", idle }, { "received", received }, { "asked", asked }, { "several", several },
    { "errors", errors }, { "clocks", clocks }, { "thread", thread },
    { "operation", operation }, { "shuffled", shuffled }, { "beside", beside },
    { "nested", nested },
    { "refused", refused }, { "started", started },
    { "failed_collective", failed_collective },
    { "turns_first", turns_first }, { "turns_second", turns_second },
    { "until_put", until_put }, { "many_collectives", many_collectives },
    { "kept", kept }, { "outlived", outlived }, { "child", child },
    { "many_communicators", many_communicators }, { "left", left }, { "taken", taken },
    { "withdrawn", withdrawn }, { "in_part", in_part },
};

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int level = !strcmp(which, "left") ? MPI_THREAD_SERIALIZED
                : !strcmp(which, "second_thread") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;

    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < COUNT; i++)
        data[i] = i + 1;
    command = argc > 2 ? argv[2] : "false";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && !strcmp(cases[i].name, argv[1]))
            cases[i].run();
    MPI_Finalize();
    return 0;
}
