/* Ranks in a row, each with a block of a grid: they exchange columns of it as vectors, rows as they
 * are, and the grid is as one rank would have it. */
#include "t.h"

enum { HEIGHT = 12, WIDTH = 8, STEPS = 5, LINE = WIDTH + 2 };

static double grid[2][HEIGHT + 2][LINE];

static double start(int x, int y) { return x * 3 + y * y % 7; }

/* One step on a grid that is `cells` wide, its edge aside. */
static void whole(double *to, const double *from, int cells)
{
    for (int y = 1; y <= HEIGHT; y++)
        for (int x = 1; x <= cells; x++) {
            int line = cells + 2, at = y * line + x;
            to[at] = (from[at - 1] + from[at + 1] + from[at - line] + from[at + line]) / 4;
        }
}

static double *reference(int cells)
{
    size_t all = (size_t)(HEIGHT + 2) * (size_t)(cells + 2);
    double *a = t_alloc(all * sizeof *a), *b = t_alloc(all * sizeof *b);
    for (int y = 0; y < HEIGHT + 2; y++)
        for (int x = 0; x < cells + 2; x++)
            a[y * (cells + 2) + x] = b[y * (cells + 2) + x] = start(x, y);
    for (int i = 0; i < STEPS; i++) {
        double *swap = a;
        whole(b, a, cells);
        a = b;
        b = swap;
    }
    free(b);
    return a;
}

static void exchange(double (*g)[LINE], MPI_Datatype column, int left, int right)
{
    OK(MPI_Sendrecv(&g[1][1], 1, column, left, 0, &g[1][WIDTH + 1], 1, column, right, 0,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Sendrecv(&g[1][WIDTH], 1, column, right, 1, &g[1][0], 1, column, left, 1,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    MPI_Datatype column;
    t_start(&argc, &argv);
    int left = t_rank ? t_rank - 1 : MPI_PROC_NULL, cells = WIDTH * t_size;
    int right = t_rank < t_size - 1 ? t_rank + 1 : MPI_PROC_NULL;
    OK(MPI_Type_vector(HEIGHT, 1, LINE, MPI_DOUBLE, &column));
    OK(MPI_Type_commit(&column));
    for (int y = 0; y < HEIGHT + 2; y++)
        for (int x = 0; x < LINE; x++)
            grid[0][y][x] = grid[1][y][x] = start(t_rank * WIDTH + x, y);
    for (int i = 0; i < STEPS; i++) {
        exchange(grid[i % 2], column, left, right);
        whole(&grid[1 - i % 2][0][0], &grid[i % 2][0][0], WIDTH);
    }
    double *want = reference(cells);
    for (int y = 1; y <= HEIGHT; y++)
        for (int x = 1; x <= WIDTH; x++)
            CHECK(grid[STEPS % 2][y][x] == want[y * (cells + 2) + t_rank * WIDTH + x]);
    free(want);
    OK(MPI_Type_free(&column));
    return t_end();
}
