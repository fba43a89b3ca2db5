/* puts: one-sided messages of the cores of a node, in the orders in which arrays lie on many nodes.
 *
 * As Underwood, Levenhagen and Brightwell measure a NIC for partitioned global address spaces: PEs
 * are cores, CORES of them a node, and each puts to the core of its number on other nodes.  There
 * are a ping-pong, a stream to the next node, and three streams from the first node to all others:
 * cyclic, with the node as the inner loop (figure 3a); by a table of nodes (3b); and block-cyclic,
 * with the node in some bits of the index (figure 4).  What a loop does for a put is counted in
 * steps, each an operation, a load or a call of the figure's text besides the put:
 *
 *     3a  nid = k; num_cores(); *; +; calcRBuf()                          5
 *     3b  the same, with j * numNids + k and the load for k               8
 *     4   >>, &, *, + of the node; targBuf + j                            5
 *
 * The rate is that of the puts issued from when all cores have issued half of theirs until one has
 * issued all: what the NIC takes when its queues are full, and no end of the stream. */
#include "bench.h"

#include <shmem.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 64, MARK = 128 };       /* puts from one look at the clock to the next */

struct options { struct list sizes; long cores, puts; int latency, both, cyclic, table, block; };

static const char usage[] =
    "usage: oshrun -n PES puts [-s LIST] [-c CORES] [-n PUTS] [-l | -b | -C | -T | -B]\n\n"
    "  -s, --size LIST     bytes of a put, multiples of 4 (default 8)\n"
    "  -c, --cores N       PEs of a node (default 1)\n"
    "  -n, --puts N        puts of a core, rounded down to 128s (default 2048)\n"
    "  -l, --latency       there and back; prints ns of one way\n"
    "  -b, --both          streams between two nodes, both ways\n"
    "  -C, --cyclic        from the first node to all others, in turn\n"
    "  -T, --table         ... to those that a table names\n"
    "  -B, --block         ... some to each\n"
    "  -h, --help          print this text\n\n"
    "Else streams to the next node.  Streams print the million puts a second of a node.\n";

static struct options o = { .cores = 1, .puts = 2048 };
static int me, pes, nodes;
static unsigned char *to, *from;
static int *table;
static double begin, end, first, last, issued, all_issued;     /* symmetric, as they are static */
static double *marks;
static long wrong, all_wrong;

static void steps(int n)
{
#ifdef MPIX_COMPUTE_KEY
    MPIX_Compute_key("call.element", n);
#else
    (void)n;
#endif
}

/* -- there and back */

/* The last four bytes tell which it is. */
static void play(uint32_t first, uint32_t last, long bytes)
{
    uint32_t *come = (uint32_t *)(to + bytes - sizeof *come);
    for (uint32_t i = first; i <= last; i++) {
        memcpy(from + bytes - sizeof i, &i, sizeof i);
        if (me == 1)
            shmem_uint32_wait_until(come, SHMEM_CMP_EQ, i);
        shmem_putmem(to, from, (size_t)bytes, 1 - me);
        if (me == 0)
            shmem_uint32_wait_until(come, SHMEM_CMP_EQ, i);
    }
}

/* ns of one way. */
static double latency(long bytes)
{
    enum { BEFORE = 5, ROUNDS = 20 };
    play(1, BEFORE, bytes);
    double start = MPI_Wtime();
    play(BEFORE + 1, BEFORE + ROUNDS, bytes);
    return 1e9 * (MPI_Wtime() - start) / (2 * ROUNDS);
}

/* -- streams */

static int target(long i)
{
    const int core = me % (int)o.cores, others = nodes - 1;
    int node = (me / (int)o.cores + 1) % nodes;
    if (o.cyclic) {
        steps(5);
        node = 1 + (int)(i % others);
    } else if (o.table) {
        steps(8);
        node = table[i];
    } else if (o.block) {
        steps(5);
        node = 1 + (int)(i / 16 % others);
    }
    return node * (int)o.cores + core;
}

static void put(long i, long bytes)
{
    shmem_putmem(to + i % PLACES * bytes, from + i % PLACES * bytes, (size_t)bytes, target(i));
}

/* Of our puts, so many were issued by then. */
static double issued_by(double time)
{
    for (long i = 1; i <= o.puts / MARK; i++)
        if (marks[i] >= time)
            return MARK * ((double)i - (marks[i] - time) / (marks[i] - marks[i - 1]));
    return (double)(o.puts / MARK * MARK);
}

/* Of the first node: from when all have issued half of theirs until one has issued all. */
static double rate(int sends)
{
    begin = sends ? marks[o.puts / MARK / 2] : 0;
    end = sends ? marks[o.puts / MARK] : 1e9;
    shmem_double_max_reduce(SHMEM_TEAM_WORLD, &first, &begin, 1);
    shmem_double_min_reduce(SHMEM_TEAM_WORLD, &last, &end, 1);
    issued = sends ? issued_by(last) - issued_by(first) : 0;
    shmem_double_sum_reduce(SHMEM_TEAM_WORLD, &all_issued, &issued, 1);
    return all_issued / (last - first);
}

static double stream(long bytes)
{
    const int node = me / (int)o.cores;
    if (node == 0 || (o.both && node == 1)) {
        for (long i = 0; i < o.puts; i++) {
            if (i % MARK == 0)
                marks[i / MARK] = MPI_Wtime();
            put(i, bytes);
        }
        marks[o.puts / MARK] = MPI_Wtime();
        shmem_quiet();
    }
    shmem_barrier_all();
    return rate(node == 0);
}

/* What was put is there, byte for byte: all PEs put the same. */
static void check(long bytes)
{
    const int node = me / (int)o.cores;
    const int one = !o.cyclic && !o.table && !o.block;
    if (one && (node == 1 || (o.both && node == 0)))
        wrong += memcmp(to, from, (size_t)(PLACES < o.puts ? PLACES : o.puts) * (size_t)bytes) != 0;
    else if (node)
        for (long i = 0; i < PLACES * bytes; i++)
            wrong += to[i] && to[i] != from[i];
}

static double measure(long bytes)
{
    memset(to, 0, PLACES * (size_t)bytes);
    for (long i = 0; i < PLACES * bytes; i++)
        from[i] = (unsigned char)(1 + i % 255);
    shmem_barrier_all();
    if (o.latency)
        return latency(bytes);
    double result = stream(bytes);
    check(bytes);
    return 1e-6 * result;
}

static void prepare(void)
{
    long most = 8;
    for (int i = 0; i < o.sizes.n; i++) {
        if (o.sizes.values[i] % 4) {
            if (me == 0)
                fputs("puts: sizes are multiples of 4\n", stderr);
            shmem_barrier_all();
            shmem_global_exit(2);
        }
        most = o.sizes.values[i] > most ? o.sizes.values[i] : most;
    }
    to = shmem_malloc(PLACES * (size_t)most);
    from = malloc(PLACES * (size_t)most);
    table = malloc((size_t)o.puts * sizeof *table);
    marks = calloc((size_t)(o.puts / MARK) + 1, sizeof *marks);
    if (!to || !from || !table || !marks)
        shmem_global_exit(1);
    uint64_t x = 1;
    for (long i = 0; i < o.puts; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
        table[i] = nodes > 1 ? 1 + (int)((x >> 33) % (uint64_t)(nodes - 1)) : 0;
    }
}

static int run(void)
{
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    nodes = pes / (int)o.cores;
    if (pes % o.cores || nodes < 2 || (o.latency && pes != 2)) {
        if (me == 0)
            fputs("puts: PEs are nodes of so many cores, two at least; two PEs with -l\n", stderr);
        shmem_barrier_all();    /* else another PE ends the job before it is said */
        shmem_global_exit(2);
    }
    o.puts -= o.puts % MARK;
    prepare();
    if (me == 0)
        puts(o.latency ? "size\tns" : "size\tmillion puts/s");
    for (int i = 0; i < o.sizes.n; i++) {
        double result = measure(o.sizes.values[i]);
        if (me == 0)
            printf("%ld\t%.6g\n", o.sizes.values[i], result);
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &all_wrong, &wrong, 1);
    if (all_wrong && me == 0)
        fprintf(stderr, "puts: %ld bytes are wrong\n", all_wrong);
    shmem_free(to);
    shmem_finalize();
    free(from);
    free(table);
    free(marks);
    return all_wrong != 0;
}

int main(int argc, char **argv)
{
    const struct choice choices[] = {
        { 's', "size", .list = &o.sizes, .least = 1, .most = 65536, .usual = "8" },
        { 'c', "cores", .number = &o.cores, .least = 1, .most = 4096 },
        { 'n', "puts", .number = &o.puts, .least = 8 * MARK, .most = BENCH_MOST },
        { 'l', "latency", .flag = &o.latency }, { 'b', "both", .flag = &o.both },
        { 'C', "cyclic", .flag = &o.cyclic }, { 'T', "table", .flag = &o.table },
        { 'B', "block", .flag = &o.block }, { 0 }
    };
    int rc = bench_options(argc, argv, choices, usage);
    if (rc < 0)
        rc = run();
    bench_options_free(choices);
    return rc;
}
