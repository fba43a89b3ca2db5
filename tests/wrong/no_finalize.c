/* Returns from main without MPI_Finalize; "right": with it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (right)
        MPI_Finalize();
    return 0;
}
