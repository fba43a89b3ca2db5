/* unexpected: latency of a message by the number of messages that nobody has received yet.
 *
 * After Brightwell et al., "A Hardware Acceleration Unit for MPI Queue Processing", V-A: the receive is posted in the timed part, as soon as
 * the rank has sent, so the search of the unexpected messages counts as far as the message's way there and back does not hide it. Both
 * ranks hold as many such messages and search them at the same time: what is not hidden adds half of it to half of a round trip. */
#include <getopt.h>
#include <stdlib.h>

#include "bench.h"

enum { TAG_MEASURED = 0, TAG_FILLER = 1, LENGTH_MOST = 20000 };

struct options { struct list lengths, sizes; long rounds, warm_up; };

static void usage(FILE *out)
{
    fprintf(out,
            "usage: mpirun -n 2 unexpected [-q LIST] [-s LIST] [-r ROUNDS] [-w ROUNDS]\n\n"
            "  -q, --length LIST   messages that wait for a receive (default 0:300:50)\n"
            "  -s, --size LIST     bytes of the measured message (default 0)\n"
            "  -r, --rounds N      round trips measured (default 100)\n"
            "  -w, --warm-up N     round trips before (default 10)\n"
            "  -h, --help          print this text\n\n"
            "A LIST is 7, or 0,8,64, or FIRST:LAST:STEP, or such things after each other with commas.\n"
            "Output: tab-separated values, one line per point.\n");
}

/* Every filler has arrived when the ready message behind it has. */
static void fill_queue(long length)
{
    bench_ready_post();
    for (long i = 0; i < length; i++)
        MPI_Send(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD);
    bench_ready_wait();
}

static void drain_queue(long length)
{
    for (long i = 0; i < length; i++)
        MPI_Recv(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_one(unsigned char *out, long bytes)
{
    MPI_Send(out, (int)bytes, MPI_BYTE, bench_peer, TAG_MEASURED, MPI_COMM_WORLD);
}

static void receive_one(unsigned char *in, long bytes)
{
    MPI_Recv(in, (int)bytes, MPI_BYTE, bench_peer, TAG_MEASURED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Seconds of half a round trip.  Each rank posts its receive as soon as it has sent. */
static double measure(const struct options *o, unsigned char *out, unsigned char *in, long bytes)
{
    double start = 0;

    for (long i = -o->warm_up; i < o->rounds; i++) {
        if (i == 0)
            start = MPI_Wtime();
        if (bench_rank == 0)
            send_one(out, bytes);
        receive_one(in, bytes);
        if (bench_rank == 1)
            send_one(out, bytes);
    }
    return (MPI_Wtime() - start) / (double)o->rounds / 2;
}

static void point(const struct options *o, long length, long bytes)
{
    unsigned char *out = bench_buffer(bytes, 0), *in = bench_buffer(bytes, 0);
    double seconds;

    bench_fill(out, bytes, (unsigned)(length + bench_rank));
    fill_queue(length);
    seconds = measure(o, out, in, bytes);
    drain_queue(length);
    bench_check(in, bytes, (unsigned)(length + bench_peer));
    if (bench_rank == 0)
        printf("%ld\t%ld\t%.3f\n", length, bytes, seconds * 1e9);
    bench_buffer_free(out, 0);
    bench_buffer_free(in, 0);
}

static const struct option names[] = {
    { "length", required_argument, NULL, 'q' }, { "size", required_argument, NULL, 's' }, { "rounds", required_argument, NULL, 'r' },
    { "warm-up", required_argument, NULL, 'w' }, { "help", no_argument, NULL, 'h' }, { 0 },
};

/* -1: go on; else the exit code. */
static int read_options(int argc, char **argv, struct options *o)
{
    int option, bad = 0;

    while (!bad && (option = getopt_long(argc, argv, "q:s:r:w:h", names, NULL)) != -1)
        switch (option) {
        case 'q': bad = list_read(&o->lengths, optarg, 0, LENGTH_MOST); break;
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
    struct options o = { .rounds = 100, .warm_up = 10 };
    int code;

    list_read(&o.lengths, "0:300:50", 0, LENGTH_MOST);
    list_read(&o.sizes, "0", 0, 0);
    code = read_options(argc, argv, &o);
    if (code < 0) {
        bench_start(&argc, &argv, "unexpected");
        if (bench_rank == 0)
            printf("length (entries)\tsize (bytes)\thalf round trip (ns)\n");
        for (int s = 0; s < o.sizes.n; s++)
            for (int q = 0; q < o.lengths.n; q++)
                point(&o, o.lengths.values[q], o.sizes.values[s]);
        code = bench_end();
    }
    list_free(&o.lengths);
    list_free(&o.sizes);
    return code;
}
