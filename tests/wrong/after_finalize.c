/* Sends after MPI_Finalize; "right": nobody, before it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 1, right = argc > 1;

    MPI_Init(&argc, &argv);
    if (right)
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (!right)
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return 0;
}
