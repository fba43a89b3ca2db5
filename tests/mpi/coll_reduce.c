/* MPI_Reduce to every root, in place too. */
#include "t.h"

static int expected(int size, int i)
{
    int sum = 0;

    for (int r = 0; r < size; r++)
        sum += t_value(r, i);
    return sum;
}

static void one(MPI_Comm comm, int rank, int size, int root, int count, int in_place)
{
    int *mine = t_values(rank, count), *result = rank == root ? t_ints((size_t)count) : NULL;

    if (in_place && rank == root) {
        memcpy(result, mine, (size_t)count * sizeof *mine);
        OK(MPI_Reduce(MPI_IN_PLACE, result, count, MPI_INT, MPI_SUM, root, comm));
    } else {
        OK(MPI_Reduce(mine, result, count, MPI_INT, MPI_SUM, root, comm));
    }
    for (int i = 0; i < count; i++)
        SAME(mine[i], t_value(rank, i));
    for (int i = 0; rank == root && i < count; i++)
        SAME(result[i], expected(size, i));
    free(mine);
    free(result);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++)
        for (int root = 0; root < size; root++)
            if (t_worth(comm, t_counts[k], root, size)) {
                one(comm, rank, size, root, t_counts[k], 0);
                one(comm, rank, size, root, t_counts[k], 1);
            }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
