/* MPI_Iprobe sees only what fits, never blocks, and in the end sees every message. */
#include "t.h"

static int seen(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    int flag = -1;

    OK(MPI_Iprobe(source, tag, comm, &flag, status));
    CHECK(flag == 0 || flag == 1);
    return flag;
}

int main(int argc, char **argv)
{
    int value, sent, count;
    MPI_Status status;
    MPI_Request send;

    t_start(&argc, &argv);
    SAME(seen(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status), 0);
    for (int i = 0; i < 200; i++) {
        sent = t_rank + i;
        OK(MPI_Isend(&sent, 1, MPI_INT, t_next(), i, MPI_COMM_WORLD, &send));
        while (!seen(i % 2 ? MPI_ANY_SOURCE : t_prev(), i % 3 ? MPI_ANY_TAG : i, MPI_COMM_WORLD,
                     &status))
            ;
        SAME(status.MPI_SOURCE, t_prev());
        SAME(status.MPI_TAG, i);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        SAME(count, 1);
        SAME(seen(t_prev(), i + 1000, MPI_COMM_WORLD, &status), 0);
        SAME(seen(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &status), 0);
        if (t_size > 2)
            SAME(seen(t_next(), i, MPI_COMM_WORLD, &status), 0);
        OK(MPI_Recv(&value, 1, MPI_INT, t_prev(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        SAME(value, t_prev() + i);
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    SAME(seen(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0);
    return t_end();
}
