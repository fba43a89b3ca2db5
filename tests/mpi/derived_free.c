/* A type that is freed while requests use it works on, and so do types made of it. */
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

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    matrix_fill(&out, t_rank);
    requests();
    persistent();
    inner();
    request_freed();
    return t_end();
}
