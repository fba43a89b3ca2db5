/* All ranks flood rank 0, itself included, with messages of
 * several sizes; rank 0 takes them from anyone. */
#include "t.h"

enum { EACH = 1500, MOST = 3000 };

static int count_of(int i) { return i % 100 == 99 ? MOST : 2 + i % 14; }

static void check(const int *data, const MPI_Status *status, int *next)
{
    int count, number = next[status->MPI_SOURCE]++;

    OK(MPI_Get_count(status, MPI_INT, &count));
    SAME(status->MPI_TAG, number % 50);
    SAME(count, count_of(number));
    SAME(data[0], status->MPI_SOURCE);
    SAME(data[count - 1], number);
}

int main(int argc, char **argv)
{
    static int out[EACH][MOST];
    MPI_Request *sends;

    t_start(&argc, &argv);
    sends = t_alloc(EACH * sizeof *sends);
    for (int i = 0; i < EACH; i++) {
        out[i][0] = t_rank;
        out[i][count_of(i) - 1] = i;
        OK(MPI_Isend(out[i], count_of(i), MPI_INT, 0, i % 50, MPI_COMM_WORLD, &sends[i]));
    }
    if (t_rank == 0) {
        int *next = calloc((size_t)t_size, sizeof *next), in[MOST];
        MPI_Status status;

        CHECK(next);
        for (int i = 0; i < EACH * t_size; i++) {
            OK(MPI_Recv(in, MOST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            check(in, &status, next);
        }
        free(next);
    }
    OK(MPI_Waitall(EACH, sends, MPI_STATUSES_IGNORE));
    free(sends);
    return t_end();
}
