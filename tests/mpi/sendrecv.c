/* Sendrecv and Sendrecv_replace round the ring, small and
 * large, different counts and tags each way. */
#include "t.h"

static void both_ways(int n)
{
    int to = n + t_rank * 3, from = n + t_prev() * 3, count;
    struct t_buffer out, in;
    MPI_Status status;

    t_buffer_new(&out, (size_t)to, 0);
    t_buffer_new(&in, (size_t)from, 0);
    t_fill(out.data, (size_t)to, (unsigned)t_rank);
    OK(MPI_Sendrecv(out.data, to, MPI_BYTE, t_next(), t_rank, in.data, from, MPI_BYTE, t_prev(),
                    t_prev(),
                    MPI_COMM_WORLD, &status));
    SAME(status.MPI_SOURCE, t_prev());
    SAME(status.MPI_TAG, t_prev());
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, from);
    DATA(in.data, (size_t)from, (unsigned)t_prev());
    GUARDS(&in);
    t_buffer_free(&out);
    t_buffer_free(&in);
}

/* After as many steps as ranks everyone's data are home again. */
static void replace(int n)
{
    struct t_buffer data;

    t_buffer_new(&data, (size_t)n, 0);
    t_fill(data.data, (size_t)n, (unsigned)t_rank);
    for (int step = 1; step <= t_size; step++) {
        OK(MPI_Sendrecv_replace(data.data, n, MPI_BYTE, t_next(), step, MPI_ANY_SOURCE, step,
                                MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE));
        DATA(data.data, (size_t)n, (unsigned)((t_rank + t_size - step) % t_size));
        GUARDS(&data);
    }
    t_buffer_free(&data);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 60, 4000, 70000, 1 << 20};

    t_start(&argc, &argv);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        both_ways(sizes[i]);
        replace(sizes[i]);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_size <= 4)
        replace(8 << 20);
    return t_end_single();
}
