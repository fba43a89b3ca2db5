/* unexpected: latency of a message by the number of messages that nobody has received yet.
 *
 * After Brightwell et al., "A Hardware Acceleration Unit for MPI Queue Processing", V-A: the
 * receive is posted in the timed part, as soon as the rank has sent, so the search of the
 * unexpected messages counts as far as the message's way there and back does not hide it. Both
 * ranks hold as many such messages and search them at the same time: what is not hidden adds half
 * of it to half of a round trip. */
#include "bench.h"

enum { TAG_MEASURED = 0, TAG_FILLER = 1, LENGTH_MOST = 20000 };

struct options { struct list lengths, sizes; long rounds, warm_up; };

static const char usage[] =
    "usage: mpirun -n 2 unexpected [-q LIST] [-s LIST] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -q, --length LIST   messages that wait for a receive (default 0:300:50)\n"
    "  -s, --size LIST     bytes of the measured message (default 0)\n"
    "  -r, --rounds N      round trips measured (default 100)\n"
    "  -w, --warm-up N     round trips before (default 10)\n"
    "  -h, --help          print this text\n";

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
        MPI_Recv(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
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

int main(int argc, char **argv)
{
    struct options o = { .rounds = 100, .warm_up = 10 };
    const struct choice choices[] = {
        { 'q', "length", .list = &o.lengths, .most = LENGTH_MOST, .usual = "0:300:50" },
        { 's', "size", .list = &o.sizes, .most = BENCH_MOST, .usual = "0" },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        bench_start(&argc, &argv, "unexpected");
        if (bench_rank == 0)
            printf("length (entries)\tsize (bytes)\thalf round trip (ns)\n");
        for (int s = 0; s < o.sizes.n; s++)
            for (int q = 0; q < o.lengths.n; q++)
                point(&o, o.lengths.values[q], o.sizes.values[s]);
        code = bench_end();
    }
    bench_options_free(choices);
    return code;
}
