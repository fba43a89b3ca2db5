/* Many collectives in a row without a pause, fast ranks
 * running ahead of slow ones, roots changing. */
#include "t.h"

enum { ROUNDS = 300 };

static void bcasts(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int value = t_rank == 0 ? i : -1;

        OK(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD));
        SAME(value, i);
    }
}

static void changing_roots(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int root = i % t_size, value = t_rank == root ? i : -1, sum = -1, one = i + t_rank;

        OK(MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD));
        SAME(value, i);
        OK(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD));
        if (t_rank == root)
            SAME(sum, i * t_size + t_size * (t_size - 1) / 2);
    }
}

static void reduces_to_one(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int one = i, sum = -1;

        OK(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
        if (t_rank == 0)
            SAME(sum, i * t_size);
    }
}

static void mixed(void)
{
    int *all = t_ints((size_t)t_size), *out = t_ints((size_t)t_size);

    for (int i = 0; i < ROUNDS / 3; i++) {
        int mine = t_rank * 1000 + i, value = -1;

        OK(MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < t_size; r++) {
            SAME(all[r], r * 1000 + i);
            out[r] = mine + r;
        }
        OK(MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, i % t_size, MPI_COMM_WORLD));
        SAME(value, mine);
        OK(MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD));
        for (int r = 0; r < t_size; r++)
            SAME(all[r], r * 1000 + i + t_rank);
        OK(MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, i % t_size, MPI_COMM_WORLD));
    }
    free(all);
    free(out);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    bcasts();
    changing_roots();
    reduces_to_one();
    mixed();
    return t_end();
}
