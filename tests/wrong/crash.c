/* Rank 1 is killed by a segmentation fault while the others wait for it. */
#include <mpi.h>
#include <signal.h>

int main(int argc, char **argv)
{
    int rank, value;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        signal(SIGSEGV, SIG_DFL);       /* sanitizers would print a report of their own */
        raise(SIGSEGV);
    }
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
