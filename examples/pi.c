/* pi: the area under 4 / (1 + x^2) from 0 to 1, by the midpoint rule.
 *
 * The pattern of most parallel sums: the number of intervals is broadcast, every rank takes each
 * size-th interval, and one reduction adds up the parts. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *out)
{
    fprintf(out,
            "usage: mpirun -n RANKS pi [INTERVALS]\n\nComputes pi with INTERVALS strips (default "
                "10000000).\n");
}

static double part_of(long intervals, int rank, int size)
{
    double width = 1.0 / (double)intervals, sum = 0;

    for (long i = rank; i < intervals; i += size) {
        double x = width * ((double)i + 0.5);
        sum += 4.0 / (1.0 + x * x);
    }
    return sum * width;
}

int main(int argc, char **argv)
{
    static const double pi = 3.14159265358979323846;
    long intervals = argc > 1 ? atol(argv[1]) : 10000000;
    int rank, size, wrong = 0;
    double part, sum;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        usage(stdout);
        return 0;
    }
    if (argc > 2 || intervals < 1) {
        usage(stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* All ranks see the same command line here, but MPI does
     * not promise that: only rank 0's counts. */
    MPI_Bcast(&intervals, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    part = part_of(intervals, rank, size);
    MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        /* The rule is off by about 1/(12 n^2); rounding adds a little for each strip. */
        double n = (double)intervals, allowed = 1.0 / (n * n) + 1e-15 * sqrt(n) + 1e-12;

        wrong = !(fabs(sum - pi) < allowed);
        printf("%ld intervals over %d ranks\n", intervals, size);
        printf("pi is about %.12f, error %.1e: %s\n", sum, fabs(sum - pi),
               wrong ? "WRONG" : "right");
    }
    MPI_Finalize();
    return wrong;
}
