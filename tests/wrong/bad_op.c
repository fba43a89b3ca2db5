/* Asks for the bitwise or of doubles; errors are fatal by default. */
#include <mpi.h>

int main(int argc, char **argv)
{
    double value = 1, result;

    MPI_Init(&argc, &argv);
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_BOR, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
