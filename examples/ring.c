/* ring: a token goes round all ranks.
 *
 * The first MPI program to read: who am I, how many are we, send to the next, receive from the one
 * before.  Each rank adds its number to the token, so that rank 0 can check what comes back. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *out)
{
    fprintf(out,
            "usage: mpirun -n RANKS ring [LAPS]\n\nSends a token LAPS times (default 1000) round "
                "all ranks.\n");
}

/* Rank 0 sends first and receives last; all others receive first.  With one rank the token goes
 * from the rank to itself, for which MPI_Sendrecv is the right call: a plain MPI_Send might wait
 * for its own receive. */
static long once_round(long token, int rank, int size)
{
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    long received;

    if (rank == 0) {
        token += rank;
        MPI_Sendrecv(&token, 1, MPI_LONG, next, 0, &received, 1, MPI_LONG, previous, 0,
                     MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        return received;
    }
    MPI_Recv(&received, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    received += rank;
    MPI_Send(&received, 1, MPI_LONG, next, 0, MPI_COMM_WORLD);
    return received;
}

int main(int argc, char **argv)
{
    long laps = argc > 1 ? atol(argv[1]) : 1000, token = 0, expected;
    int rank, size, wrong = 0;
    double start;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        usage(stdout);
        return 0;
    }
    if (argc > 2 || laps < 1) {
        usage(stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    start = MPI_Wtime();
    for (long lap = 0; lap < laps; lap++)
        token = once_round(token, rank, size);
    if (rank == 0) {
        expected = laps * ((long)size * (size - 1) / 2);
        wrong = token != expected;
        printf("%ld laps over %d ranks, %.3f us per hop\n", laps, size,
               (MPI_Wtime() - start) / ((double)laps * size) * 1e6);
        printf("token %ld: %s\n", token, wrong ? "WRONG" : "right");
    }
    MPI_Finalize();
    return wrong;
}
