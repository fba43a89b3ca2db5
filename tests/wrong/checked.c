/* checked WHICH [right|LEVEL [CODE]]: mistakes that do no harm on this machine today, which mpirun
 * --check names; with "right" the same without the mistake, of which nothing is to be said.  LEVEL:
 * what threads may do; CODE: ends with that exit code. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 8 };
static int rank, size, last;
static bool right;
static int data[COUNT], other[2 * COUNT + 1];

static void lost(void)
{
    if (rank == 0)
        MPI_Send(data, COUNT, MPI_INT, last, 11, MPI_COMM_WORLD);
    if (right && rank == last)
        MPI_Recv(other, COUNT, MPI_INT, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void lost_of_many(void)
{
    for (int i = 0; i < 3; i++)
        if (rank == last)
            MPI_Bsend(data, 0, MPI_INT, 0, 12, MPI_COMM_WORLD);
    for (int i = 0; i < (right ? 3 : 1); i++)
        if (rank == 0)
            MPI_Recv(other, 0, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* The first that was sent, and not the first by its tag; of what nothing more is known. */
static void lost_two_tags(void)
{
    for (int tag = 54; tag > 52; tag--)
        if (rank == last)
            MPI_Bsend(data, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    for (int tag = 53; right && !rank && tag < 55; tag++)
        MPI_Recv(other, 1, MPI_INT, last, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Behind a receive that was cancelled, and has got nothing. */
static void lost_behind(void)
{
    MPI_Request r;
    MPI_Irecv(other, 1, MPI_INT, 0, 59, MPI_COMM_WORLD, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Send(data, 1, MPI_INT, last, 59, MPI_COMM_WORLD);
    for (int i = 0; rank == last && i < 1 + right; i++)
        MPI_Recv(other, 1, MPI_INT, 0, 59, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void lost_of_type(MPI_Datatype type, int count, int tag)
{
    if (rank == 0)
        MPI_Send(data, count, type, last, tag, MPI_COMM_WORLD);
    if (right && rank == last)
        MPI_Recv(other, count, type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void lost_bytes(void) { lost_of_type(MPI_BYTE, 3, 55); }
static void lost_nothing(void) { lost_of_type(MPI_INT, 0, 56); }

static void mismatch(void)
{
    float real[COUNT] = { 0 };
    if (rank == 0)
        MPI_Send(data, COUNT, MPI_INT, last, 13, MPI_COMM_WORLD);
    if (rank == last && right)
        MPI_Recv(other, COUNT, MPI_INT, 0, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == last)
        MPI_Recv(real, COUNT, MPI_FLOAT, 0, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void mismatch_often(void)
{
    for (int tag = 100; tag < 125; tag++)
        MPI_Sendrecv(other, 1, MPI_INT, rank, tag, data, 1, right ? MPI_INT : MPI_FLOAT, rank, tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Of two messages of one tag the second is of another type. */
static void mismatch_second(void)
{
    float real[COUNT] = { 0 };
    if (rank == 0) {
        MPI_Send(data, COUNT, MPI_INT, last, 16, MPI_COMM_WORLD);
        MPI_Send(real, COUNT, MPI_FLOAT, last, 16, MPI_COMM_WORLD);
    } else if (rank == last) {
        MPI_Recv(other, COUNT, MPI_INT, 0, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(real, COUNT, right ? MPI_FLOAT : MPI_INT, 0, 16, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static void mismatch_any(void)
{
    MPI_Request r[2];
    MPI_Datatype pair, reverse;
    int ones[2] = { 1, 1 };
    MPI_Aint at[2] = { 0, 8 };
    MPI_Type_create_struct(2, ones, at, (MPI_Datatype[]){ MPI_INT, MPI_DOUBLE }, &pair);
    MPI_Type_create_struct(2, ones, at, (MPI_Datatype[]){ MPI_DOUBLE, MPI_INT }, &reverse);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&reverse);
    if (rank == last) {
        MPI_Irecv(data, 1, right ? pair : reverse, MPI_ANY_SOURCE, 14, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(other, 1, MPI_INT, 0, 15, MPI_COMM_WORLD, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    } else if (rank == 0) {
        MPI_Send(&data, 1, MPI_INT, last, 15, MPI_COMM_WORLD);
        MPI_Send(other, 1, pair, last, 14, MPI_COMM_WORLD);
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&reverse);
}

static void operation(void)
{
    MPI_Allreduce(data, other, 1, MPI_INT, right || rank ? MPI_SUM : MPI_MAX, MPI_COMM_WORLD);
}

static void element(void)
{
    float real[2] = { 1, 2 };
    if (right || rank)
        MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(real, 1, MPI_FLOAT, 0, MPI_COMM_WORLD);
}

static void communicator(void)
{
    MPI_Comm dup[2];
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &dup[i]);
    for (int i = 0; i < 2 && right; i++)
        MPI_Comm_free(&dup[i]);
}

static void datatype(void)
{
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (right)
        MPI_Type_free(&type);
}

/* One place for all: the call is not the last thing that it does. */
__attribute__((noinline)) static void make_type(MPI_Datatype *type)
{
    if (MPI_Type_contiguous(3, MPI_INT, type))
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void datatypes(void)
{
    MPI_Datatype types[3];
    for (int i = 0; i < 3; i++)
        make_type(&types[i]);
    for (int i = 0; i < 3 && right; i++)
        MPI_Type_free(&types[i]);
}

static void group(void)
{
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (right)
        MPI_Group_free(&all);
}

static void window(void)
{
    MPI_Win win;
    MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (right)
        MPI_Win_free(&win);
}

static void request(void)
{
    MPI_Request r;
    MPI_Isend(data, 1, MPI_INT, rank, 16, MPI_COMM_WORLD, &r);
    MPI_Recv(other, 1, MPI_INT, rank, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Of several that are over at once each has its request, and its buffer until it is completed. */
static void requests(void)
{
    MPI_Request r[3];
    for (int i = 0; i < 3; i++)
        MPI_Isend(data + i, 1, MPI_INT, rank, 16, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; i < 3; i++)
        MPI_Recv(other, 1, MPI_INT, rank, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right)
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

static void written_first(void)
{
    MPI_Request r[2];
    for (int i = 0; i < 2; i++)
        MPI_Isend(data + i, 1, MPI_INT, rank, 16, MPI_COMM_WORLD, &r[i]);
    if (!right)
        data[0]++;
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Recv(other, 1, MPI_INT, rank, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request r;
    MPI_Recv_init(other, 1, MPI_INT, rank, 17, MPI_COMM_WORLD, &r);
    MPI_Start(&r);
    MPI_Send(data, 1, MPI_INT, rank, 17, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (right)
        MPI_Request_free(&r);
}

static void collective_request(void)
{
    MPI_Request r;
    MPI_Ibarrier(MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    if (right)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void written(void)
{
    MPI_Request r;
    MPI_Isend(data, COUNT, MPI_INT, (rank + 1) % size, 18, MPI_COMM_WORLD, &r);
    data[right ? 0 : 3] += !right;
    MPI_Recv(other, COUNT, MPI_INT, MPI_ANY_SOURCE, 18, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void written_persistent(void)
{
    MPI_Request r;
    MPI_Send_init(data, COUNT, MPI_INT, (rank + 1) % size, 19, MPI_COMM_WORLD, &r);
    for (int i = 0; i < 2; i++) {
        data[0] = i;
        MPI_Start(&r);
        data[1] += !right && i;
        MPI_Recv(other, COUNT, MPI_INT, MPI_ANY_SOURCE, 19, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&r);
}

/* Whichever of the two is over first: what it delivers is no writing to the other's buffer. */
static void overlap_until(int first)
{
    MPI_Request r[2];
    MPI_Irecv(other, COUNT, MPI_INT, rank, 20, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(other + (right ? COUNT : COUNT - 1), COUNT, MPI_INT, rank, 21, MPI_COMM_WORLD, &r[1]);
    MPI_Send(data, COUNT, MPI_INT, rank, 20, MPI_COMM_WORLD);
    MPI_Send(data, COUNT, MPI_INT, rank, 21, MPI_COMM_WORLD);
    MPI_Wait(&r[first], MPI_STATUS_IGNORE);
    MPI_Wait(&r[!first], MPI_STATUS_IGNORE);
}

static void overlap(void) { overlap_until(0); }
static void overlap_back(void) { overlap_until(1); }

static void overlap_started(void)
{
    MPI_Request r[2];
    MPI_Recv_init(other, COUNT, MPI_INT, rank, 20, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(other + (right ? COUNT : COUNT - 1), COUNT, MPI_INT, rank, 21, MPI_COMM_WORLD,
                  &r[1]);
    MPI_Startall(2, r);
    MPI_Send(data, COUNT, MPI_INT, rank, 20, MPI_COMM_WORLD);
    MPI_Send(data, COUNT, MPI_INT, rank, 21, MPI_COMM_WORLD);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void overlap_send(void)
{
    MPI_Request r;
    MPI_Isend(other, COUNT, MPI_INT, rank, 22, MPI_COMM_WORLD, &r);
    MPI_Recv(other + (right ? COUNT : 0), COUNT, MPI_INT, rank, 22, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* Right are also columns that lie between each other's elements, and nothing. */
static void overlap_exchange(void)
{
    MPI_Datatype column;
    MPI_Sendrecv(other, COUNT, MPI_INT, rank, 37, other + (right ? COUNT : COUNT - 1), COUNT,
                 MPI_INT, rank, 37, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(other, 1, column, rank, 38, other + 1, 1, column, rank, 38, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(other, COUNT, MPI_INT, rank, 39, data, COUNT, MPI_INT, rank, 39, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(other, 0, MPI_INT, rank, 40, other, 0, MPI_INT, rank, 40, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
}

static void overlap_times(int times)
{
    for (int i = 0; i < times; i++)
        MPI_Sendrecv(other, COUNT, MPI_INT, rank, 37, other + (right ? COUNT : COUNT - 1), COUNT,
                     MPI_INT, rank, 37, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void overlap_twice(void) { overlap_times(2); }
static void overlap_often(void) { overlap_times(25); }

/* A program closes what it does not know, and has a pipe of its own there: nothing of the checks
 * comes out of that. */
static void overlap_elsewhere(void)
{
    const char *number = getenv("MPILITE_CHECK_FD");
    int ends[2], theirs = number ? atoi(number) : -1;
    char byte;

    if (theirs < 0 || pipe(ends) || dup2(ends[1], theirs) < 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    overlap_times(1);
    if (read(ends[0], &byte, 1) >= 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
}

static void overlap_later(void)
{
    MPI_Request r;
    MPI_Isendrecv(other, COUNT, MPI_INT, rank, 48, other + (right ? COUNT : COUNT - 1), COUNT,
                  MPI_INT, rank, 48, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Isendrecv(other, 0, MPI_INT, rank, 48, other, COUNT, MPI_INT, rank, 48, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Isendrecv_replace(other, COUNT, MPI_INT, rank, 48, rank, 48, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* What it replaces is being sent. */
static void overlap_replaced(void)
{
    MPI_Request r[2];
    MPI_Isend(other, COUNT, MPI_INT, rank, 49, MPI_COMM_WORLD, &r[0]);
    MPI_Isendrecv_replace(right ? data : other, COUNT, MPI_INT, rank, 49, rank, 49, MPI_COMM_WORLD,
                          &r[1]);
    MPI_Recv(other + COUNT, COUNT, MPI_INT, rank, 49, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void received_exchanged(void)
{
    MPI_Request r;
    MPI_Isendrecv(data, COUNT, MPI_INT, (rank + 1) % size, 50, other, COUNT, MPI_INT,
                  (rank + size - 1) % size, 50, MPI_COMM_WORLD, &r);
    other[right ? COUNT : 2] = 1;
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void lost_exchanged(void)
{
    MPI_Request r;
    MPI_Isendrecv(data, COUNT, MPI_INT, rank ? MPI_PROC_NULL : last, 51, other, COUNT, MPI_INT,
                  rank == last && right ? 0 : MPI_PROC_NULL, 51, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* With --check=sync. */
static void unsafe(void)
{
    int peer = rank ^ 1;
    if (peer >= size)
        return;
    if (right && (rank & 1))
        MPI_Recv(other, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD);
    if (!right || !(rank & 1))
        MPI_Recv(other, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The same by other calls. */
static void unsafe_by(int call)
{
    MPI_Request r = MPI_REQUEST_NULL;
    int peer = rank ^ 1;
    if (peer >= size)
        return;
    if (right && (rank & 1))
        MPI_Recv(other, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (call == 0)
        MPI_Send_c(data, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD);
    else if (call == 1)
        MPI_Isend(data, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD, &r);
    else
        MPI_Isend_c(data, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (!right || !(rank & 1))
        MPI_Recv(other, COUNT, MPI_INT, peer, 23, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void unsafe_c(void) { unsafe_by(0); }
static void unsafe_wait(void) { unsafe_by(1); }
static void unsafe_wait_c(void) { unsafe_by(2); }

static void unsafe_ring(void)
{
    MPI_Request r;
    if (right)
        MPI_Irecv(other, 1, MPI_INT, MPI_ANY_SOURCE, 24, MPI_COMM_WORLD, &r);
    MPI_Send(data, 1, MPI_INT, (rank + 1) % size, 24, MPI_COMM_WORLD);
    if (right)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    else
        MPI_Recv(other, 1, MPI_INT, MPI_ANY_SOURCE, 24, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* -- receive buffers */

static void received_early(void)
{
    MPI_Request r;
    MPI_Irecv(other, COUNT, MPI_INT, (rank + 1) % size, 25, MPI_COMM_WORLD, &r);
    other[right ? COUNT : 2] = 1;
    MPI_Send(data, COUNT, MPI_INT, (rank + size - 1) % size, 25, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The second round clears the buffer when it is already to be received into. */
static void received_persistent(void)
{
    MPI_Request r;
    MPI_Recv_init(other, COUNT, MPI_INT, rank, 26, MPI_COMM_WORLD, &r);
    other[0] = 1;
    for (int i = 0; i < 2; i++) {
        if (right)
            memset(other, 0, COUNT * sizeof *other);
        MPI_Start(&r);
        if (!right)
            memset(other, 0, COUNT * sizeof *other);
        MPI_Send(data, COUNT, MPI_INT, rank, 26, MPI_COMM_WORLD);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        other[0] = 1;
    }
    MPI_Request_free(&r);
}

/* -- threads: MPI_Init has provided MPI_THREAD_SINGLE */

static void *asks(void *flag)
{
    MPI_Iprobe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE);
    return NULL;
}

static void other_thread(void)
{
    pthread_t thread;
    int flag = 0;
    if (right) {
        asks(&flag);
        return;
    }
    pthread_create(&thread, NULL, asks, &flag);
    pthread_join(thread, NULL);
}

/* An operation of the program: the thread that runs it is inside of a call. */
static sem_t inside, asked;
static void lingers(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
    sem_post(&inside);
    sem_wait(&asked);
}

static void *reduces(void *op)
{
    MPI_Reduce_local(data, other, 1, MPI_INT, *(MPI_Op *)op);
    return NULL;
}

/* Rank 0 is still in its reduction when its main thread asks how many ranks there are. */
static void at_once(void)
{
    pthread_t thread;
    MPI_Op op;
    int n;
    sem_init(&inside, 0, 0);
    sem_init(&asked, 0, 0);
    MPI_Op_create(lingers, 1, &op);
    if (right || rank) {
        sem_post(&asked);
        reduces(&op);
    } else {
        pthread_create(&thread, NULL, reduces, &op);
        sem_wait(&inside);
        MPI_Comm_size(MPI_COMM_WORLD, &n);
        sem_post(&asked);
        pthread_join(thread, NULL);
    }
    MPI_Op_free(&op);
}

/* -- other communicators, which are free again when the mistake is found */

static void lost_on_dup(void)
{
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    if (rank == 1) {
        MPI_Send(data, 1, MPI_INT, last, 30, MPI_COMM_WORLD);
        MPI_Send(data, 1, MPI_INT, last, 31, dup);
    }
    if (rank == last)
        MPI_Recv(other, 1, MPI_INT, 1, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == last && right)
        MPI_Recv(other, 1, MPI_INT, 1, 31, dup, MPI_STATUS_IGNORE);
    MPI_Comm_free(&dup);
}

/* A name of 127 characters. */
static void lost_on_named(void)
{
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm dup;
    memset(name, '-', sizeof name);
    strcpy(name + sizeof name - sizeof "end", "end");
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_set_name(dup, name);
    if (rank == 1)
        MPI_Send(data, 2, MPI_INT, last, 52, dup);
    if (rank == last && right)
        MPI_Recv(other, 2, MPI_INT, 1, 52, dup, MPI_STATUS_IGNORE);
    MPI_Comm_free(&dup);
}

/* Ranks are turned round. */
static void mismatch_on_split(void)
{
    MPI_Comm turned;
    double real[2] = { 0 };
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
    if (rank == last)
        MPI_Send(real, 1, MPI_DOUBLE, size - 1, 32, turned);
    if (!rank)
        MPI_Recv(right ? (void *)real : other, right ? 1 : 2, right ? MPI_DOUBLE : MPI_INT, 0, 32,
                 turned, MPI_STATUS_IGNORE);
    MPI_Comm_free(&turned);
}

static void operation_on_part(void)
{
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
    MPI_Comm_set_name(part, "workers");
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(data, other, 1, MPI_INT, MPI_MIN, part);
    MPI_Reduce(data, other, 1, MPI_INT, right || rank < last ? MPI_SUM : MPI_PROD, 0, part);
    MPI_Comm_free(&part);
}

static void lost_across(void)
{
    MPI_Comm part, across;
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank ? 0 : 1, 33, &across);
    if (!rank)
        MPI_Send(data, 3, MPI_INT, 1, 34, across);
    if (rank == 2 && right)
        MPI_Recv(other, 3, MPI_INT, 0, 34, across, MPI_STATUS_IGNORE);
    MPI_Comm_free(&across);
    MPI_Comm_free(&part);
}

/* -- more of what is called alike, and freed */

/* Right is what MPI_Finalize frees, by way of an attribute. */
static int free_comm(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    return MPI_Comm_free(value);
}

static void kept(void)
{
    static MPI_Comm dup;
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_comm, &key, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    if (right)
        MPI_Comm_set_attr(MPI_COMM_SELF, key, &dup);
    MPI_Comm_free_keyval(&key);
}

static void element_gathered(void)
{
    MPI_Datatype type = right || rank < last ? MPI_INT : MPI_FLOAT;
    MPI_Gather(data, 1, type, other, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* A communicator for one call: of each the first difference is told. */
static MPI_Comm for_call(const char *name)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, name);
    return comm;
}

static void wait_and_free(MPI_Request *request, MPI_Comm *comm)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
    if (*request != MPI_REQUEST_NULL)
        MPI_Request_free(request);
    MPI_Comm_free(comm);
}

/* Blocks of several lengths, of which one has nothing, and its type does not count. */
static void element_of_vectors(void)
{
    MPI_Datatype type = right || rank < last ? MPI_INT : MPI_FLOAT;
    MPI_Datatype any = rank == 1 ? MPI_DOUBLE : type;
    int counts[] = { 2, 0, 1 }, places[] = { 0, 0, 2 };
    MPI_Comm comm = for_call("gatherv");
    MPI_Gatherv(data, counts[rank], any, other, counts, places, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    comm = for_call("scatterv");
    MPI_Scatterv(data, counts, places, MPI_INT, other, counts[rank], any, 0, comm);
    MPI_Comm_free(&comm);
    comm = for_call("allgatherv");
    MPI_Allgatherv(data, counts[rank], any, other, counts, places, type, comm);
    MPI_Comm_free(&comm);
    const MPI_Count wide[] = { 0, 0, 1 };
    const MPI_Aint far[] = { 0, 0, 0 };
    comm = for_call("gatherv_c");
    MPI_Gatherv_c(data, wide[rank], any, other, wide, far, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
}

static void operation_of_forms(void)
{
    MPI_Op op = right || rank < last ? MPI_SUM : MPI_MAX;
    MPI_Datatype type = right || rank < last ? MPI_INT : MPI_FLOAT;
    int counts[] = { 2, 0, 1 };
    MPI_Request request;
    MPI_Comm comm = for_call("reduce_scatter");
    MPI_Reduce_scatter(data, other, counts, MPI_INT, op, comm);
    MPI_Comm_free(&comm);
    comm = for_call("iscan");
    MPI_Iscan(data, other, 1, MPI_INT, op, comm, &request);
    wait_and_free(&request, &comm);
    comm = for_call("ialltoall");
    MPI_Ialltoall(data, 1, type, other, 1, type, comm, &request);
    wait_and_free(&request, &comm);
    comm = for_call("gather_init");
    MPI_Gather_init(data, 1, type, other, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    wait_and_free(&request, &comm);
}

/* They do not go with each other, though here they do. */
static void blocks_or_not(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = for_call("bcast");
    if (!right && rank == last)
        MPI_Ibcast(data, 1, MPI_INT, 0, comm, &request);
    else
        MPI_Bcast(data, 1, MPI_INT, 0, comm);
    wait_and_free(&request, &comm);
}

/* Everybody only sends, so that nobody misses anything. */
static void no_root(void)
{
    MPI_Reduce(data, other, 1, MPI_INT, MPI_SUM, right || rank ? 0 : 1, MPI_COMM_WORLD);
}

static void part(void)
{
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? MPI_UNDEFINED : 0, 0, &half);
    if (right && half != MPI_COMM_NULL)
        MPI_Comm_free(&half);
}

/* Writes its results when a rank with a mistake has ended, and mpirun has had time to see that. */
static long first;
static void write_late(void)
{
    while (kill((pid_t)first, 0) == 0)
        usleep(1000);
    usleep(500000);
    puts("results");
}

static void outlived(void)
{
    MPI_Datatype pair;
    if (!rank) {
        MPI_Type_contiguous(2, MPI_INT, &pair);
        if (right)
            MPI_Type_free(&pair);
        first = getpid();
    }
    MPI_Bcast(&first, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == last)
        atexit(write_late);
}

static void half_waited(void)
{
    MPI_Request r[2];
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(other + i, 1, MPI_INT, rank, 35 + i, MPI_COMM_WORLD, &r[i]);
        MPI_Send(data, 1, MPI_INT, rank, 35 + i, MPI_COMM_WORLD);
    }
    MPI_Waitall(right ? 2 : 1, r, MPI_STATUSES_IGNORE);
}

/* -- ready sends, whose receives must be posted before */

static void ready_early(void)
{
    MPI_Request r;
    if (right && rank == last)
        MPI_Irecv(other, COUNT, MPI_INT, MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, &r);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank)
        MPI_Rsend(data, COUNT, MPI_INT, last, 41, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (right && rank == last)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    else if (rank == last)
        MPI_Recv(other, COUNT, MPI_INT, 0, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ready_persistent(void)
{
    MPI_Request in, out;
    MPI_Recv_init(other, COUNT, MPI_INT, rank, 42, MPI_COMM_WORLD, &in);
    MPI_Rsend_init(data, COUNT, MPI_INT, rank, 42, MPI_COMM_WORLD, &out);
    for (int i = 0; i < 2; i++) {
        MPI_Start(right || !i ? &in : &out);
        MPI_Start(right || !i ? &out : &in);
        MPI_Waitall(2, (MPI_Request[]){ in, out }, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&in);
    MPI_Request_free(&out);
}

/* -- what is legal, but fragile */

static void freed_receive(void)
{
    MPI_Request r;
    MPI_Irecv(other, COUNT, MPI_INT, rank, 43, MPI_COMM_WORLD, &r);
    if (!right)
        MPI_Request_free(&r);
    MPI_Send(data, COUNT, MPI_INT, rank, 43, MPI_COMM_WORLD);
    if (right)
        MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The answer says that the data have gone; right is also to let them be. */
static void freed_send(void)
{
    MPI_Request r;
    int answer;
    for (int i = 0; i < 2; i++) {
        MPI_Isend(data, COUNT, MPI_INT, (rank + 1) % size, 44, MPI_COMM_WORLD, &r);
        MPI_Request_free(&r);
        data[1] += !right;
        MPI_Recv(other, COUNT, MPI_INT, MPI_ANY_SOURCE, 44, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 45, MPI_COMM_WORLD);
        MPI_Recv(&answer, 1, MPI_INT, MPI_ANY_SOURCE, 45, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        data[2]++;
    }
}

/* Of two the one that is over is done with, and the other is not. */
static void freed_two(void)
{
    MPI_Request r;
    MPI_Issend(data, COUNT, MPI_INT, rank, 57, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    MPI_Issend(other, COUNT, MPI_INT, rank, 58, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    MPI_Recv(other + COUNT, COUNT, MPI_INT, rank, 57, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    other[3] += !right;
    MPI_Recv(other + COUNT, COUNT, MPI_INT, rank, 58, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void freed_into(void)
{
    MPI_Request r;
    MPI_Isend(data, COUNT, MPI_INT, rank, 46, MPI_COMM_WORLD, &r);
    MPI_Request_free(&r);
    MPI_Recv(right ? other : data, COUNT, MPI_INT, rank, 46, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Its child has made no mistake. */
static void overlap_and_child(void)
{
    int status;
    overlap_times(1);
    if (!fork())
        exit(0);
    if (wait(&status) < 0 || status)
        MPI_Abort(MPI_COMM_WORLD, 5);
}

/* So long that its memory has gone with it. */
static void freed_buffer(void)
{
    enum { LONG = 4 << 20 };
    MPI_Request r, in;
    char *out = calloc(LONG, 1), *back = calloc(LONG, 1);
    MPI_Irecv(back, LONG, MPI_CHAR, rank, 47, MPI_COMM_WORLD, &in);
    MPI_Isend(out, LONG, MPI_CHAR, rank, 47, MPI_COMM_WORLD, &r);
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    MPI_Request_free(&r);
    if (right)
        MPI_Barrier(MPI_COMM_WORLD);
    free(out);
    free(back);
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct { const char *name; void (*run)(void); } mistakes[] = {
    { "overlap_back", overlap_back }, { "overlap_started", overlap_started },
    { "lost_two_tags", lost_two_tags }, { "lost_behind", lost_behind },
    { "lost_bytes", lost_bytes }, { "lost_nothing", lost_nothing },
    { "datatypes", datatypes }, { "freed_two", freed_two },
    { "lost", lost }, { "lost_of_many", lost_of_many }, { "mismatch", mismatch },
    { "mismatch_often", mismatch_often },
    { "mismatch_second", mismatch_second }, { "mismatch_any", mismatch_any },
    { "operation", operation }, { "element", element },
    { "communicator", communicator }, { "datatype", datatype }, { "group", group },
    { "window", window }, { "request", request }, { "persistent", persistent },
    { "collective_request", collective_request }, { "written", written },
    { "written_persistent", written_persistent }, { "overlap", overlap },
    { "overlap_send", overlap_send }, { "overlap_exchange", overlap_exchange },
    { "unsafe", unsafe }, { "unsafe_c", unsafe_c },
    { "unsafe_wait", unsafe_wait }, { "unsafe_wait_c", unsafe_wait_c },
    { "unsafe_ring", unsafe_ring },
    { "received_early", received_early }, { "received_persistent", received_persistent },
    { "other_thread", other_thread }, { "at_once", at_once }, { "lost_on_dup", lost_on_dup },
    { "mismatch_on_split", mismatch_on_split }, { "operation_on_part", operation_on_part },
    { "lost_across", lost_across }, { "element_gathered", element_gathered }, { "part", part },
    { "outlived", outlived }, { "requests", requests }, { "written_first", written_first },
    { "kept", kept }, { "lost_on_named", lost_on_named },
    { "half_waited", half_waited }, { "no_root", no_root },
    { "element_of_vectors", element_of_vectors }, { "operation_of_forms", operation_of_forms },
    { "blocks_or_not", blocks_or_not },
    { "overlap_twice", overlap_twice }, { "overlap_often", overlap_often },
    { "overlap_elsewhere", overlap_elsewhere }, { "overlap_later", overlap_later },
    { "overlap_replaced", overlap_replaced }, { "overlap_and_child", overlap_and_child },
    { "received_exchanged", received_exchanged }, { "lost_exchanged", lost_exchanged },
    { "ready_early", ready_early }, { "ready_persistent", ready_persistent },
    { "freed_receive", freed_receive }, { "freed_send", freed_send },
    { "freed_into", freed_into }, { "freed_buffer", freed_buffer },
};

static int level_of(const char *name)
{
    return !strcmp(name, "funneled") ? MPI_THREAD_FUNNELED : !strcmp(name, "serialized")
           ? MPI_THREAD_SERIALIZED : !strcmp(name, "multiple") ? MPI_THREAD_MULTIPLE : 0;
}

int main(int argc, char **argv)
{
    static char room[4096];
    int bytes = sizeof room;
    void *buffer;

    int level = argc > 2 ? level_of(argv[2]) : 0;

    if (level)
        MPI_Init_thread(&argc, &argv, level, &level);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = size - 1;
    right = argc > 2 && !level;
    for (int i = 0; i < COUNT; i++)
        data[i] = i + 1;
    MPI_Buffer_attach(room, bytes);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc > 1 && !strcmp(mistakes[i].name, argv[1]))
            mistakes[i].run();
    MPI_Buffer_detach(&buffer, &bytes);
    MPI_Finalize();
    return argc > 3 ? atoi(argv[3]) : 0;
}
