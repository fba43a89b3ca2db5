/* MPI_Scan and MPI_Exscan, in place too, with an operation that does not commute. */
#include <unistd.h>

#include "t.h"
#include "compose.h"

static void sums(MPI_Comm comm, int rank, int count, int in_place)
{
    int *mine = t_values(rank, count), *scan = t_ints((size_t)count),
        *exscan = t_ints((size_t)count);

    if (in_place) {
        memcpy(scan, mine, (size_t)count * sizeof *mine);
        memcpy(exscan, mine, (size_t)count * sizeof *mine);
    }
    OK(MPI_Scan(in_place ? MPI_IN_PLACE : mine, scan, count, MPI_INT, MPI_SUM, comm));
    OK(MPI_Exscan(in_place ? MPI_IN_PLACE : mine, exscan, count, MPI_INT, MPI_SUM, comm));
    for (int i = 0; i < count; i++) {
        int before = 0;

        for (int r = 0; r < rank; r++)
            before += t_value(r, i);
        SAME(scan[i], before + t_value(rank, i));
        if (rank > 0)
            SAME(exscan[i], before);
    }
    free(mine);
    free(scan);
    free(exscan);
}

static void in_order(MPI_Comm comm, int rank, int count)
{
    uint64_t *mine = t_alloc((size_t)count * 8), *scan = t_alloc((size_t)count * 8),
        *ex = t_alloc((size_t)count * 8);
    MPI_Op op;

    OK(MPI_Op_create(compose, 0, &op));
    for (int i = 0; i < count; i++)
        mine[i] = compose_value(rank, i);
    OK(MPI_Scan(mine, scan, count, MPI_UINT64_T, op, comm));
    OK(MPI_Exscan(mine, ex, count, MPI_UINT64_T, op, comm));
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    for (int i = 0; i < count; i++) {
        SAME(scan[i], compose_ranks(0, rank + 1, i));
        if (rank > 0)
            SAME(ex[i], compose_ranks(0, rank, i));
    }
    free(mine);
    free(scan);
    free(ex);
}

static void body(MPI_Comm comm, int rank, int size)
{
    for (int k = 0; k < T_COUNTS; k++)
        if (t_worth(comm, t_counts[k], 0, size)) {
            sums(comm, rank, t_counts[k], 0);
            sums(comm, rank, t_counts[k], 1);
        }
    in_order(comm, rank, 1);
    in_order(comm, rank, 3000);
}

/* The first rank gets nothing, and needs no place for it, blocking or not, however long. */
static void no_place(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = { 0, 1, 500, 20000 };
    (void)size;
    for (int c = 0; c < 8; c++) {
        int n = counts[c / 2], *out = t_ints((size_t)n), *in = rank ? t_ints((size_t)n) : NULL;
        MPI_Request r = MPI_REQUEST_NULL;
        for (int i = 0; i < n; i++)
            out[i] = i;
        if (c % 2)
            OK(MPI_Iexscan(out, in, n, MPI_INT, MPI_BXOR, comm, &r));
        else
            OK(MPI_Exscan(out, in, n, MPI_INT, MPI_BXOR, comm));
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        for (int i = 0; i < n && rank; i++)
            SAME(in[i], rank % 2 ? i : 0);
        free(out);
        free(in);
    }
}

/* The others are asleep when a rank comes, alone or in a row that runs ahead of them. */
static void late(MPI_Comm comm, int rank, int size)
{
    const int who[] = { 0, size / 2, size - 1 };
    for (int k = 0; k < 6; k++) {
        const int row = k < 3 ? 1 : 200;
        OK(MPI_Barrier(comm));
        if (rank == who[k % 3])
            usleep(20000);
        for (int i = 0; i < row; i++) {
            int mine = rank + i, sum = -1;
            OK(MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
            SAME(sum, rank * (rank + 1) / 2 + i * (rank + 1));
        }
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    t_on_comms(no_place);
    t_on_comms(late);
    return t_end();
}
