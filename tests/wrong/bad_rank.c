/* Sends to a rank that does not exist; errors are fatal by default.  "right": to the next one. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 1, other, rank, size, right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(&value, 1, MPI_INT, right ? (rank + 1) % size : size + 3, 0, MPI_COMM_WORLD);
    MPI_Recv(&other, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
