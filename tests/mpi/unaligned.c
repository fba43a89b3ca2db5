/* Sources and destinations at every alignment within a cache line. */
#include "t.h"

static void one(size_t n, size_t from, size_t to)
{
    struct t_buffer in, out;
    MPI_Request send;

    t_buffer_new(&in, n, to);
    t_buffer_new(&out, n, from);
    t_fill(out.data, n, (unsigned)from);
    OK(MPI_Isend(out.data, (int)n, MPI_BYTE, t_next(), 0, MPI_COMM_WORLD, &send));
    OK(MPI_Recv(in.data, (int)n, MPI_BYTE, t_prev(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    DATA(in.data, n, (unsigned)from);
    GUARDS(&in);
    t_buffer_free(&in);
    t_buffer_free(&out);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {7, 63, 130, 3000, 66000, 200001};

    t_start(&argc, &argv);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t shift = 0; shift < 64; shift += 1 + (sizes[i] > 1000) * 6)
            one(sizes[i], shift, (shift * 7 + 3) % 64);
    return t_end();
}
