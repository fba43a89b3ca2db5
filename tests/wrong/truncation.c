/* Rank 0 sends ten integers to a receive of five; errors are fatal by default.  "right":
 * of ten. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int right = argc > 1, rank, values[10] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(values, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(values, right ? 10 : 5, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
