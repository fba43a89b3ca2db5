/* collective: what a collective operation takes, one behind the other, as the Pallas benchmarks
 * measure it: the time of the slowest rank. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

struct options {
    struct list sizes;
    long rounds, warm_up;
    int barrier, reduce, allreduce, alltoall;
};

static const char usage[] =
    "usage: mpirun -n NODES collective [-B | -R | -A | -L] [-s LIST] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -B, --barrier       barriers\n"
    "  -R, --reduce        sums at rank 0\n"
    "  -A, --allreduce     sums everywhere\n"
    "  -L, --alltoall      something else for each rank; without any of these: allgather\n"
    "  -s, --size LIST     bytes of a rank, in eights (default 16); of -L for each rank\n"
    "  -r, --rounds N      operations measured (default 50)\n"
    "  -w, --warm-up N     operations before (default 10)\n"
    "  -h, --help          print this text\n";

static int rank, size, wrong;
static double *in, *out;

static void operate(const struct options *o, int count)
{
    if (o->barrier)
        MPI_Barrier(MPI_COMM_WORLD);
    else if (o->reduce)
        MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else if (o->allreduce)
        MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (o->alltoall)
        MPI_Alltoall(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
    else
        MPI_Allgather(in, count, MPI_DOUBLE, out, count, MPI_DOUBLE, MPI_COMM_WORLD);
}

static void check(const struct options *o, int count)
{
    double sum = (double)size * (size - 1) / 2;

    if (o->barrier || (o->reduce && rank))
        return;
    if (o->reduce || o->allreduce)
        wrong += count > 0 && out[count - 1] != sum;
    else
        wrong += count > 0 && out[(size - 1) * count] != size - 1;
}

static void point(const struct options *o, long bytes)
{
    int count = (int)(bytes / (long)sizeof *in);
    size_t own = (size_t)count * (size_t)(o->alltoall ? size : 1);
    double start = 0, mine, most;

    in = calloc(own + 1, sizeof *in);
    out = calloc(((size_t)count + 1) * (size_t)size, sizeof *out);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < own; i++)
        in[i] = rank;
    for (long i = -o->warm_up; i < o->rounds; i++) {
        if (i == 0) {
            MPI_Barrier(MPI_COMM_WORLD);        /* nobody has begun */
            start = MPI_Wtime();
        }
        operate(o, count);
    }
    mine = (MPI_Wtime() - start) / (double)o->rounds * 1e9;
    check(o, count);
    MPI_Reduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\t%ld\t%.3f\n", size, bytes, most);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 50, .warm_up = 10 };
    const struct choice choices[] = {
        { 's', "size", .list = &o.sizes, .most = 1 << 20, .usual = "16" },
        { 'B', "barrier", .flag = &o.barrier },
        { 'R', "reduce", .flag = &o.reduce },
        { 'A', "allreduce", .flag = &o.allreduce },
        { 'L', "alltoall", .flag = &o.alltoall },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank == 0)
            printf("nodes\tsize (bytes)\ttime (ns)\n");
        for (int i = 0; i < o.sizes.n; i++)
            point(&o, o.sizes.values[i]);
        MPI_Finalize();
        code = wrong != 0;
    }
    bench_options_free(choices);
    return code;
}
