/* MPI_Alltoall and MPI_Alltoallv, ragged and empty blocks, gaps, in place. */
#include "t.h"

static int word(int from, int to, int i) { return t_value(from, to * 53 + i); }

static void fill(int *data, int from, int size, int count)
{
    for (int to = 0; to < size; to++)
        for (int i = 0; i < count; i++)
            data[(size_t)to * (size_t)count + (size_t)i] = word(from, to, i);
}

static void alltoall(MPI_Comm comm, int rank, int size, int count, int in_place)
{
    size_t total = (size_t)count * (size_t)size;
    int *out = t_ints(total), *in = t_ints(total);

    fill(in_place ? in : out, rank, size, count);
    if (in_place)
        OK(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, count, MPI_INT, comm));
    else
        OK(MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm));
    for (int from = 0; from < size; from++)
        for (int i = 0; i < count; i++)
            SAME(in[(size_t)from * (size_t)count + (size_t)i], word(from, rank, i));
    free(out);
    free(in);
}

static int ragged(int from, int to, int count)
{
    return (from + to) % 3 == 1 ? 0 : count / (1 + (from + 2 * to) % 4);
}

/* Blocks go out in order and come in reversed, one untouched element after each. */
static void alltoallv(MPI_Comm comm, int rank, int size, int count)
{
    int out_counts[64] = {0}, out_places[64] = {0}, in_counts[64] = {0}, in_places[64] = {0};
    size_t total = (size_t)(count + 1) * (size_t)size;
    int *out = t_ints(total), *in = t_ints(total);

    for (int r = 0; r < size; r++) {
        out_counts[r] = ragged(rank, r, count);
        out_places[r] = r * (count + 1);
        in_counts[r] = ragged(r, rank, count);
        in_places[r] = (size - 1 - r) * (count + 1);
        for (int i = 0; i < out_counts[r]; i++)
            out[out_places[r] + i] = word(rank, r, i);
    }
    OK(MPI_Alltoallv(out, out_counts, out_places, MPI_INT, in, in_counts, in_places, MPI_INT,
                     comm));
    for (int r = 0; r < size; r++)
        for (int i = 0; i <= count; i++)
            SAME(in[in_places[r] + i], i < in_counts[r] ? word(r, rank, i) : -1);
    free(out);
    free(in);
}

/* In place the two directions of a pair are of one size. */
static void alltoallv_in_place(MPI_Comm comm, int rank, int size, int count)
{
    int counts[64] = {0}, places[64] = {0};
    int *data = t_ints((size_t)(count + 1) * (size_t)size);

    for (int r = 0; r < size; r++) {
        counts[r] = count / (1 + (rank + r) % 3);
        places[r] = (size - 1 - r) * (count + 1);
        for (int i = 0; i < counts[r]; i++)
            data[places[r] + i] = word(rank, r, i);
    }
    OK(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, data, counts, places, MPI_INT,
                     comm));
    for (int r = 0; r < size; r++)
        for (int i = 0; i <= count; i++)
            SAME(data[places[r] + i], i < counts[r] ? word(r, rank, i) : -1);
    free(data);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++) {
        int count = t_counts[k] < T_LARGE ? t_counts[k] : t_counts[k] / size;

        if (!t_worth(comm, t_counts[k], 0, size))
            continue;
        alltoall(comm, rank, size, count, 0);
        alltoall(comm, rank, size, count, 1);
        alltoallv(comm, rank, size, count);
        alltoallv_in_place(comm, rank, size, count);
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
