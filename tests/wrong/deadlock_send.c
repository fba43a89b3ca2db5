/* Synchronous sends round a ring without a receive: a deadlock of senders.  "right":
 * the receives are posted first. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, value = 0, in, right = argc > 1;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (right)
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
    MPI_Ssend(&value, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
    if (right)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    else
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
