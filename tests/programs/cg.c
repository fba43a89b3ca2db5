/* Conjugate gradients for Poisson's equation on a square grid, rows dealt out in blocks.  Dot
 * products are summed row by row in the order of rows, whoever owns them, so that all iterates have
 * the same bits on any number of ranks. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64, MOST = 500 };

static int rank, size, first, rows, *counts, *places;

static double *vector_new(void)
{
    /* with a row of a neighbour at either end */
    double *v = calloc((size_t)(rows + 2) * N, sizeof *v);

    if (!v)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return v;
}

static double *row(double *v, int i) { return v + (size_t)(i + 1) * N; }

static void exchange(double *v)
{
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request requests[4];

    MPI_Irecv(row(v, -1), N, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row(v, rows), N, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row(v, 0), N, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row(v, rows - 1), N, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* q = A p: the five-point stencil with zero outside. */
static void multiply(double *p, double *q)
{
    exchange(p);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++) {
            double sum = 4 * row(p, i)[j] - row(p, i - 1)[j] - row(p, i + 1)[j];

            sum -= j > 0 ? row(p, i)[j - 1] : 0;
            sum -= j < N - 1 ? row(p, i)[j + 1] : 0;
            row(q, i)[j] = sum;
        }
}

static double dot(double *a, double *b)
{
    double mine[N], all[N], total = 0;

    for (int i = 0; i < rows; i++) {
        mine[i] = 0;
        for (int j = 0; j < N; j++)
            mine[i] += row(a, i)[j] * row(b, i)[j];
    }
    MPI_Allgatherv(mine, rows, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < N; i++)
        total += all[i];
    return total;
}

/* y = a x + b y */
static void combine(double a, double *x, double b, double *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            row(y, i)[j] = a * row(x, i)[j] + b * row(y, i)[j];
}

static int solve(double *x, double *r, double *p, double *q, double *norm)
{
    double rr = dot(r, r), start = rr;
    int steps = 0;

    while (rr > 1e-20 * start && steps < MOST) {
        double alpha, next;

        multiply(p, q);
        alpha = rr / dot(p, q);
        combine(alpha, p, 1, x);
        combine(-alpha, q, 1, r);
        next = dot(r, r);
        combine(1, r, next / rr, p);
        rr = next;
        steps++;
    }
    *norm = sqrt(rr);
    return steps;
}

static void deal_rows(void)
{
    counts = malloc((size_t)size * sizeof *counts);
    places = malloc((size_t)size * sizeof *places);
    for (int r = 0; r < size; r++) {
        places[r] = r * N / size;
        counts[r] = (r + 1) * N / size - places[r];
    }
    first = places[rank];
    rows = counts[rank];
}

int main(int argc, char **argv)
{
    double *x, *r, *p, *q, norm, mine = 0, largest, sum;
    int steps;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    deal_rows();
    x = vector_new();
    r = vector_new();
    p = vector_new();
    q = vector_new();
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            row(r, i)[j] = row(p, i)[j] = ((first + i) * 37 % 101 - 50) * 0.02 + (j % 7) * 0.25;
    steps = solve(x, r, p, q, &norm);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < N; j++)
            mine = fmax(mine, fabs(row(x, i)[j]));
    MPI_Reduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    sum = dot(x, x);
    if (rank == 0)
        printf("cg: %d unknowns, %d steps, residual %.17g, largest %.17g, norm %.17g\n", N * N,
               steps, norm, largest,
               sqrt(sum));
    free(x);
    free(r);
    free(p);
    free(q);
    free(counts);
    free(places);
    MPI_Finalize();
    return 0;
}
