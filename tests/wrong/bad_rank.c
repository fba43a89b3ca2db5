/* Sends to a rank that does not exist; errors are fatal by default. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 1, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Send(&value, 1, MPI_INT, size + 3, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
