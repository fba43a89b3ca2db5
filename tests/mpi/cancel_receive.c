/* A receive that nothing has matched can be cancelled, and the others
 * keep their order; one that is matched cannot. */
#include "t.h"

static int cancelled(MPI_Request *request)
{
    MPI_Status status;
    int flag = -1;

    OK(MPI_Wait(request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    return flag;
}

static void lonely(void)
{
    MPI_Request request;
    int value = 5;

    for (int i = 0; i < 100; i++) {
        OK(MPI_Irecv(&value, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : t_prev(), 77, MPI_COMM_WORLD,
                     &request));
        OK(MPI_Cancel(&request));
        SAME(cancelled(&request), 1);
    }
    SAME(value, 5);
}

/* Five receives of one tag, the first, third and last withdrawn:
 * messages go to the other two, in order. */
static void among_others(void)
{
    MPI_Request receives[5], sends[2];
    int in[5] = {-1, -1, -1, -1, -1}, out[2] = {10, 20};

    for (int i = 0; i < 5; i++)
        OK(MPI_Irecv(&in[i], 1, MPI_INT, t_prev(), 8, MPI_COMM_WORLD, &receives[i]));
    for (int i = 0; i < 5; i += 2) {
        OK(MPI_Cancel(&receives[i]));
        SAME(cancelled(&receives[i]), 1);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 2; i++)
        OK(MPI_Isend(&out[i], 1, MPI_INT, t_next(), 8, MPI_COMM_WORLD, &sends[i]));
    SAME(cancelled(&receives[1]), 0);
    SAME(cancelled(&receives[3]), 0);
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    SAME(in[1], 10);
    SAME(in[3], 20);
    SAME(in[0] + in[2] + in[4], -3);
}

/* A later message of the same sender is here, so the earlier
 * one has been matched: too late to cancel. */
static void too_late(int n)
{
    unsigned char *out = t_alloc((size_t)n), *in = t_alloc((size_t)n);
    MPI_Request receive, sends[2];
    int value = 0, after = 3;

    t_fill(out, (size_t)n, 1);
    OK(MPI_Irecv(in, n, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, &receive));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Isend(out, n, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD, &sends[0]));
    OK(MPI_Isend(&after, 1, MPI_INT, t_next(), 2, MPI_COMM_WORLD, &sends[1]));
    OK(MPI_Recv(&value, 1, MPI_INT, t_prev(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Cancel(&receive));
    SAME(cancelled(&receive), 0);
    DATA(in, (size_t)n, 1);
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    lonely();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    among_others();
    too_late(4);
    too_late(1000);
    too_late(500000);
    return t_end();
}
