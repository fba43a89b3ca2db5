/* No rank leaves a barrier before the last one has come: counted in memory that all ranks map. */
#include "t.h"
#include <stdatomic.h>

enum { ROUNDS = 60 };

static atomic_int *counters;
static int number;

/* A counter of its own for every communicator; odd and even
 * ranks have different ones at the same time. */
static atomic_int *next_counter(MPI_Comm comm, int size)
{
    static atomic_int own;
    int place = number++ * 2;

    if (comm == MPI_COMM_SELF)
        return &own;
    return &counters[(place + (size < t_size ? t_rank % 2 : 0)) * 16];
}

static void body(MPI_Comm comm, int rank, int size)
{
    atomic_int *arrived = next_counter(comm, size);

    (void)rank;
    for (int round = 1; round <= ROUNDS; round++) {
        int seen;

        atomic_fetch_add(arrived, 1);
        OK(MPI_Barrier(comm));
        seen = atomic_load(arrived);
        if (seen != round * size)
            FAIL("round %d: %d arrivals of %d ranks", round, seen, size);
        OK(MPI_Barrier(comm));
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    counters = t_map("barrier", 4096);
    t_on_comms(body);
    return t_end();
}
