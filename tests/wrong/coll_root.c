/* Rank 0 takes the last rank for the root of a broadcast, the others take rank 1 for it; "right":
 * all do. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1, right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Bcast(&value, 1, MPI_INT, right || rank ? 1 : size - 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
