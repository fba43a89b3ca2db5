/* Every non-blocking send mode, all in flight at once. */
#include "t.h"

enum { SIZES = 9 };
static const int sizes[SIZES] = {0, 1, 48, 49, 500, 5000, 17000, 70000, 600000};

static void start_in_mode(int mode, const void *data, int n, int tag, MPI_Request *request)
{
    switch (mode) {
    case 0: OK(MPI_Isend(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD, request)); break;
    case 1: OK(MPI_Issend(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD, request)); break;
    case 2: OK(MPI_Irsend(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD, request)); break;
    case 3: OK(MPI_Ibsend(data, n, MPI_BYTE, t_next(), tag, MPI_COMM_WORLD, request)); break;
    }
}

static void one_mode(int mode, int receives_first)
{
    MPI_Request send[SIZES], receive[SIZES];
    struct t_buffer out[SIZES], in[SIZES];

    for (int i = 0; i < SIZES; i++) {
        t_buffer_new(&out[i], (size_t)sizes[i], 0);
        t_fill(out[i].data, (size_t)sizes[i], (unsigned)(t_rank + i));
        t_buffer_new(&in[i], (size_t)sizes[i], 0);
    }
    if (receives_first) {
        for (int i = 0; i < SIZES; i++)
            OK(MPI_Irecv(in[i].data, sizes[i], MPI_BYTE, t_prev(), i, MPI_COMM_WORLD, &receive[i]));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    for (int i = 0; i < SIZES; i++)
        start_in_mode(mode, out[i].data, sizes[i], i, &send[i]);
    if (!receives_first) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < SIZES; i++)
            OK(MPI_Irecv(in[i].data, sizes[i], MPI_BYTE, t_prev(), i, MPI_COMM_WORLD, &receive[i]));
    }
    OK(MPI_Waitall(SIZES, receive, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(SIZES, send, MPI_STATUSES_IGNORE));
    for (int i = 0; i < SIZES; i++) {
        DATA(in[i].data, (size_t)sizes[i], (unsigned)(t_prev() + i));
        DATA(out[i].data, (size_t)sizes[i], (unsigned)(t_rank + i));
        GUARDS(&in[i]);
        t_buffer_free(&in[i]);
        t_buffer_free(&out[i]);
    }
}

int main(int argc, char **argv)
{
    int bytes = 1 << 21;
    void *buffer, *detached;

    t_start(&argc, &argv);
    buffer = t_alloc((size_t)bytes);
    OK(MPI_Buffer_attach(buffer, bytes));
    for (int mode = 0; mode < 4; mode++) {
        one_mode(mode, 1);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        if (mode != 2)
            one_mode(mode, 0);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Buffer_detach(&detached, &bytes));
    free(buffer);
    return t_end();
}
