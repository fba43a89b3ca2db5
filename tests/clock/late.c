/* Rank 1 computes for a minute of virtual time before it receives what the others have sent. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static int data[1000];
    MPI_Request request;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 1) {
        MPIX_Compute(60);
        for (int from = 0; from < size; from++)
            if (from != 1) {
                MPI_Recv(data, 1000, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Recv(data, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
        printf("all came\n");
    } else {
        MPI_Isend(data, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Send(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
