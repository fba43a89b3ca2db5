/* Communicators that come and go may share what short collectives use: nobody sees values of the
 * one before, and one that some ranks have freed stays whole for those who are late. */
#include "t.h"

enum { ROUNDS = 40, LATE = 2 };

static void broadcast(MPI_Comm comm, int root, int value)
{
    int rank, data;
    OK(MPI_Comm_rank(comm, &rank));
    data = rank == root ? value : -1;
    OK(MPI_Bcast(&data, 1, MPI_INT, root, comm));
    SAME(data, value);
}

/* The others look before the root has put anything there. */
static void one_after_the_other(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Comm comm;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        if (t_rank == i / 2 % t_size)
            usleep(2000);
        broadcast(comm, i / 2 % t_size, 1000 + i);
        OK(MPI_Comm_free(&comm));
    }
}

/* The first ranks are through with `shared`, and make others
 * of their own before the late ones come to it. */
static void freed_by_some(MPI_Comm first)
{
    MPI_Comm shared, more;
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &shared));
    if (t_rank >= LATE)
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    broadcast(shared, 0, 4711);
    OK(MPI_Comm_free(&shared));
    for (int i = 0; t_rank < LATE && i < ROUNDS; i++) {
        OK(MPI_Comm_dup(first, &more));
        for (int k = 0; k < 20; k++)
            broadcast(more, 0, k);
        OK(MPI_Comm_free(&more));
    }
    for (int r = LATE; t_rank == 0 && r < t_size; r++)
        OK(MPI_Send(NULL, 0, MPI_INT, r, 1, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    MPI_Comm first;
    t_start(&argc, &argv);
    one_after_the_other();
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank >= LATE, t_rank, &first));
    for (int i = 0; i < 10; i++)
        freed_by_some(first);
    OK(MPI_Comm_free(&first));
    return t_end();
}
