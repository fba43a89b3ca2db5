/* A type that is freed while requests use it works on, and so do types made of it, and
 * operations of reductions. */
#include <stdbool.h>

#include "column.h"

static struct matrix out, in;

static void requests(void)
{
    MPI_Datatype column = column_type();
    MPI_Request r[2];
    matrix_clear(&in);
    OK(MPI_Irecv(&in.a[0][2], 2, column, t_prev(), 0, MPI_COMM_WORLD, &r[0]));
    OK(MPI_Issend(&out.a[0][1], 2, column, t_next(), 0, MPI_COMM_WORLD, &r[1]));
    OK(MPI_Type_free(&column));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    matrix_check(&in, t_prev(), 1, 2, 2, 2 * ROWS);
}

static void persistent(void)
{
    MPI_Datatype column = column_type();
    MPI_Request r[2];
    OK(MPI_Recv_init(&in.a[0][2], 2, column, t_prev(), 0, MPI_COMM_WORLD, &r[0]));
    OK(MPI_Send_init(&out.a[0][1], 2, column, t_next(), 0, MPI_COMM_WORLD, &r[1]));
    OK(MPI_Type_free(&column));
    for (int i = 0; i < 3; i++) {
        matrix_clear(&in);
        OK(MPI_Startall(2, r));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        matrix_check(&in, t_prev(), 1, 2, 2, 2 * ROWS);
    }
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
}

static void inner(void)
{
    MPI_Datatype column = column_type(), two;
    OK(MPI_Type_contiguous(2, column, &two));
    OK(MPI_Type_free(&column));
    OK(MPI_Type_commit(&two));
    matrix_clear(&in);
    OK(MPI_Sendrecv(&out.a[0][1], 1, two, t_next(), 0, &in.a[0][2], 1, two, t_prev(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    matrix_check(&in, t_prev(), 1, 2, 2, 2 * ROWS);
    OK(MPI_Type_free(&two));
}

/* Of one freed request per rank nothing is left that could be looked at but the data. */
static void request_freed(void)
{
    MPI_Datatype column = column_type();
    MPI_Request r;
    matrix_clear(&in);
    OK(MPI_Isend(&out.a[0][1], 1, column, t_next(), 0, MPI_COMM_WORLD, &r));
    OK(MPI_Request_free(&r));
    OK(MPI_Type_free(&column));
    column = column_type();
    OK(MPI_Recv(&in.a[0][2], 1, column, t_prev(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    matrix_check(&in, t_prev(), 1, 2, 1, ROWS);
    OK(MPI_Type_free(&column));
}

/* -- the type and the user's operation of a reduction */

static void add_columns(void *in, void *inout, int *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent;
    OK(MPI_Type_get_extent(*type, &lb, &extent));
    for (int i = 0; i < *count; i++)
        for (int row = 0; row < ROWS; row++) {
            size_t at = (size_t)(i * extent) + sizeof(int) * COLUMNS * (size_t)row;
            *(int *)((char *)inout + at) += *(const int *)((const char *)in + at);
        }
}

static void add_ints(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((const int *)in)[i];
}

typedef int start_reduction(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm, MPI_Request *request);

static int to_rank_0(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm, MPI_Request *request)
{
    return MPI_Ireduce(from, to, count, type, op, 0, comm, request);
}

/* Who gets a sum, and whether only of the ranks up to its own. */
static const struct reduction { start_reduction *start; bool only_rank_0, prefix; } reductions[] = {
    { MPI_Iallreduce, false, false }, { to_rank_0, true, false }, { MPI_Iscan, false, true },
};

/* The sum of the ranks' values: each is 100000 * rank more than that of rank 0. */
static int sum(int of_rank_0, bool prefix)
{
    int ranks = prefix ? t_rank + 1 : t_size;
    return of_rank_0 * ranks + 100000 * (ranks * (ranks - 1) / 2);
}

/* Nobody waits before everybody has freed both: no rank can have ended before.  The handles are
 * used again at once, by an operation that would do harm. */
static void harm(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in; (void)inout; (void)count; (void)type;
    FAIL("the operation of another handle was called");
}

static void freed_at_once(MPI_Op *op, MPI_Datatype *type, MPI_Request *r)
{
    MPI_Op other;
    if (type)
        OK(MPI_Type_free(type));
    OK(MPI_Op_free(op));
    OK(MPI_Op_create(harm, 1, &other));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Wait(r, MPI_STATUS_IGNORE));
    OK(MPI_Op_free(&other));
}

static void of_columns(const struct reduction *how)
{
    MPI_Datatype column = column_type();
    MPI_Request r;
    MPI_Op op;
    OK(MPI_Op_create(add_columns, 1, &op));
    matrix_clear(&in);
    OK(how->start(&out.a[0][1], &in.a[0][2], 2, column, op, MPI_COMM_WORLD, &r));
    freed_at_once(&op, &column, &r);
    for (int row = 0; row < ROWS && (t_rank == 0 || !how->only_rank_0); row++) {
        SAME(in.a[row][2], sum(100 * row + 1, how->prefix));
        SAME(in.a[row][3], sum(100 * row + 2, how->prefix));
        SAME(in.a[row][4], -1);
    }
}

/* Without gaps: predefined, and three in a row. */
static void of_ints(const struct reduction *how, bool derived)
{
    MPI_Datatype type = MPI_INT, *made = derived ? &type : NULL;
    int from[3] = { 100000 * t_rank, 100000 * t_rank + 1, 100000 * t_rank + 2 }, to[3];
    MPI_Request r;
    MPI_Op op;
    if (derived)
        OK(MPI_Type_contiguous(1, MPI_INT, &type));
    if (derived)
        OK(MPI_Type_commit(&type));
    OK(MPI_Op_create(add_ints, 1, &op));
    OK(how->start(from, to, 3, type, op, MPI_COMM_WORLD, &r));
    freed_at_once(&op, made, &r);
    for (int i = 0; i < 3 && (t_rank == 0 || !how->only_rank_0); i++)
        SAME(to[i], sum(i, how->prefix));
}

static void reduction(void)
{
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
        of_columns(&reductions[i]);
        of_ints(&reductions[i], false);
        of_ints(&reductions[i], true);
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    matrix_fill(&out, t_rank);
    requests();
    persistent();
    inner();
    request_freed();
    reduction();
    return t_end();
}
