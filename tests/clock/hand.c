/* hand: calls whose time on the model clock hand.sh works out by hand.  Rank 0 prints it in ns.
 *
 *   hand reduce COUNT long|double    MPI_Reduce to rank 0
 *   hand barrier ROUNDS              MPI_Barrier, the mean of so many behind five
 *   hand pong BYTES ROUNDS           half of a round trip between two ranks, the same way */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

static double reduce(long count, const char *type)
{
    MPI_Datatype t = strcmp(type, "double") ? MPI_LONG : MPI_DOUBLE;
    void *in = calloc((size_t)count + 1, 8), *out = calloc((size_t)count + 1, 8);
    double start = MPI_Wtime();
    MPI_Reduce(in, out, (int)count, t, MPI_SUM, 0, MPI_COMM_WORLD);
    double end = MPI_Wtime();
    free(in);
    free(out);
    return end - start;
}

static double barrier(long rounds)
{
    double start = 0;
    for (long i = -5; i < rounds; i++) {
        if (i == 0)
            start = MPI_Wtime();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / (double)rounds;
}

static double pong(long bytes, long rounds)
{
    char *data = calloc((size_t)bytes + 1, 1);
    double start = 0;
    for (long i = -5; i < rounds; i++) {
        if (i == 0)
            start = MPI_Wtime();
        if (rank == 0)
            MPI_Send(data, (int)bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(data, (int)bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(data, (int)bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    free(data);
    return (MPI_Wtime() - start) / 2 / (double)rounds;
}

int main(int argc, char **argv)
{
    double seconds = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 4 && !strcmp(argv[1], "reduce"))
        seconds = reduce(atol(argv[2]), argv[3]);
    else if (argc == 3 && !strcmp(argv[1], "barrier"))
        seconds = barrier(atol(argv[2]));
    else if (argc == 4 && !strcmp(argv[1], "pong"))
        seconds = pong(atol(argv[2]), atol(argv[3]));
    if (rank == 0)
        printf("%.3f\n", seconds * 1e9);
    MPI_Finalize();
    return seconds < 0;
}
