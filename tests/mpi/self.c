/* A rank talks to itself: every mode, receive first or send first, on WORLD and on SELF. */
#include "t.h"

static void start_send(int mode, const void *data, int n, int to, MPI_Comm comm,
                       MPI_Request *request)
{
    switch (mode) {
    case 0: OK(MPI_Isend(data, n, MPI_BYTE, to, 3, comm, request)); break;
    case 1: OK(MPI_Issend(data, n, MPI_BYTE, to, 3, comm, request)); break;
    case 2: OK(MPI_Ibsend(data, n, MPI_BYTE, to, 3, comm, request)); break;
    case 3: OK(MPI_Irsend(data, n, MPI_BYTE, to, 3, comm, request)); break;
    }
}

static void one_message(MPI_Comm comm, int me, int mode, int n, int receive_first)
{
    struct t_buffer in, out;
    MPI_Request send, receive;
    MPI_Status status;
    int count;

    t_buffer_new(&in, (size_t)n, 0);
    t_buffer_new(&out, (size_t)n, 0);
    t_fill(out.data, (size_t)n, (unsigned)n);
    if (receive_first)
        OK(MPI_Irecv(in.data, n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &receive));
    start_send(mode, out.data, n, me, comm, &send);
    if (!receive_first) {
        OK(MPI_Probe(me, 3, comm, &status));
        OK(MPI_Get_count(&status, MPI_BYTE, &count));
        SAME(count, n);
        OK(MPI_Irecv(in.data, n, MPI_BYTE, me, 3, comm, &receive));
    }
    OK(MPI_Wait(&receive, &status));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    SAME(status.MPI_SOURCE, me);
    SAME(status.MPI_TAG, 3);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, n);
    DATA(in.data, (size_t)n, (unsigned)n);
    GUARDS(&in);
    t_buffer_free(&in);
    t_buffer_free(&out);
}

static void exchange(MPI_Comm comm, int me, int n)
{
    unsigned char *a = t_alloc((size_t)n), *b = t_alloc((size_t)n);

    t_fill(a, (size_t)n, 9);
    OK(MPI_Sendrecv(a, n, MPI_BYTE, me, 1, b, n, MPI_BYTE, me, 1, comm, MPI_STATUS_IGNORE));
    DATA(b, (size_t)n, 9);
    OK(MPI_Sendrecv_replace(b, n, MPI_BYTE, me, 1, me, 1, comm, MPI_STATUS_IGNORE));
    DATA(b, (size_t)n, 9);
    free(a);
    free(b);
}

static void body(MPI_Comm comm, int me)
{
    static const int sizes[] = {0, 1, 48, 49, 1000, 8192, 65536, 300000, 1 << 20};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int mode = 0; mode < 4; mode++) {
            one_message(comm, me, mode, sizes[i], 1);
            if (mode != 3)
                one_message(comm, me, mode, sizes[i], 0);
        }
        exchange(comm, me, sizes[i]);
    }
}

int main(int argc, char **argv)
{
    int bytes = 4 << 20;
    void *buffer, *detached;

    t_start(&argc, &argv);
    buffer = t_alloc((size_t)bytes);
    OK(MPI_Buffer_attach(buffer, bytes));
    body(MPI_COMM_WORLD, t_rank);
    body(MPI_COMM_SELF, 0);
    OK(MPI_Buffer_detach(&detached, &bytes));
    free(buffer);
    return t_end();
}
