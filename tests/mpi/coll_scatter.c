/* MPI_Scatter and MPI_Scatterv from every root, ragged and empty pieces, gaps, in place. */
#include "t.h"

static int piece(int root, int r, int i) { return t_value(root, r * 100 + i); }

static void scatter(MPI_Comm comm, int rank, int size, int root, int count, int in_place)
{
    int *all = rank == root ? t_ints((size_t)count * (size_t)size) : NULL,
        *mine = t_ints((size_t)count);

    for (int r = 0; all && r < size; r++)
        for (int i = 0; i < count; i++)
            all[(size_t)r * (size_t)count + (size_t)i] = piece(root, r, i);
    if (in_place && rank == root)
        OK(MPI_Scatter(all, count, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, comm));
    else
        OK(MPI_Scatter(all, count, MPI_INT, mine, count, MPI_INT, root, comm));
    for (int i = 0; i < count; i++)
        SAME(mine[i], in_place && rank == root ? -1 : piece(root, rank, i));
    free(all);
    free(mine);
}

static int ragged(int r, int count) { return r % 3 == 2 ? 0 : count / (1 + r % 5); }

static void scatterv(MPI_Comm comm, int rank, int size, int root, int count, int in_place)
{
    int n = ragged(rank, count), counts[64] = {0}, places[64] = {0};
    int *all = t_ints((size_t)size * (size_t)(count + 2)), *mine = t_ints((size_t)count);

    for (int r = 0; r < size; r++) {
        counts[r] = ragged(r, count);
        places[r] = (size - 1 - r) * (count + 2);
        for (int i = 0; rank == root && i < counts[r]; i++)
            all[places[r] + i] = piece(root, r, i);
    }
    if (in_place && rank == root)
        OK(MPI_Scatterv(all, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root,
                        comm));
    else
        OK(MPI_Scatterv(all, counts, places, MPI_INT, mine, n, MPI_INT, root, comm));
    for (int i = 0; i < count; i++)
        SAME(mine[i], i >= n || (in_place && rank == root) ? -1 : piece(root, rank, i));
    free(all);
    free(mine);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++)
        for (int root = 0; root < size; root++)
            for (int in_place = 0; in_place < 2 && t_worth(comm, t_counts[k], root, size);
                 in_place++) {
                scatter(comm, rank, size, root, t_counts[k], in_place);
                scatterv(comm, rank, size, root, t_counts[k], in_place);
            }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
