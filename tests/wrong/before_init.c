/* Asks for its rank before MPI_Init; "right": behind it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, right = argc > 1;

    if (!right)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return 0;
}
