/* Goes on using a communicator after freeing it, through a copy of the handle. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Comm comm, copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = comm;
    MPI_Comm_free(&comm);
    MPI_Barrier(copy);
    MPI_Finalize();
    return 0;
}
