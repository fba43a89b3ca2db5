/* One byte below, at and above every power of two from 1
 * KiB to 8 MiB, where protocols change hands. */
#include "t.h"

static void one(size_t n, int posted)
{
    struct t_buffer in, out;
    MPI_Request send, receive;
    MPI_Status status;
    int count;

    t_buffer_new(&in, n, n % 5);
    t_buffer_new(&out, n, n % 3);
    t_fill(out.data, n, (unsigned)t_rank);
    if (posted) {
        OK(MPI_Irecv(in.data, (int)n, MPI_BYTE, t_prev(), 0, MPI_COMM_WORLD, &receive));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    OK(MPI_Isend(out.data, (int)n, MPI_BYTE, t_next(), 0, MPI_COMM_WORLD, &send));
    if (!posted)
        OK(MPI_Irecv(in.data, (int)n, MPI_BYTE, t_prev(), 0, MPI_COMM_WORLD, &receive));
    OK(MPI_Wait(&receive, &status));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, n);
    DATA(in.data, n, (unsigned)t_prev());
    GUARDS(&in);
    t_buffer_free(&in);
    t_buffer_free(&out);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (size_t n = 1024; n <= 8u << 20; n *= 2)
        for (size_t near = n - 1; near <= n + 1; near++)
            one(near, near % 2 == 0 && near != n ? 1 : n < 1u << 18);
    return t_end();
}
