/* As many ranks as 256 on a small machine: barriers, a ring, everyone to everyone, a sum. */
#include "t.h"

static void ring(void)
{
    int token = -1;

    for (int lap = 0; lap < 3; lap++) {
        if (t_rank == 0)
            OK(MPI_Send(&lap, 1, MPI_INT, t_next(), lap, MPI_COMM_WORLD));
        OK(MPI_Recv(&token, 1, MPI_INT, t_prev(), lap, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        SAME(token, lap + (t_rank == 0 ? t_size - 1 : t_rank - 1));
        token++;
        if (t_rank != 0)
            OK(MPI_Send(&token, 1, MPI_INT, t_next(), lap, MPI_COMM_WORLD));
    }
}

static void everyone_to_everyone(int count)
{
    size_t total = (size_t)t_size * (size_t)count;
    int *out = t_ints(total), *in = t_ints(total);

    for (int to = 0; to < t_size; to++)
        for (int i = 0; i < count; i++)
            out[(size_t)to * (size_t)count + (size_t)i] = t_value(t_rank, to + i);
    OK(MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < t_size; from++)
        for (int i = 0; i < count; i++)
            SAME(in[(size_t)from * (size_t)count + (size_t)i], t_value(from, t_rank + i));
    free(out);
    free(in);
}

static void sum(int count)
{
    int *mine = t_values(t_rank, count), *all = t_ints((size_t)count);

    OK(MPI_Allreduce(mine, all, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    for (int i = 0; i < count; i += 1 + count / 50) {
        int want = 0;

        for (int r = 0; r < t_size; r++)
            want += t_value(r, i);
        SAME(all[i], want);
    }
    free(mine);
    free(all);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < 5; i++)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    ring();
    everyone_to_everyone(1);
    everyone_to_everyone(40);
    sum(1);
    sum(10000);
    return t_end();
}
