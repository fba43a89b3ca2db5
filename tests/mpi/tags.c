/* Tags up to the least upper bound that the standard promises, told apart in every bit. */
#include "t.h"

enum { TAGS = 17 };

int main(int argc, char **argv)
{
    MPI_Request sends[TAGS];
    MPI_Status status;
    int tags[TAGS], value;

    t_start(&argc, &argv);
    for (int i = 0; i < TAGS; i++)
        tags[i] = i == 0 ? 0 : i == 16 ? 32767 : 1 << (i - 1);
    for (int i = 0; i < TAGS; i++)
        OK(MPI_Isend(&tags[i], 1, MPI_INT, t_next(), tags[i], MPI_COMM_WORLD, &sends[i]));
    for (int i = TAGS - 1; i >= 0; i--) {
        OK(MPI_Recv(&value, 1, MPI_INT, t_prev(), tags[i], MPI_COMM_WORLD, &status));
        SAME(value, tags[i]);
        SAME(status.MPI_TAG, tags[i]);
    }
    OK(MPI_Waitall(TAGS, sends, MPI_STATUSES_IGNORE));
    return t_end();
}
