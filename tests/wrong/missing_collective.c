/* The last rank leaves out a barrier and waits in a receive for good; "right":
 * rank 0 sends to it, and all call the barrier. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (right && rank == 0)
        MPI_Send(&value, 1, MPI_INT, size - 1, 1, MPI_COMM_WORLD);
    if (rank == size - 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right || rank != size - 1)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
