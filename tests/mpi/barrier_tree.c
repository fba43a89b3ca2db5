/* The barrier that hosts do by themselves, past the cores, of more ranks than its tree has
 * branches: nobody leaves before the last one has come. */
#include "t.h"
#include <stdatomic.h>

enum { ROUNDS = 4 };

int main(int argc, char **argv)
{
    setenv("NICEMU_OFFLOAD", "none", 1);
    t_start(&argc, &argv);
    atomic_int *arrived = t_map("barrier", sizeof *arrived);
    for (int round = 1; round <= ROUNDS; round++) {
        if (t_rank == t_size - round)
            usleep(20000);
        atomic_fetch_add(arrived, 1);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        SAME(atomic_load(arrived), round * t_size);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return t_end();
}
