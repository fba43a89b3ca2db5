/* One rank runs far ahead with collectives that it is the
 * root or a leaf of; the others join late. */
#include "t.h"

enum { AHEAD = 1500 };

static int values[AHEAD];
static MPI_Request requests[AHEAD];

static void join(int late)
{
    int go = 0;

    if (t_rank == 0)
        for (int i = 1; i < t_size; i++)
            OK(MPI_Send(&go, 1, MPI_INT, i, late, MPI_COMM_WORLD));
    else
        OK(MPI_Recv(&go, 1, MPI_INT, 0, late, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int sums[AHEAD], one = 1;

    t_start(&argc, &argv);
    if (t_rank)
        join(1);
    for (int i = 0; i < AHEAD; i++) {
        values[i] = t_rank ? -1 : i;
        OK(MPI_Ibcast(&values[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[i]));
    }
    if (!t_rank)
        join(1);
    for (int i = AHEAD - 1; i >= 0; i--)
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    for (int i = 0; i < AHEAD; i++)
        SAME(values[i], i);

    if (t_rank)
        join(2);
    for (int i = 0; i < AHEAD; i++)
        OK(MPI_Ireduce(&one, &sums[i], 1, MPI_INT, MPI_SUM, t_size - 1, MPI_COMM_WORLD,
                       &requests[i]));
    if (!t_rank)
        join(2);
    OK(MPI_Waitall(AHEAD, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; t_rank == t_size - 1 && i < AHEAD; i++)
        SAME(sums[i], t_size);
    return t_end();
}
