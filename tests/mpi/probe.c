/* MPI_Probe tells source, tag and size of the message that a matching
 * receive then gets; it takes nothing away. */
#include "t.h"

static void one(int n, int source, int tag)
{
    unsigned char *out = t_alloc((size_t)n), *in;
    MPI_Request send;
    MPI_Status status, again;
    int count;

    t_fill(out, (size_t)n, (unsigned)t_rank);
    OK(MPI_Isend(out, n, MPI_BYTE, t_next(), 6, MPI_COMM_WORLD, &send));
    OK(MPI_Probe(source, tag, MPI_COMM_WORLD, &status));
    OK(MPI_Probe(source, tag, MPI_COMM_WORLD, &again));
    SAME(status.MPI_SOURCE, t_prev());
    SAME(status.MPI_TAG, 6);
    SAME(again.MPI_SOURCE, status.MPI_SOURCE);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, n);
    in = t_alloc((size_t)count);
    OK(MPI_Recv(in, count, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status));
    DATA(in, (size_t)n, (unsigned)t_prev());
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 47, 64, 3000, 30000, 2000000};

    t_start(&argc, &argv);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        one(sizes[i], t_prev(), 6);
        one(sizes[i], MPI_ANY_SOURCE, 6);
        one(sizes[i], t_prev(), MPI_ANY_TAG);
        one(sizes[i], MPI_ANY_SOURCE, MPI_ANY_TAG);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return t_end();
}
