/* preposted: latency of a message by the number of receives that are posted before it arrives.
 *
 * Three things vary, as in Brightwell et al., "A Hardware Acceleration Unit for MPI Queue Processing", V-A: how many receives are
 * posted that the message does not match, which share of them stands before the one that it does match, and the size of the message.
 * Each round both ranks post everything anew, so the queue of each is as long as the other's and half of a round trip has one
 * traversal. Between rounds the posted receives get their messages. */
#include <getopt.h>
#include <stdlib.h>

#include "bench.h"

enum { TAG_MEASURED = 0, TAG_FILLER = 1, LENGTH_MOST = 20000 };

struct options { struct list lengths, shares, sizes; long rounds, warm_up; };

static void usage(FILE *out)
{
    fprintf(out,
            "usage: mpirun -n 2 preposted [-q LIST] [-p LIST] [-s LIST] [-r ROUNDS] [-w ROUNDS]\n\n"
            "  -q, --length LIST   receives posted that the message does not match (default 0:500:100)\n"
            "  -p, --share LIST    per cent of them that stand before the one that it matches (default 0:100:50)\n"
            "  -s, --size LIST     bytes of the message (default 0)\n"
            "  -r, --rounds N      rounds measured, each with queues of its own (default 10)\n"
            "  -w, --warm-up N     rounds before (default 2)\n"
            "  -h, --help          print this text\n\n"
            "A LIST is 7, or 0,8,64, or FIRST:LAST:STEP, or such things after each other with commas.\n"
            "Output: tab-separated values, one line per point.\n");
}

struct round { MPI_Request *fillers, measured; long length, before, bytes; unsigned char *out, *in; };

static void post(struct round *r)
{
    bench_ready_post();
    for (long i = 0; i < r->before; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD, &r->fillers[i]);
    MPI_Irecv(r->in, (int)r->bytes, MPI_BYTE, bench_peer, TAG_MEASURED, MPI_COMM_WORLD, &r->measured);
    for (long i = r->before; i < r->length; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD, &r->fillers[i]);
    bench_ready_wait();
}

/* Seconds of half a round trip. */
static double measure(struct round *r)
{
    double start = MPI_Wtime();

    if (bench_rank == 0)
        MPI_Send(r->out, (int)r->bytes, MPI_BYTE, bench_peer, TAG_MEASURED, MPI_COMM_WORLD);
    MPI_Wait(&r->measured, MPI_STATUS_IGNORE);
    if (bench_rank == 1)
        MPI_Send(r->out, (int)r->bytes, MPI_BYTE, bench_peer, TAG_MEASURED, MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / 2;
}

static void drain(struct round *r)
{
    for (long i = 0; i < r->length; i++)
        MPI_Send(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD);
    MPI_Waitall((int)r->length, r->fillers, MPI_STATUSES_IGNORE);
}

static double one_round(struct round *r, unsigned seed)
{
    double seconds;

    bench_fill(r->out, r->bytes, seed + (unsigned)bench_rank);
    post(r);
    seconds = measure(r);
    bench_check(r->in, r->bytes, seed + (unsigned)bench_peer);
    drain(r);
    return seconds;
}

static void point(const struct options *o, struct round *r, long share)
{
    double sum = 0;

    r->before = r->length * share / 100;
    for (long i = -o->warm_up; i < o->rounds; i++) {
        double seconds = one_round(r, (unsigned)(i + o->warm_up));

        if (i >= 0)
            sum += seconds;
    }
    if (bench_rank == 0)
        printf("%ld\t%ld\t%ld\t%ld\t%.3f\n", r->length, share, r->before, r->bytes, sum / (double)o->rounds * 1e9);
}

static void run(const struct options *o)
{
    if (bench_rank == 0)
        printf("length (entries)\tshare (%%)\ttraversed (entries)\tsize (bytes)\thalf round trip (ns)\n");
    for (int s = 0; s < o->sizes.n; s++)
        for (int q = 0; q < o->lengths.n; q++) {
            struct round r = { .length = o->lengths.values[q], .bytes = o->sizes.values[s] };

            r.fillers = bench_buffer(r.length * (long)sizeof *r.fillers, 0);
            r.out = bench_buffer(r.bytes, 0);
            r.in = bench_buffer(r.bytes, 0);
            for (int p = 0; p < o->shares.n; p++)
                point(o, &r, o->shares.values[p]);
            bench_buffer_free(r.fillers, 0);
            bench_buffer_free(r.out, 0);
            bench_buffer_free(r.in, 0);
        }
}

static const struct option names[] = {
    { "length", required_argument, NULL, 'q' }, { "share", required_argument, NULL, 'p' }, { "size", required_argument, NULL, 's' },
    { "rounds", required_argument, NULL, 'r' }, { "warm-up", required_argument, NULL, 'w' }, { "help", no_argument, NULL, 'h' }, { 0 },
};

/* -1: go on; else the exit code. */
static int read_options(int argc, char **argv, struct options *o)
{
    int option, bad = 0;

    while (!bad && (option = getopt_long(argc, argv, "q:p:s:r:w:h", names, NULL)) != -1)
        switch (option) {
        case 'q': bad = list_read(&o->lengths, optarg, 0, LENGTH_MOST); break;
        case 'p': bad = list_read(&o->shares, optarg, 0, 100); break;
        case 's': bad = list_read(&o->sizes, optarg, 0, 1L << 30); break;
        case 'r': bad = number_read(&o->rounds, optarg, 1, 1L << 30); break;
        case 'w': bad = number_read(&o->warm_up, optarg, 0, 1L << 30); break;
        case 'h': usage(stdout); return 0;
        default: bad = -1;
        }
    if (!bad && optind == argc)
        return -1;
    usage(stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 10, .warm_up = 2 };
    int code;

    list_read(&o.lengths, "0:500:100", 0, LENGTH_MOST);
    list_read(&o.shares, "0:100:50", 0, 100);
    list_read(&o.sizes, "0", 0, 0);
    code = read_options(argc, argv, &o);
    if (code < 0) {
        bench_start(&argc, &argv, "preposted");
        run(&o);
        code = bench_end();
    }
    list_free(&o.lengths);
    list_free(&o.shares);
    list_free(&o.sizes);
    return code;
}
