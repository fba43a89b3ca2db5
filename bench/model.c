/* Speed of the model clock in real time: a ping-pong, a ring and barriers.  Run by hand:
 *
 *   mpirun --model ideal -n RANKS bench/model [MESSAGES]
 *
 * Prints real time; virtual time stands beside it, and is the same each time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size;

static double real_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void ping_pong(long rounds)
{
    char byte = 0;
    int other = 1 - rank;
    for (long i = 0; i < rounds && rank < 2; i++) {
        if (rank == 0)
            MPI_Send(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD);
        MPI_Recv(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(&byte, 1, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    }
}

static void ring(long rounds)
{
    char out = 0, in;
    for (long i = 0; i < rounds; i++)
        MPI_Sendrecv(&out, 1, MPI_CHAR, (rank + 1) % size, 0, &in, 1, MPI_CHAR,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barriers(long rounds)
{
    while (rounds--)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void measure(const char *what, void (*run)(long), long rounds, double messages)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double real = real_time(), virtual = MPI_Wtime();
    run(rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    real = real_time() - real;
    virtual = MPI_Wtime() - virtual;
    if (!rank && messages > 0)
        printf("%-9s %10.0f messages, %8.3f s (%.1f us each), virtual %.3f us\n", what, messages,
               real, real / messages * 1e6, virtual * 1e6);
    else if (!rank)
        printf("%-9s %10ld times,    %8.3f s (%.3f s each), virtual %.3f us\n", what, rounds, real,
               real / (double)rounds, virtual * 1e6);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long messages = argc > 1 ? atol(argv[1]) : 100000;
    if (size >= 2)
        measure("ping-pong", ping_pong, messages / 2, (double)(messages / 2 * 2));
    measure("ring", ring, messages / size, (double)(messages / size) * size);
    measure("barrier", barriers, 3, 0);
    MPI_Finalize();
    return 0;
}
