/* barrier: what a barrier takes, alone and behind computation.
 *
 * After Buntinas' thesis on NIC support for collective operations, 3.5: barriers one after the
 * other (figures 3.6 to 3.9); turns of computation and a barrier (3.10, 3.11); the same where each
 * node computes up to so many per cent more or less (3.12, 3.13); applications of several such
 * steps, of 10 us, 20 us and so on (3.14).  All times are means over all ranks. */
#include "bench.h"

struct options { struct list computation; long rounds, warm_up, variation, steps; };

static const char usage[] =
    "usage: mpirun -n NODES barrier [-c LIST] [-v PERCENT] [-S STEPS] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -c, --compute LIST     nanoseconds of computation before each barrier (default 0)\n"
    "  -v, --variation N      of which each node takes up to so many per cent more or less\n"
    "  -S, --steps N          in place of that, so many steps of 10 us, 20 us and so on\n"
    "  -r, --rounds N         turns measured (default 50)\n"
    "  -w, --warm-up N        turns before (default 10)\n"
    "  -h, --help             print this text\n";

static int rank, size;
static unsigned long long state;

/* From 0 to 1: the same on each machine, another one on each rank. */
static double draw(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 33) / 2147483648.0;
}

static double varied(double ns, long percent)
{
    return ns * (1 + (double)percent / 100 * (2 * draw() - 1));
}

static void compute(double ns)
{
    if (ns > 0)
        MPIX_Compute(ns * 1e-9);
}

static void turn(const struct options *o, double ns)
{
    compute(varied(ns, o->variation));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void application(const struct options *o)
{
    for (long step = 1; step <= o->steps; step++)
        turn(o, (double)step * 10000);
}

/* Nanoseconds of a turn, or of an application. */
static double measure(const struct options *o, double ns)
{
    double start = 0, mine, sum;

    state = 4711 + (unsigned long long)rank * 7919;
    for (long i = -o->warm_up; i < o->rounds; i++) {
        if (i == 0)
            start = MPI_Wtime();
        if (o->steps)
            application(o);
        else
            turn(o, ns);
    }
    mine = (MPI_Wtime() - start) / (double)o->rounds * 1e9;
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum / size;
}

static void run(const struct options *o)
{
    if (rank == 0)
        printf("nodes\tcomputation (ns)\tturn (ns)\n");
    for (int i = 0; i < o->computation.n; i++) {
        double ns = measure(o, (double)o->computation.values[i]);

        if (rank == 0)
            printf("%d\t%ld\t%.3f\n", size, o->computation.values[i], ns);
    }
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 50, .warm_up = 10 };
    const struct choice choices[] = {
        { 'c', "compute", .list = &o.computation, .most = 1000000000, .usual = "0" },
        { 'v', "variation", .number = &o.variation, .most = 100 },
        { 'S', "steps", .number = &o.steps, .most = 1000 },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        run(&o);
        code = MPI_Finalize();
    }
    bench_options_free(choices);
    return code;
}
