/* reduce: what a reduction of one word of 64 bits to one node takes, and how long hosts are in it.
 *
 * After Buntinas' thesis on NIC support for collective operations, 4.3.  As soon as the root has
 * the sum it sends a message to the last leaf, which takes the time since it began, less that of a
 * message (figures 4.3 to 4.5); nobody else waits for anybody.  With -H all nodes meet in a
 * barrier, are delayed by up to -d at random, and reduce: the mean time of all of them in the
 * reduction (4.6 to 4.8).  Trees other than the library's: MPILITE_BARRIER. */
#include "bench.h"

struct options { struct list delays; long rounds, warm_up; int real, host; };

static const char usage[] =
    "usage: mpirun -n NODES reduce [-f] [-H [-d LIST]] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -f, --float         a floating-point number in place of an integer\n"
    "  -H, --host          mean time of hosts, in place of the time until the root has the sum\n"
    "  -d, --delay LIST    nanoseconds of delay at most (default 0)\n"
    "  -r, --rounds N      reductions measured (default 50)\n"
    "  -w, --warm-up N     reductions before (default 10)\n"
    "  -h, --help          print this text\n";

static int rank, size, wrong;
static unsigned long long state;

/* From 0 to 1: the same on each machine, another one on each rank. */
static double draw(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 33) / 2147483648.0;
}

static void sum(const struct options *o)
{
    const long long integer = rank;
    const double number = rank;
    long long integers = 0;
    double numbers = 0;

    if (o->real)
        MPI_Reduce(&number, &numbers, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(&integer, &integers, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        wrong += (o->real ? (long long)numbers : integers) != (long long)size * (size - 1) / 2;
}

/* -- until the root has the sum */

static void message(int from, int to)
{
    if (rank == from)
        MPI_Send(NULL, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    else if (rank == to)
        MPI_Recv(NULL, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Seconds of a message from one end to the other. */
static double one_way(const struct options *o)
{
    double start = MPI_Wtime();

    for (long i = 0; i < o->rounds; i++) {
        message(size - 1, 0);
        message(0, size - 1);
    }
    return (MPI_Wtime() - start) / 2 / (double)o->rounds;
}

static double until_root(const struct options *o)
{
    double way = one_way(o), took = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = -o->warm_up; i < o->rounds; i++) {
        double start = MPI_Wtime();

        sum(o);
        message(0, size - 1);
        if (i >= 0)
            took += MPI_Wtime() - start;
    }
    return took / (double)o->rounds - way;
}

/* -- how long hosts are in it */

static double of_hosts(const struct options *o, double most_ns)
{
    double took = 0, all;

    for (long i = -o->warm_up; i < o->rounds; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (most_ns > 0)
            MPIX_Compute(most_ns * draw() * 1e-9);
        double start = MPI_Wtime();

        sum(o);
        if (i >= 0)
            took += MPI_Wtime() - start;
    }
    MPI_Allreduce(&took, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all / (double)o->rounds / size;
}

static void run(const struct options *o)
{
    const int teller = o->host ? 0 : size - 1;

    if (rank == teller)
        printf("nodes\tdelay (ns)\treduction (ns)\n");
    for (int i = 0; i < (o->host ? o->delays.n : 1); i++) {
        const long delay = o->host ? o->delays.values[i] : 0;

        state = 4711 + (unsigned long long)rank * 7919;
        const double took = o->host ? of_hosts(o, (double)delay) : until_root(o);
        if (rank == teller)
            printf("%d\t%ld\t%.3f\n", size, delay, took * 1e9);
    }
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 50, .warm_up = 10 };
    const struct choice choices[] = {
        { 'f', "float", .flag = &o.real },
        { 'H', "host", .flag = &o.host },
        { 'd', "delay", .list = &o.delays, .most = 1000000000, .usual = "0" },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        MPI_Init(&argc, &argv);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (size < 2) {
            fputs("reduce: needs two ranks at least\n", stderr);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        run(&o);
        MPI_Finalize();
        code = wrong != 0;
    }
    bench_options_free(choices);
    return code;
}
