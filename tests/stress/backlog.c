/* A sender gets far ahead of a receiver that is busy outside MPI: more than 65,536 messages wait at
 * the sender, which goes on sending while they drain.  None is lost and none overtakes another. */
#include "t.h"
#include <stdatomic.h>

enum { MESSAGES = 250000, AHEAD = 70000 };

static void sender(atomic_int *go)
{
    MPI_Request *requests = t_alloc(MESSAGES * sizeof *requests);
    int *out = t_alloc(MESSAGES * sizeof *out);

    for (int i = 0; i < MESSAGES; i++) {
        out[i] = i;
        OK(MPI_Isend(&out[i], 1, MPI_INT, 1, i % 2, MPI_COMM_WORLD, &requests[i]));
        if (i == AHEAD)
            atomic_store(go, 1);
    }
    OK(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    free(requests);
    free(out);
}

static void receiver(atomic_int *go)
{
    MPI_Status status;
    int value;

    while (!atomic_load(go))
        usleep(1000);
    for (int i = 0; i < MESSAGES; i++) {
        OK(MPI_Recv(&value, 1, MPI_INT, 0, i % 3 ? MPI_ANY_TAG : i % 2, MPI_COMM_WORLD, &status));
        SAME(value, i);
        SAME(status.MPI_TAG, i % 2);
    }
}

int main(int argc, char **argv)
{
    atomic_int *go;

    t_start(&argc, &argv);
    go = t_map("backlog", sizeof *go);
    if (t_rank == 0)
        sender(go);
    else if (t_rank == 1)
        receiver(go);
    return t_end();
}
