/* User operations: one that does not commute is applied in the order of ranks by every reduction,
 * to every root; one that does is applied to every element once. */
#include "compose.h"

static uint64_t *contribution(int rank, int count)
{
    uint64_t *data = t_alloc((size_t)count * sizeof *data);

    for (int i = 0; i < count; i++)
        data[i] = compose_value(rank, i);
    return data;
}

static void expect(const uint64_t *result, int count, int size, int first)
{
    for (int i = 0; i < count; i++)
        SAME(result[i], compose_ranks(0, size, first + i));
}

static void to_one(MPI_Comm comm, int rank, int size, int count, MPI_Op op)
{
    uint64_t *mine = contribution(rank, count), *result = contribution(rank, count);

    for (int root = 0; root < size; root++) {
        OK(MPI_Reduce(mine, result, count, MPI_UINT64_T, op, root, comm));
        if (rank == root)
            expect(result, count, size, 0);
        memcpy(result, mine, (size_t)count * sizeof *mine);
        OK(MPI_Reduce(rank == root ? MPI_IN_PLACE : mine, result, count, MPI_UINT64_T, op, root,
                      comm));
        if (rank == root)
            expect(result, count, size, 0);
    }
    free(mine);
    free(result);
}

static void to_all(MPI_Comm comm, int rank, int size, int count, MPI_Op op)
{
    uint64_t *mine = contribution(rank, count), *result = contribution(rank, count);

    OK(MPI_Allreduce(MPI_IN_PLACE, result, count, MPI_UINT64_T, op, comm));
    expect(result, count, size, 0);
    memset(result, 0, (size_t)count * sizeof *mine);
    OK(MPI_Allreduce(mine, result, count, MPI_UINT64_T, op, comm));
    expect(result, count, size, 0);
    free(mine);
    free(result);
}

/* Blocks of one size, and of sizes that differ. */
static void in_parts(MPI_Comm comm, int rank, int size, int count, MPI_Op op)
{
    uint64_t *mine = contribution(rank, count * size), *result = contribution(rank, count);
    int counts[64] = { 0 }, total = 0, first = 0;

    OK(MPI_Reduce_scatter_block(mine, result, count, MPI_UINT64_T, op, comm));
    expect(result, count, size, rank * count);
    for (int r = 0; r < size; total += counts[r++]) {
        counts[r] = r % 3 == 1 ? 0 : count / (1 + r % 2);
        first = r == rank ? total : first;
    }
    OK(MPI_Reduce_scatter(mine, result, counts, MPI_UINT64_T, op, comm));
    expect(result, counts[rank], size, first);
    free(mine);
    free(result);
}

static void longest(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int *a = in, *b = inout;

    CHECK(*type == MPI_INT);
    for (int i = 0; i < *length; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void commuting(MPI_Comm comm, int rank, int size)
{
    int mine[100], result[100];
    MPI_Op op;

    OK(MPI_Op_create(longest, 1, &op));
    for (int i = 0; i < 100; i++)
        mine[i] = (rank * 31 + i * 17) % 101;
    OK(MPI_Allreduce(mine, result, 100, MPI_INT, op, comm));
    for (int i = 0; i < 100; i++) {
        int most = 0;

        for (int r = 0; r < size; r++)
            most = (r * 31 + i * 17) % 101 > most ? (r * 31 + i * 17) % 101 : most;
        SAME(result[i], most);
    }
    OK(MPI_Op_free(&op));
}

static void body(MPI_Comm comm, int rank, int size)
{
    static const int counts[] = { 1, 7, 5000 };
    MPI_Op op;

    OK(MPI_Op_create(compose, 0, &op));
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        to_one(comm, rank, size, counts[i], op);
        to_all(comm, rank, size, counts[i], op);
        in_parts(comm, rank, size, counts[i], op);
    }
    OK(MPI_Op_free(&op));
    CHECK(op == MPI_OP_NULL);
    commuting(comm, rank, size);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
