/* Laplace's equation on a square by Jacobi's iteration, rows dealt out in blocks.  Each point's
 * arithmetic is the same wherever the blocks end, so the result has the same bits on any number of
 * ranks. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 96, SWEEPS = 400 };      /* inner points per side */

static int rank, size, first, rows;

static double *grid_new(void)
{
    double *grid = calloc((size_t)(rows + 2) * (N + 2), sizeof *grid);

    if (!grid)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return grid;
}

static double *row(double *grid, int i) { return grid + (size_t)i * (N + 2); }

/* The upper edge is held at 1, the left one rises along the rows, the others are 0. */
static void set_edges(double *grid)
{
    for (int i = 0; i < rows + 2; i++)
        row(grid, i)[0] = (double)(first + i) / (N + 1);
    for (int j = 0; j < N + 2 && first == 0; j++)
        row(grid, 0)[j] = 1.0;
}

static void exchange(double *grid)
{
    int up = first > 0 ? rank - 1 : MPI_PROC_NULL,
        down = first + rows < N ? rank + 1 : MPI_PROC_NULL;

    MPI_Sendrecv(row(grid, 1), N + 2, MPI_DOUBLE, up, 0, row(grid, rows + 1), N + 2, MPI_DOUBLE,
                 down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(row(grid, rows), N + 2, MPI_DOUBLE, down, 1, row(grid, 0), N + 2, MPI_DOUBLE, up,
                 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One sweep; the largest change. */
static double sweep(double *old, double *new)
{
    double change = 0;

    for (int i = 1; i <= rows; i++)
        for (int j = 1; j <= N; j++) {
            double value = 0.25 * (row(old, i - 1)[j] + row(old, i + 1)[j] + row(old,
                    i)[j - 1] + row(old, i)[j + 1]);
            row(new, i)[j] = value;
            change = fmax(change, fabs(value - row(old, i)[j]));
        }
    return change;
}

/* Row sums are gathered and added on rank 0 in the order of rows. */
static void report(double *grid, double change)
{
    double *mine = malloc((size_t)(rows + 1) * sizeof *mine), *all = malloc(N * sizeof *all),
        total = 0;
    int *counts = malloc((size_t)size * sizeof *counts),
        *places = malloc((size_t)size * sizeof *places);

    for (int i = 1; i <= rows; i++) {
        mine[i - 1] = 0;
        for (int j = 1; j <= N; j++)
            mine[i - 1] += row(grid, i)[j];
    }
    MPI_Gather(&rows, 1, MPI_INT, counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&first, 1, MPI_INT, places, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(mine, rows, MPI_DOUBLE, all, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        for (int i = 0; i < N; i++)
            total += all[i];
        printf("jacobi: %d x %d points, %d sweeps, last change %.17g, mean %.17g\n", N, N, SWEEPS,
               change,
               total / (N * N));
    }
    free(mine);
    free(all);
    free(counts);
    free(places);
}

int main(int argc, char **argv)
{
    double *old, *new, change = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = rank * N / size;
    rows = (rank + 1) * N / size - first;
    old = grid_new();
    new = grid_new();
    set_edges(old);
    set_edges(new);
    for (int s = 0; s < SWEEPS; s++) {
        double mine, *swap = old;

        exchange(old);
        mine = sweep(old, new);
        MPI_Allreduce(&mine, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        old = new;
        new = swap;
    }
    report(old, change);
    free(old);
    free(new);
    MPI_Finalize();
    return 0;
}
