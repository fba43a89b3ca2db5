/* Persistent requests of every kind, started again and again, one by one and all at once. */
#include "t.h"

enum { KINDS = 4, ROUNDS = 30 };

static void one_size(int n)
{
    struct t_buffer out[KINDS], in[KINDS];
    MPI_Request send[KINDS], receive[KINDS];
    MPI_Status statuses[KINDS];

    for (int k = 0; k < KINDS; k++) {
        t_buffer_new(&out[k], (size_t)n, 0);
        t_buffer_new(&in[k], (size_t)n, 0);
        OK(MPI_Recv_init(in[k].data, n, MPI_BYTE, t_prev(), k, MPI_COMM_WORLD, &receive[k]));
    }
    OK(MPI_Send_init(out[0].data, n, MPI_BYTE, t_next(), 0, MPI_COMM_WORLD, &send[0]));
    OK(MPI_Ssend_init(out[1].data, n, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD, &send[1]));
    OK(MPI_Bsend_init(out[2].data, n, MPI_BYTE, t_next(), 2, MPI_COMM_WORLD, &send[2]));
    OK(MPI_Rsend_init(out[3].data, n, MPI_BYTE, t_next(), 3, MPI_COMM_WORLD, &send[3]));
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < KINDS; k++)
            t_fill(out[k].data, (size_t)n, (unsigned)(t_rank + k + round));
        OK(MPI_Startall(KINDS, receive));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (round % 2)
            OK(MPI_Startall(KINDS, send));
        else
            for (int k = KINDS - 1; k >= 0; k--)
                OK(MPI_Start(&send[k]));
        OK(MPI_Waitall(KINDS, receive, statuses));
        OK(MPI_Waitall(KINDS, send, MPI_STATUSES_IGNORE));
        for (int k = 0; k < KINDS; k++) {
            CHECK(receive[k] != MPI_REQUEST_NULL && send[k] != MPI_REQUEST_NULL);
            SAME(statuses[k].MPI_TAG, k);
            DATA(in[k].data, (size_t)n, (unsigned)(t_prev() + k + round));
            GUARDS(&in[k]);
        }
    }
    for (int k = 0; k < KINDS; k++) {
        OK(MPI_Request_free(&send[k]));
        OK(MPI_Request_free(&receive[k]));
        t_buffer_free(&out[k]);
        t_buffer_free(&in[k]);
    }
}

/* A started receive that nothing matches can be cancelled and started again. */
static void cancel_and_restart(void)
{
    int value = 0, out = 6, flag;
    MPI_Request receive, send;
    MPI_Status status;

    OK(MPI_Recv_init(&value, 1, MPI_INT, t_prev(), 9, MPI_COMM_WORLD, &receive));
    OK(MPI_Start(&receive));
    OK(MPI_Cancel(&receive));
    OK(MPI_Wait(&receive, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    SAME(flag, 1);
    CHECK(receive != MPI_REQUEST_NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Start(&receive));
    OK(MPI_Isend(&out, 1, MPI_INT, t_next(), 9, MPI_COMM_WORLD, &send));
    OK(MPI_Wait(&receive, &status));
    SAME(value, 6);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&receive));
}

int main(int argc, char **argv)
{
    int bytes = 1 << 21;
    void *buffer, *detached;

    t_start(&argc, &argv);
    buffer = t_alloc((size_t)bytes);
    OK(MPI_Buffer_attach(buffer, bytes));
    one_size(0);
    one_size(16);
    one_size(5000);
    one_size(200000);
    cancel_and_restart();
    OK(MPI_Buffer_detach(&detached, &bytes));
    free(buffer);
    return t_end();
}
