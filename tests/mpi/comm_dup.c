/* Duplicates: same ranks, another context; a thousand in a row
 * and hundreds at a time, in any order of freeing. */
#include "t.h"

enum { CYCLES = 1000, ALIVE = 200 };

static void use(MPI_Comm comm)
{
    int rank, size, value = t_rank, got = -1;

    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    SAME(rank, t_rank);
    SAME(size, t_size);
    OK(MPI_Sendrecv(&value, 1, MPI_INT, t_next(), 0, &got, 1, MPI_INT, t_prev(), 0, comm,
                    MPI_STATUS_IGNORE));
    SAME(got, t_prev());
}

static void cycles(void)
{
    MPI_Comm comm;

    for (int i = 0; i < CYCLES; i++) {
        OK(MPI_Comm_dup(i % 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, &comm));
        if (i % 100 == 1)
            use(comm);
        OK(MPI_Comm_free(&comm));
        CHECK(comm == MPI_COMM_NULL);
    }
}

static void many_alive(void)
{
    MPI_Comm comms[ALIVE];

    for (int i = 0; i < ALIVE; i++)
        OK(MPI_Comm_dup(i % 3 ? comms[i - 1] : MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < ALIVE; i += 10)
        use(comms[i]);
    for (int i = 0; i < ALIVE; i += 2)
        OK(MPI_Comm_free(&comms[i]));
    for (int i = 1; i < ALIVE; i += 20)
        use(comms[i]);
    for (int i = 0; i < ALIVE; i += 2)
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < ALIVE; i += 15)
        use(comms[i]);
    for (int i = ALIVE - 1; i >= 0; i--)
        OK(MPI_Comm_free(&comms[i]));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    cycles();
    many_alive();
    return t_end();
}
