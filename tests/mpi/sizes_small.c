/* Every size from 0 to 200 bytes, sent from and to every position within a word, every byte and the
 * bytes around it checked; received posted and unexpected. */
#include "t.h"

static void one(int n, int offset, int posted)
{
    struct t_buffer in, out;
    MPI_Request send, receive;
    MPI_Status status;
    int count;

    t_buffer_new(&in, (size_t)n, (size_t)offset % 8);
    t_buffer_new(&out, (size_t)n, (size_t)offset / 2);
    t_fill(out.data, (size_t)n, (unsigned)(t_rank + n));
    if (posted) {
        OK(MPI_Irecv(in.data, n, MPI_BYTE, t_prev(), n, MPI_COMM_WORLD, &receive));
        OK(MPI_Isend(out.data, n, MPI_BYTE, t_next(), n, MPI_COMM_WORLD, &send));
        OK(MPI_Wait(&receive, &status));
    } else {
        OK(MPI_Isend(out.data, n, MPI_BYTE, t_next(), n, MPI_COMM_WORLD, &send));
        OK(MPI_Recv(in.data, n, MPI_BYTE, t_prev(), n, MPI_COMM_WORLD, &status));
    }
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, n);
    DATA(in.data, (size_t)n, (unsigned)(t_prev() + n));
    GUARDS(&in);
    GUARDS(&out);
    t_buffer_free(&in);
    t_buffer_free(&out);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int n = 0; n <= 200; n++)
        for (int i = 0; i < 4; i++)
            one(n, n % 8 + i, i % 2);
    return t_end();
}
