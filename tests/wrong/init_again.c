/* Calls MPI_Init after MPI_Finalize, in the same process; "right": once. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Finalize();
    if (!right)
        MPI_Init(&argc, &argv);
    return 0;
}
