/* Collectives by size: the slowest rank's mean time per call, best of three batches.  The root
 * changes from call to call, so that no rank runs ahead of the others.
 * usage: collsize [milliseconds per row, default 50] [least bytes, default 1024]
 *                 [most bytes, default 4194304] [factor, default 4]
 * Bytes: what each rank gives; of gather, scatter and alltoall to each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 3 };

static int ranks, count, part;
static double *in, *out;

static void bcast(int root) { MPI_Bcast(in, count, MPI_DOUBLE, root, MPI_COMM_WORLD); }
static void reduce(int root)
{
    MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
}
static void allreduce(int root)
{
    (void)root;
    MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void reduce_scatter(int root)
{
    (void)root;
    MPI_Reduce_scatter_block(in, out, part, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
static void allgather(int root)
{
    (void)root;
    MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void alltoall(int root)
{
    (void)root;
    MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
}
static void gather(int root)
{
    MPI_Gather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}
static void scatter(int root)
{
    MPI_Scatter(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
}

static const struct row { const char *name; void (*body)(int root); } rows[] = {
    {"bcast", bcast}, {"reduce", reduce}, {"allreduce", allreduce},
    {"reduce_scatter", reduce_scatter}, {"allgather", allgather}, {"alltoall", alltoall},
    {"gather", gather}, {"scatter", scatter},
};

static double batch(void (*body)(int root), int rounds)
{
    double mine, most;
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        body(i % ranks);
    mine = (MPI_Wtime() - begin) / rounds;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double measure(void (*body)(int root), double limit)
{
    double best = batch(body, ranks), first = batch(body, 2 * ranks);
    int rounds = (int)(limit / BATCHES / (first < best ? first : best)) + 1;
    rounds = (rounds + ranks - 1) / ranks * ranks;
    for (int i = 0; i < BATCHES; i++) {
        double t = batch(body, rounds);
        best = i && best < t ? best : t;
    }
    return best;
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 50) / 1000;
    long least = argc > 2 ? atol(argv[2]) : 1024, most = argc > 3 ? atol(argv[3]) : 4 << 20;
    int factor = argc > 4 ? atoi(argv[4]) : 4, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc((size_t)ranks, (size_t)most);
    out = calloc((size_t)ranks, (size_t)most);
    if (!in || !out || factor < 2 || least < 8)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (long bytes = least; bytes <= most; bytes *= factor) {
            count = (int)(bytes / 8);
            part = count / ranks ? count / ranks : 1;
            double t = measure(rows[i].body, limit);
            if (!rank) {
                printf("%s-%ld/%d-ranks/us %.3f\n", rows[i].name, bytes, ranks, 1e6 * t);
                fflush(stdout);
            }
        }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
