/* MPI_Allgather and MPI_Allgatherv, ragged and empty contributions, gaps, in place. */
#include "t.h"

static void allgather(MPI_Comm comm, int rank, int size, int count, int in_place)
{
    int *mine = t_values(rank, count), *all = t_ints((size_t)count * (size_t)size);

    if (in_place) {
        memcpy(all + (size_t)rank * (size_t)count, mine, (size_t)count * sizeof *mine);
        OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, comm));
    } else {
        OK(MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, comm));
    }
    for (int r = 0; r < size; r++)
        for (int i = 0; i < count; i++)
            SAME(all[(size_t)r * (size_t)count + (size_t)i], t_value(r, i));
    free(mine);
    free(all);
}

static int ragged(int r, int count) { return r % 4 == 1 ? 0 : count / (1 + r % 3); }

static void allgatherv(MPI_Comm comm, int rank, int size, int count, int in_place)
{
    int n = ragged(rank, count), counts[64] = {0}, places[64] = {0};
    int *mine = t_values(rank, n), *all = t_ints((size_t)size * (size_t)(count + 1));

    for (int r = 0; r < size; r++) {
        counts[r] = ragged(r, count);
        places[r] = (size - 1 - r) * (count + 1);
    }
    if (in_place) {
        memcpy(all + places[rank], mine, (size_t)n * sizeof *mine);
        OK(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, comm));
    } else {
        OK(MPI_Allgatherv(mine, n, MPI_INT, all, counts, places, MPI_INT, comm));
    }
    for (int r = 0; r < size; r++)
        for (int i = 0; i <= count; i++)
            SAME(all[places[r] + i], i < counts[r] ? t_value(r, i) : -1);
    free(mine);
    free(all);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++)
        for (int in_place = 0; in_place < 2 && t_worth(comm, t_counts[k], 0, size); in_place++) {
            allgather(comm, rank, size, t_counts[k], in_place);
            allgatherv(comm, rank, size, t_counts[k], in_place);
        }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
