/* MPI_Bcast from every root, several sizes and types. */
#include "t.h"

static void one(MPI_Comm comm, int rank, int root, int count)
{
    int *data = rank == root ? t_values(root, count) : t_ints((size_t)count);

    OK(MPI_Bcast(data, count, MPI_INT, root, comm));
    for (int i = 0; i < count; i++)
        SAME(data[i], t_value(root, i));
    free(data);
}

static void bytes(MPI_Comm comm, int rank, int root, size_t n)
{
    struct t_buffer data;

    t_buffer_new(&data, n, n % 7);
    if (rank == root)
        t_fill(data.data, n, (unsigned)root);
    OK(MPI_Bcast(data.data, (int)n, MPI_BYTE, root, comm));
    DATA(data.data, n, (unsigned)root);
    GUARDS(&data);
    t_buffer_free(&data);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++)
        for (int root = 0; root < size; root++)
            if (t_worth(comm, t_counts[k], root, size))
                one(comm, rank, root, t_counts[k]);
    for (size_t n = 1; n <= 1u << 20; n = n * 3 + 1)
        bytes(comm, rank, (int)n % size, n);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
