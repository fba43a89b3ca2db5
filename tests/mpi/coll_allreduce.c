/* MPI_Allreduce, in place too; floating point gives every rank the same bits. */
#include "t.h"

static void one(MPI_Comm comm, int rank, int size, int count, int in_place)
{
    int *mine = t_values(rank, count), *result = t_ints((size_t)count);

    if (in_place) {
        memcpy(result, mine, (size_t)count * sizeof *mine);
        OK(MPI_Allreduce(MPI_IN_PLACE, result, count, MPI_INT, MPI_SUM, comm));
    } else {
        OK(MPI_Allreduce(mine, result, count, MPI_INT, MPI_SUM, comm));
    }
    for (int i = 0; i < count; i++) {
        int sum = 0;

        for (int r = 0; r < size; r++)
            sum += t_value(r, i);
        SAME(result[i], sum);
        SAME(mine[i], t_value(rank, i));
    }
    free(mine);
    free(result);
}

static void same_bits(MPI_Comm comm, int rank, int count)
{
    double *mine = t_alloc((size_t)count * sizeof *mine),
        *sum = t_alloc((size_t)count * sizeof *sum);
    double *first = t_alloc((size_t)count * sizeof *first);

    for (int i = 0; i < count; i++)
        mine[i] = 1.0 / (1 + rank * 7 + i);
    OK(MPI_Allreduce(mine, sum, count, MPI_DOUBLE, MPI_SUM, comm));
    memcpy(first, sum, (size_t)count * sizeof *sum);
    OK(MPI_Bcast(first, count, MPI_DOUBLE, 0, comm));
    CHECK(memcmp(first, sum, (size_t)count * sizeof *sum) == 0);
    free(mine);
    free(sum);
    free(first);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++)
        if (t_worth(comm, t_counts[k], 0, size)) {
            one(comm, rank, size, t_counts[k], 0);
            one(comm, rank, size, t_counts[k], 1);
        }
    same_bits(comm, rank, 1);
    same_bits(comm, rank, 1000);
    same_bits(comm, rank, 30000);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
