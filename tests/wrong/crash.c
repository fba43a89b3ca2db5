/* Rank 1 is killed by a segmentation fault while the others wait for it, having printed a line;
 * "right": it sends. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, value = 1, right = argc > 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 1 && !right) {
        printf("rank 1 is still there\n");
        signal(SIGSEGV, SIG_DFL);       /* sanitizers would print a report of their own */
        raise(SIGSEGV);
    }
    for (int i = 0; i < size && rank == 1; i++)
        if (i != rank)
            MPI_Send(&value, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
    if (rank != 1)
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
