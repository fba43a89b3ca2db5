/* Every blocking send mode, at sizes on both sides of the protocols'
 * limits, into a receive that waits. */
#include "t.h"

static void send_in_mode(int mode, const void *data, int n, int tag)
{
    switch (mode) {
    case 0: OK(MPI_Send(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD)); break;
    case 1: OK(MPI_Ssend(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD)); break;
    case 2: OK(MPI_Rsend(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD)); break;
    case 3: OK(MPI_Bsend(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD)); break;
    }
}

static void one_message(int mode, int n, int tag)
{
    unsigned char *out = t_alloc((size_t)n);
    struct t_buffer in;
    MPI_Request request;
    MPI_Status status;
    int count;

    t_buffer_new(&in, (size_t)n, 0);
    t_fill(out, (size_t)n, (unsigned)(t_rank + mode));
    OK(MPI_Irecv(in.data, n, MPI_BYTE, t_prev(), tag, MPI_COMM_WORLD, &request));
    OK(MPI_Barrier(MPI_COMM_WORLD));    /* the ready mode needs the receive posted */
    send_in_mode(mode, out, n, tag);
    OK(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    SAME(status.MPI_SOURCE, t_prev());
    SAME(status.MPI_TAG, tag);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, n);
    DATA(in.data, (size_t)n, (unsigned)(t_prev() + mode));
    GUARDS(&in);
    t_buffer_free(&in);
    free(out);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 40, 48, 49, 200, 4096, 8193, 20000, 100000, 1 << 20,
                                 (1 << 21) + 3};
    int bytes = (1 << 22) + MPI_BSEND_OVERHEAD;
    void *buffer, *detached;

    t_start(&argc, &argv);
    buffer = t_alloc((size_t)bytes);
    OK(MPI_Buffer_attach(buffer, bytes));
    for (int mode = 0; mode < 4; mode++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            one_message(mode, sizes[i], (int)i);
    OK(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == buffer);
    free(buffer);
    return t_end();
}
