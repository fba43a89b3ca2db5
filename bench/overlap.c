/* overlap: rank 1 posts a 4 MiB receive, computes for 3 ms without an MPI call, and waits; printed
 * is what is left of the transfer in MPI_Wait, and what it takes alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4 << 20, ROUNDS = 30 };

static void compute(double seconds)
{
    double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        ;
}

/* Mean seconds from the start of the transfer (or of the wait) to its end. */
static double transfer(int rank, char *buffer, double busy)
{
    double sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request request;
        MPI_Sendrecv(NULL, 0, MPI_CHAR, !rank, 2, NULL, 0, MPI_CHAR, !rank, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        double begin = MPI_Wtime();
        if (rank == 0)
            MPI_Isend(buffer, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(buffer, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
        if (busy > 0) {
            compute(busy);
            begin = MPI_Wtime();
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        sum += MPI_Wtime() - begin;
    }
    return sum / ROUNDS;
}

int main(int argc, char **argv)
{
    int rank, size;
    char *buffer = malloc(BYTES);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2 || !buffer) {
        fprintf(stderr, "overlap needs two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    memset(buffer, rank, BYTES);
    double alone = transfer(rank, buffer, 0), left = transfer(rank, buffer, 3e-3);
    if (rank == 1)
        printf("4 MiB: %.1f us alone, %.1f us left in MPI_Wait after 3 ms of computation\n",
               alone * 1e6, left * 1e6);
    MPI_Finalize();
    free(buffer);
    return 0;
}
