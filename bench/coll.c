/* Mean time of collectives over all ranks.
 * usage: coll [milliseconds per row, default 50] [doubles per rank, default 1] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 3 };

static int count = 1;
static double *out, *in;

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(void) { MPI_Bcast(out, count, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Reduce(out, in, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void allreduce(void) { MPI_Allreduce(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(void)
{
    MPI_Alltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void gather(void)
{
    MPI_Gather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void scatter(void)
{
    MPI_Scatter(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
static void allgather(void)
{
    MPI_Allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void reduce_scatter(void)
{
    MPI_Reduce_scatter_block(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(void) { MPI_Scan(out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static const struct row { const char *name; void (*body)(void); } rows[] = {
    {"barrier", barrier}, {"bcast", bcast}, {"reduce", reduce}, {"allreduce", allreduce},
    {"alltoall", alltoall}, {"allgather", allgather}, {"reduce_scatter", reduce_scatter},
    {"scan", scan}, {"gather", gather}, {"scatter", scatter},
};

/* The closing barrier belongs to the time: a broadcast's root would otherwise be done before
 * anybody has the data. */
static double seconds(void (*body)(void), long rounds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (long i = 0; i < rounds; i++)
        body();
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begin;
}

/* Seconds per call: the best of three batches that take `limit`
 * together, or longer where one call already does. */
static double measure(void (*body)(void), double limit)
{
    long rounds = 4;
    double t = 0, best;

    for (;;) {
        best = t = seconds(body, rounds);
        MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (t >= limit / BATCHES / 2)
            break;
        rounds *= 2;
    }
    for (int i = 1; i < BATCHES; i++) {
        t = seconds(body, rounds);
        if (t < best)
            best = t;
    }
    return best / (double)rounds;
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 50) * 1e-3;
    int rank, size;

    count = argc > 2 ? atoi(argv[2]) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc((size_t)count * (size_t)size, sizeof *out);
    in = calloc((size_t)count * (size_t)size, sizeof *in);
    if (!out || !in)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double t = measure(rows[i].body, limit);
        if (rank == 0)
            printf("%s/%d-ranks/us %.3f\n", rows[i].name, size, t * 1e6);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
