/* A hundred thousand small messages that nobody has asked for: none lost, order kept, and the
 * sender is not stopped for good by a receiver that is busy elsewhere. */
#include "t.h"

enum { MESSAGES = 100000 };

int main(int argc, char **argv)
{
    int partner, value, go = 1;

    t_start(&argc, &argv);
    partner = t_rank ^ 1;
    if (t_rank % 2 == 0 && partner < t_size) {
        for (int i = 0; i < MESSAGES; i++)
            OK(MPI_Send(&i, 1, MPI_INT, partner, i % 10, MPI_COMM_WORLD));
        OK(MPI_Send(&go, 1, MPI_INT, partner, 11, MPI_COMM_WORLD));
    } else if (t_rank % 2) {
        OK(MPI_Recv(&go, 1, MPI_INT, partner, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < MESSAGES; i++) {
            OK(MPI_Recv(&value, 1, MPI_INT, partner, i % 2 ? MPI_ANY_TAG : i % 10, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
            SAME(value, i);
        }
    }
    return t_end();
}
