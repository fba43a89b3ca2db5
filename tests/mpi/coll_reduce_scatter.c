/* MPI_Reduce_scatter with ragged and empty pieces, and MPI_Reduce_scatter_block, in place too. */
#include "t.h"

static int expected(int size, int i)
{
    int sum = 0;

    for (int r = 0; r < size; r++)
        sum += t_value(r, i);
    return sum;
}

static void block(MPI_Comm comm, int rank, int size, int count, int in_place)
{
    int *mine = t_values(rank, count * size), *result = t_ints((size_t)count);
    const int *got = in_place ? mine : result;

    OK(MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : mine, in_place ? mine : result, count,
                                MPI_INT, MPI_SUM,
                                comm));
    for (int i = 0; i < count; i++)
        SAME(got[i], expected(size, rank * count + i));
    free(mine);
    free(result);
}

static void ragged(MPI_Comm comm, int rank, int size, int count, int in_place)
{
    int counts[64] = {0}, total = 0, start = 0, *mine, *result = t_ints((size_t)count);
    const int *got;

    for (int r = 0; r < size; r++) {
        counts[r] = r % 3 == 1 ? 0 : count / (1 + r % 2);
        start += r < rank ? counts[r] : 0;
        total += counts[r];
    }
    mine = t_values(rank, total);
    got = in_place ? mine : result;
    OK(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : mine, in_place ? mine : result, counts,
                          MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < counts[rank]; i++)
        SAME(got[i], expected(size, start + i));
    for (int i = counts[rank]; !in_place && i < count; i++)
        SAME(result[i], -1);
    free(mine);
    free(result);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++) {
        int count = t_counts[k] < T_LARGE ? t_counts[k] : t_counts[k] / size;

        for (int in_place = 0; in_place < 2 && t_worth(comm, t_counts[k], 0, size); in_place++) {
            block(comm, rank, size, count, in_place);
            ragged(comm, rank, size, count, in_place);
        }
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
