/* Time of the host inside a collective whose ranks come at different times (Buntinas, chapters 4
 * and 6): MPI_Reduce at ranks that are not the root, after a delay that is another one at each rank
 * each time; MPI_Bcast at ranks that are not late, of which one that is not the root is late.
 * usage: skew [calls, default 300] [mean delay in microseconds, default 1000] [doubles, default 1]
 *
 * Prints for each: median, 99th percentile and mean, of all such ranks' calls together. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, calls = 300, count = 1;
static double mean = 1e-3, *out, *in, *took;
static uint64_t state = 88172645463325252u;

static double uniform(void)     /* 0 to 1 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void compute(double seconds)
{
    for (double end = MPI_Wtime() + seconds; MPI_Wtime() < end;)
        ;
}

static int by_time(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* -1: this rank's call does not count. */
static double reduce(int call)
{
    (void)call;
    compute(2 * mean * uniform());
    double begin = MPI_Wtime();
    MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return rank ? MPI_Wtime() - begin : -1;
}

static double bcast(int call)
{
    const int late = 1 + call % (size - 1);
    if (rank == late)
        compute(mean);
    double begin = MPI_Wtime();
    MPI_Bcast(out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return rank && rank != late ? MPI_Wtime() - begin : -1;
}

static void tell(const char *name, int all)
{
    double *times = malloc(sizeof *times * (size_t)all), sum = 0;
    int n = 0;
    MPI_Gather(took, calls, MPI_DOUBLE, times, calls, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; !rank && i < all; i++)
        if (times[i] >= 0)
            sum += times[n++] = times[i];
    if (n) {
        qsort(times, (size_t)n, sizeof *times, by_time);
        printf("%-8s %2d ranks %6d doubles  median %8.2f us  99%% %8.2f us  mean %8.2f us\n", name,
               size, count, times[n / 2] * 1e6, times[n / 100 * 99] * 1e6, sum / n * 1e6);
    }
    free(times);
}

static void measure(const char *name, double (*body)(int call))
{
    for (int i = -10; i < calls; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double time = body(i < 0 ? 0 : i);
        if (i >= 0)
            took[i] = time;
    }
    tell(name, calls * size);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1)
        calls = atoi(argv[1]);
    if (argc > 2)
        mean = 1e-6 * atof(argv[2]);
    if (argc > 3)
        count = atoi(argv[3]);
    state += 977 * (uint64_t)rank;
    out = calloc((size_t)count, sizeof *out);
    in = calloc((size_t)count, sizeof *in);
    took = calloc((size_t)calls, sizeof *took);
    measure("reduce", reduce);
    if (size > 2)
        measure("bcast", bcast);
    MPI_Finalize();
    return 0;
}
