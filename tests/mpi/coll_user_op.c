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

/* An operation on elements with gaps gets copies, whose gaps are zeros, not what memory held before
 * that was the program's. */
struct cell { int a, gap, b; };

static void add_cells(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct cell *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *length; i++) {
        CHECK(a[i].gap == 0 && b[i].gap == 0);
        b[i].a += a[i].a;
        b[i].b += a[i].b;
    }
}

static void leave_traces(void)
{
    enum { EACH = 8 };
    void *block[EACH];
    for (size_t bytes = 16; bytes <= 1024; bytes += 16) {
        for (int i = 0; i < EACH; i++)
            memset(block[i] = t_alloc(bytes), 0xa5, bytes);
        for (int i = 0; i < EACH; i++)
            free(block[i]);
    }
}

static void gaps(MPI_Comm comm, int rank, int size)
{
    struct cell mine[5], result[5];
    MPI_Datatype vector, type;
    MPI_Op op;

    OK(MPI_Type_vector(2, 1, 2, MPI_INT, &vector));
    OK(MPI_Type_create_resized(vector, 0, sizeof(struct cell), &type));
    OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(add_cells, 1, &op));
    for (int count = 1; count <= 5; count++) {
        for (int i = 0; i < count; i++)
            mine[i] = (struct cell){ rank + i, 77, 1 };
        memset(result, -1, sizeof result);
        leave_traces();
        OK(MPI_Allreduce(mine, result, count, type, op, comm));
        for (int i = 0; i < count; i++) {
            SAME(result[i].a, size * (size - 1) / 2 + size * i);
            SAME(result[i].b, size);
            SAME(result[i].gap, -1);
        }
    }
    OK(MPI_Op_free(&op));
    OK(MPI_Type_free(&vector));
    OK(MPI_Type_free(&type));
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
    gaps(comm, rank, size);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_on_comms(body);
    return t_end();
}
