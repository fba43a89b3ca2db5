/* Everyone receives from the neighbour before sending: nobody ever sends.  "right":
 * rank 0 sends first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (right && rank == 0)
        MPI_Send(&value, 1, MPI_INT, size - 1, 42, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!right || rank)
        MPI_Send(&value, 1, MPI_INT, (rank + size - 1) % size, 42, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
