/* seats ROWS COLUMNS: which rank MPI_Cart_create, free to reorder, puts where in a grid: rank 0
 * prints the grid, row by row. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int periods[2] = { 0, 0 }, dims[2], rank, place, *at;
    MPI_Comm grid;

    MPI_Init(&argc, &argv);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 1);
    dims[0] = atoi(argv[1]);
    dims[1] = atoi(argv[2]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &place);
    at = calloc((size_t)(dims[0] * dims[1]), sizeof *at);
    if (!at)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Gather(&rank, 1, MPI_INT, at, 1, MPI_INT, 0, grid);
    for (int i = 0; place == 0 && i < dims[0] * dims[1]; i++)
        printf("%2d%c", at[i], i % dims[1] == dims[1] - 1 ? '\n' : ' ');
    free(at);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
