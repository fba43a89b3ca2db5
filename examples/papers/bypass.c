/* bypass: how long nodes are in a broadcast that some of them come to late.
 *
 * After Buntinas' thesis on NIC support for collective operations, 6.3: behind a barrier the root
 * broadcasts at once, the others after a delay of up to twice the mean at random.  Printed are
 * means over all nodes of the time in MPI_Bcast (figure 6.4), and of delay and broadcast less the
 * delay undisturbed (figure 6.5); and over the nodes that pass the message on in the binomial tree,
 * the root left out, of what the delay got longer. */
#include "bench.h"

#include <string.h>

struct options { struct list sizes; long skew, rounds, warm_up; };

static const char usage[] =
    "usage: mpirun -n NODES bypass [-s LIST] [-m NS] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -s, --size LIST     bytes (default 1)\n"
    "  -m, --mean NS       mean delay in nanoseconds (default 333000)\n"
    "  -r, --rounds N      broadcasts measured (default 50)\n"
    "  -w, --warm-up N     broadcasts before (default 10)\n"
    "  -h, --help          print this text\n";

static int rank, size;
static unsigned long long state;

static double draw(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 33) / 2147483648.0;
}

/* In a binomial tree whose root serves 1, 2, 4 and so on, the others go on from the next power of
 * two: those below half of it have somebody behind them. */
static int passes_on(void)
{
    int step = 1;
    while (step <= rank)
        step *= 2;
    return rank && rank + step < size;
}

struct times { double in_call, all, handler; };

static void broadcast(const struct options *o, unsigned char *data, long bytes, struct times *t)
{
    const double delay = rank ? (double)o->skew * 2e-9 * draw() : 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        bench_fill(data, bytes, (unsigned)bytes);
    else
        memset(data, 0, (size_t)bytes);
    double start = MPI_Wtime();

    if (rank)
        MPIX_Compute(delay);
    double called = MPI_Wtime();

    MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    double end = MPI_Wtime();

    bench_check(data, bytes, (unsigned)bytes);
    t->in_call += end - called;
    t->all += end - start - delay;
    t->handler += passes_on() ? called - start - delay : 0;
}

static void point(const struct options *o, long bytes)
{
    unsigned char *data = bench_buffer(bytes, 0);
    struct times t = { 0, 0, 0 }, sum;
    int mine = passes_on(), passing;

    state = 4711 + (unsigned long long)rank * 7919;
    for (long i = -o->warm_up; i < o->rounds; i++) {
        if (i == 0)
            t = (struct times){ 0, 0, 0 };
        broadcast(o, data, bytes, &t);
    }
    MPI_Reduce(&t, &sum, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &passing, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    const double rounds = (double)o->rounds * 1e-9;

    if (rank == 0)
        printf("%d\t%ld\t%.3f\t%.3f\t%.3f\n", size, bytes,
               passing ? sum.handler / passing / rounds : 0, sum.all / size / rounds,
               sum.in_call / size / rounds);
    bench_buffer_free(data, 0);
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 50, .warm_up = 10, .skew = 333000 };
    const struct choice choices[] = {
        { 's', "size", .list = &o.sizes, .least = 1, .most = 1 << 20, .usual = "1" },
        { 'm', "mean", .number = &o.skew, .most = 1000000000 },
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
            printf("nodes\tsize (bytes)\thandler (ns)\twith delay (ns)\tin MPI_Bcast (ns)\n");
        for (int i = 0; i < o.sizes.n; i++)
            point(&o, o.sizes.values[i]);
        code = bench_end();
    }
    bench_options_free(choices);
    return code;
}
