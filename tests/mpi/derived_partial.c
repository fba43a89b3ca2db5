/* Messages shorter than the receive, which may end within an element, and longer ones; and a
 * matrix that is transposed on its way. */
#include "column.h"

static MPI_Datatype column;
static struct matrix out, in;

static void partial(int ints)
{
    MPI_Status status;
    MPI_Request r;
    int count, elements;
    int *line = t_ints(3 * ROWS);
    for (int e = 0; e < 3 * ROWS; e++)
        line[e] = 100000 * t_rank + 100 * (e % ROWS) + 1 + e / ROWS;
    matrix_clear(&in);
    OK(MPI_Isend(line, ints, MPI_INT, t_next(), 0, MPI_COMM_WORLD, &r));
    OK(MPI_Recv(&in.a[0][3], 3, column, t_prev(), 0, MPI_COMM_WORLD, &status));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    matrix_check(&in, t_prev(), 1, 3, 3, ints);
    OK(MPI_Get_count(&status, column, &count));
    SAME(count, ints % ROWS ? MPI_UNDEFINED : ints / ROWS);
    OK(MPI_Get_elements(&status, column, &elements));
    SAME(elements, ints);
    free(line);
}

/* What fits arrives, and nothing more. */
static void truncated(void)
{
    MPI_Request r;
    matrix_clear(&in);
    OK(MPI_Isend(&out.a[0][1], 3, column, t_next(), 0, MPI_COMM_WORLD, &r));
    CLASS(MPI_Recv(&in.a[0][3], 2, column, t_prev(), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_ERR_TRUNCATE);
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (j != 3 && j != 4)
                SAME(in.a[i][j], -1);
}

static void transpose(void)
{
    int turned[COLUMNS][ROWS];
    MPI_Request r;
    OK(MPI_Isend(&out, COLUMNS, column, t_next(), 0, MPI_COMM_WORLD, &r));
    OK(MPI_Recv(turned, ROWS * COLUMNS, MPI_INT, t_prev(), 0, MPI_COMM_WORLD,
                MPI_STATUS_IGNORE));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            SAME(turned[j][i], 100000 * t_prev() + 100 * i + j);
}

/* A mebibyte in blocks, which goes by rendezvous: from strided to strided, and to ints in a row. */
static void large(void)
{
    enum { BLOCKS = 1 << 17 };
    int *strided = t_ints(3 * BLOCKS), *back = t_ints(3 * BLOCKS), *line = t_ints(2 * BLOCKS);
    MPI_Datatype t;
    OK(MPI_Type_vector(BLOCKS, 2, 3, MPI_INT, &t));
    OK(MPI_Type_commit(&t));
    for (int i = 0; i < 3 * BLOCKS; i++)
        strided[i] = t_value(t_rank, i);
    OK(MPI_Sendrecv(strided, 1, t, t_next(), 0, line, 2 * BLOCKS, MPI_INT, t_prev(), 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(strided, 1, t, t_next(), 0, back, 1, t, t_prev(), 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    for (int i = 0; i < 3 * BLOCKS - 1; i++) {
        SAME(back[i], i % 3 < 2 ? t_value(t_prev(), i) : -1);
        if (i % 3 < 2)
            SAME(line[i / 3 * 2 + i % 3], t_value(t_prev(), i));
    }
    OK(MPI_Type_free(&t));
    free(strided);
    free(back);
    free(line);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    column = column_type();
    matrix_fill(&out, t_rank);
    for (int ints = 0; ints <= 3 * ROWS; ints += 25)
        partial(ints);
    truncated();
    transpose();
    large();
    OK(MPI_Type_free(&column));
    return t_end();
}
