/* Rank 1, or the only one, calls MPI_Abort with code 7 while the others wait; "code N": with
 * another code; "right": it sends to them. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, code = argc > 2 ? atoi(argv[2]) : 7, value = 7, right = argc == 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == (size > 1) && !right)
        MPI_Abort(MPI_COMM_WORLD, code);
    for (int i = 0; i < size && rank == 1; i++)
        if (i != rank)
            MPI_Send(&value, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    if (rank != 1)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
