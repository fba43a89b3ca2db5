/* MPI_Gather and MPI_Gatherv to every root, ragged and empty contributions, gaps, in place. */
#include "t.h"

static void gather(MPI_Comm comm, int rank, int size, int root, int count, int in_place)
{
    int *mine = t_values(rank, count), *all = rank == root ? t_ints((size_t)count * (size_t)size)
                : NULL;

    if (in_place && rank == root) {
        memcpy(all + (size_t)rank * (size_t)count, mine, (size_t)count * sizeof *mine);
        OK(MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, root, comm));
    } else {
        OK(MPI_Gather(mine, count, MPI_INT, all, count, MPI_INT, root, comm));
    }
    for (int r = 0; all && r < size; r++)
        for (int i = 0; i < count; i++)
            SAME(all[(size_t)r * (size_t)count + (size_t)i], t_value(r, i));
    free(mine);
    free(all);
}

static int ragged(int r, int count) { return r % 3 == 1 ? 0 : count / (1 + r % 4); }

/* Blocks lie in reverse order with one untouched element between them. */
static void gatherv(MPI_Comm comm, int rank, int size, int root, int count, int in_place)
{
    int n = ragged(rank, count), total = size * (count + 1), counts[64] = {0}, places[64] = {0};
    int *mine = t_values(rank, n), *all = t_ints((size_t)total);

    for (int r = 0; r < size; r++) {
        counts[r] = ragged(r, count);
        places[r] = (size - 1 - r) * (count + 1);
    }
    if (in_place && rank == root) {
        memcpy(all + places[rank], mine, (size_t)n * sizeof *mine);
        OK(MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, root,
                       comm));
    } else {
        OK(MPI_Gatherv(mine, n, MPI_INT, all, counts, places, MPI_INT, root, comm));
    }
    for (int r = 0; rank == root && r < size; r++)
        for (int i = 0; i <= count; i++)
            SAME(all[places[r] + i], i < counts[r] ? t_value(r, i) : -1);
    free(mine);
    free(all);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++)
        for (int root = 0; root < size; root++)
            for (int in_place = 0; in_place < 2 && t_worth(comm, t_counts[k], root, size);
                 in_place++) {
                gather(comm, rank, size, root, t_counts[k], in_place);
                gatherv(comm, rank, size, root, t_counts[k], in_place);
            }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
