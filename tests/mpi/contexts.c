/* Communicators are worlds apart: the same ranks and tags on five
 * communicators never mix, wildcards included. */
#include "t.h"

enum { COMMS = 5 };

static MPI_Comm comms[COMMS];

static void create(void)
{
    comms[0] = MPI_COMM_WORLD;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, t_rank, &comms[2]));
    OK(MPI_Comm_dup(comms[2], &comms[3]));
    OK(MPI_Comm_split(MPI_COMM_WORLD, 3, -t_rank, &comms[4]));
}

static void send_on(int c, const int *data, int count, MPI_Request *request)
{
    int rank;

    OK(MPI_Comm_rank(comms[c], &rank));
    OK(MPI_Isend(data, count, MPI_INT, (rank + 1) % t_size, 1, comms[c], request));
}

static void receive_on(int c, int *data, int count)
{
    MPI_Status status;
    int rank, got;

    OK(MPI_Comm_rank(comms[c], &rank));
    OK(MPI_Recv(data, count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], &status));
    SAME(status.MPI_SOURCE, (rank + t_size - 1) % t_size);
    OK(MPI_Get_count(&status, MPI_INT, &got));
    SAME(got, count);
    SAME(data[0], c);
    SAME(data[count - 1], c);
}

static void one_round(int count)
{
    MPI_Request requests[COMMS];
    int *out[COMMS], *in = t_ints((size_t)count), flag;

    for (int c = 0; c < COMMS; c++) {
        out[c] = t_ints((size_t)count);
        out[c][0] = out[c][count - 1] = c;
    }
    for (int c = 0; c < COMMS - 1; c++)
        send_on(c, out[c], count, &requests[c]);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[COMMS - 1], &flag, MPI_STATUS_IGNORE));
    SAME(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    send_on(COMMS - 1, out[COMMS - 1], count, &requests[COMMS - 1]);
    for (int c = COMMS - 1; c >= 0; c--)
        receive_on(c, in, count);
    OK(MPI_Waitall(COMMS, requests, MPI_STATUSES_IGNORE));
    for (int c = 0; c < COMMS; c++)
        free(out[c]);
    free(in);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    create();
    for (int i = 0; i < 20; i++) {
        one_round(1);
        one_round(2000);
        one_round(50000);
    }
    for (int c = 1; c < COMMS; c++)
        OK(MPI_Comm_free(&comms[c]));
    return t_end();
}
