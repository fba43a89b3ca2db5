/* Goes on using a communicator after freeing it, through a copy of the handle; "right":
 * frees it behind that. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int right = argc > 1;
    MPI_Comm comm, copy;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = comm;
    if (!right)
        MPI_Comm_free(&comm);
    MPI_Barrier(copy);
    if (right)
        MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
