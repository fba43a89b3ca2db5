/* A column of a matrix of ints, as a vector type: what tests of derived types send. */
#ifndef COLUMN_H
#define COLUMN_H

#include "t.h"

enum { ROWS = 50, COLUMNS = 7 };
struct matrix { int a[ROWS][COLUMNS]; };

static inline MPI_Datatype column_type(void)
{
    MPI_Datatype vector, column;
    OK(MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &vector));
    OK(MPI_Type_create_resized(vector, 0, sizeof(int), &column));
    OK(MPI_Type_free(&vector));
    OK(MPI_Type_commit(&column));
    return column;
}

/* What a rank has at first. */
static inline void matrix_fill(struct matrix *m, int rank)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            m->a[i][j] = 100000 * rank + 100 * i + j;
}

static inline void matrix_clear(struct matrix *m) { memset(m, 0xff, sizeof *m); }

/* `count` columns from `to` on hold the first `elements` of those from `from` on of that rank;
 * nothing else is touched. */
static inline void matrix_check(const struct matrix *m, int rank, int from, int to, int count,
                                int elements)
{
    struct matrix want, sent;
    matrix_clear(&want);
    matrix_fill(&sent, rank);
    for (int e = 0; e < elements && e < count * ROWS; e++)
        want.a[e % ROWS][to + e / ROWS] = sent.a[e % ROWS][from + e / ROWS];
    if (memcmp(&want, m, sizeof want) != 0)
        FAIL("columns of rank %d are wrong", rank);
}

#endif
