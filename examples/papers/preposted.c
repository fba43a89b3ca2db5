/* preposted: latency of a message by the number of receives that are posted before it arrives.
 *
 * Three things vary, as in Brightwell et al., "A Hardware Acceleration Unit for MPI Queue
 * Processing", V-A: how many receives are posted that the message does not match, which share of
 * them stands before the one that it does match, and the size of the message. Each round both ranks
 * post everything anew, so the queue of each is as long as the other's and half of a round trip has
 * one traversal. Between rounds the posted receives get their messages. */
#include "bench.h"

enum { TAG_MEASURED = 0, TAG_FILLER = 1, LENGTH_MOST = 20000 };

struct options { struct list lengths, shares, sizes; long rounds, warm_up; };

static const char usage[] =
    "usage: mpirun -n 2 preposted [-q LIST] [-p LIST] [-s LIST] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -q, --length LIST   receives posted that the message does not match (default 0:500:100)\n"
    "  -p, --share LIST    per cent of them that stand before the one that it matches (default "
        "0:100:50)\n"
    "  -s, --size LIST     bytes of the message (default 0)\n"
    "  -r, --rounds N      rounds measured, each with queues of its own (default 10)\n"
    "  -w, --warm-up N     rounds before (default 2)\n"
    "  -h, --help          print this text\n";

struct round { MPI_Request *fillers, measured; long length, before, bytes; unsigned char *out, *in;
               };

static void post(struct round *r)
{
    bench_ready_post();
    for (long i = 0; i < r->before; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD,
                  &r->fillers[i]);
    MPI_Irecv(r->in, (int)r->bytes, MPI_BYTE, bench_peer, TAG_MEASURED, MPI_COMM_WORLD,
              &r->measured);
    for (long i = r->before; i < r->length; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, bench_peer, TAG_FILLER + (int)i, MPI_COMM_WORLD,
                  &r->fillers[i]);
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
        printf("%ld\t%ld\t%ld\t%ld\t%.3f\n", r->length, share, r->before, r->bytes,
               sum / (double)o->rounds * 1e9);
}

static void run(const struct options *o)
{
    if (bench_rank == 0)
        printf("length (entries)\tshare (%%)\ttraversed (entries)\tsize (bytes)\thalf round trip "
               "(ns)\n");
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

int main(int argc, char **argv)
{
    struct options o = { .rounds = 10, .warm_up = 2 };
    const struct choice choices[] = {
        { 'q', "length", .list = &o.lengths, .most = LENGTH_MOST, .usual = "0:500:100" },
        { 'p', "share", .list = &o.shares, .most = 100, .usual = "0:100:50" },
        { 's', "size", .list = &o.sizes, .most = BENCH_MOST, .usual = "0" },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        bench_start(&argc, &argv, "preposted");
        run(&o);
        code = bench_end();
    }
    bench_options_free(choices);
    return code;
}
