/* Calls MPI_Init after MPI_Finalize, in the same process. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Init(&argc, &argv);
    return 0;
}
