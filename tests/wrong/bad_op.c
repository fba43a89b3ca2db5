/* Asks for the bitwise or of doubles; errors are fatal by default.  "right": for the sum. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int right = argc > 1;
    double value = 1, result;

    MPI_Init(&argc, &argv);
    MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, right ? MPI_SUM : MPI_BOR, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
