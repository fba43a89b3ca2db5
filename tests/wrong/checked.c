/* checked WHICH [right]: mistakes that do no harm on this machine today, which mpirun --check
 * names; with "right" the same without the mistake, of which nothing is to be said. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 8 };
static int rank, size, last;
static bool right;
static int data[COUNT], other[2 * COUNT];

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

static void overlap(void)
{
    MPI_Request r[2];
    MPI_Irecv(other, COUNT, MPI_INT, rank, 20, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(other + (right ? COUNT : COUNT - 1), COUNT, MPI_INT, rank, 21, MPI_COMM_WORLD, &r[1]);
    MPI_Send(data, COUNT, MPI_INT, rank, 20, MPI_COMM_WORLD);
    MPI_Send(data, COUNT, MPI_INT, rank, 21, MPI_COMM_WORLD);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void overlap_send(void)
{
    MPI_Request r;
    MPI_Isend(other, COUNT, MPI_INT, rank, 22, MPI_COMM_WORLD, &r);
    MPI_Recv(other + (right ? COUNT : 0), COUNT, MPI_INT, rank, 22, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
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

static const struct { const char *name; void (*run)(void); } mistakes[] = {
    { "lost", lost }, { "lost_of_many", lost_of_many }, { "mismatch", mismatch },
    { "mismatch_any", mismatch_any }, { "operation", operation }, { "element", element },
    { "communicator", communicator }, { "datatype", datatype }, { "group", group },
    { "window", window }, { "request", request }, { "persistent", persistent },
    { "collective_request", collective_request }, { "written", written },
    { "written_persistent", written_persistent }, { "overlap", overlap },
    { "overlap_send", overlap_send }, { "unsafe", unsafe }, { "unsafe_ring", unsafe_ring },
};

int main(int argc, char **argv)
{
    static char room[4096];
    int bytes = sizeof room;
    void *buffer;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    last = size - 1;
    right = argc > 2;
    MPI_Buffer_attach(room, bytes);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc > 1 && !strcmp(mistakes[i].name, argv[1]))
            mistakes[i].run();
    MPI_Buffer_detach(&buffer, &bytes);
    MPI_Finalize();
    return 0;
}
