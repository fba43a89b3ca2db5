/* pingpong_words: half of a round trip by size, in steps of words and parts of words.
 *
 * After Katsamani's thesis on MPI over scratchpad memories, 4.4.1 and 4.4.4: blocking sends and
 * receives, 10 rounds to warm up and 10,000 measured, sizes in steps of 2 bytes for eager messages
 * (table 4.1, figures 4.5, 4.6) and of 4 for rendezvous (table 4.4, figures 4.8, 4.9), whose
 * buffers lie in memory that the network reaches: MPI_Alloc_mem, option --alloc. With --late each
 * rank computes before it receives, so that the sender is there first.  With --times rank 0 prints
 * when its last send and receive were called and when they returned, which a log of the model clock
 * says more about (tables 4.2, 4.3). */
#include "bench.h"

enum { TAG = 1 };

struct options { struct list sizes; long rounds, warm_up, late; int alloc, times; };

static struct { double called, returned; } last_send, last_receive;

static const char usage[] =
    "usage: mpirun -n 2 pingpong_words [-s LIST] [-r ROUNDS] [-w ROUNDS] [--alloc] [--late NS]\n\n"
    "  -s, --size LIST   bytes of the message (default 0:128:2)\n"
    "  -r, --rounds N    round trips measured (default 10000)\n"
    "  -w, --warm-up N   round trips before (default 10)\n"
    "  -a, --alloc       buffers by MPI_Alloc_mem\n"
    "  -l, --late NS     each rank lets so many nanoseconds pass before it receives (default 0)\n"
    "  -t, --times       when the last calls of rank 0 began and ended, in place of the mean\n"
    "  -h, --help        print this text\n";

static void pass_time(long ns)
{
    double end;

    if (ns == 0)
        return;
    end = MPI_Wtime() + (double)ns * 1e-9;
    while (MPI_Wtime() < end)
        continue;
}

static void send_one(unsigned char *out, long bytes)
{
    MPI_Send(out, (int)bytes, MPI_BYTE, bench_peer, TAG, MPI_COMM_WORLD);
}

static void receive_one(const struct options *o, unsigned char *in, long bytes)
{
    pass_time(o->late);
    MPI_Recv(in, (int)bytes, MPI_BYTE, bench_peer, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void timed_round(const struct options *o, unsigned char *out, unsigned char *in, long bytes)
{
    last_send.called = MPI_Wtime();
    send_one(out, bytes);
    last_send.returned = MPI_Wtime();
    last_receive.called = MPI_Wtime();
    receive_one(o, in, bytes);
    last_receive.returned = MPI_Wtime();
}

/* Seconds of half a round trip. */
static double measure(const struct options *o, unsigned char *out, unsigned char *in, long bytes)
{
    double start = 0;

    for (long i = -o->warm_up; i < o->rounds; i++) {
        if (i == 0)
            start = MPI_Wtime();
        if (o->times && i == o->rounds - 1 && bench_rank == 0) {
            timed_round(o, out, in, bytes);
            continue;
        }
        if (bench_rank == 0)
            send_one(out, bytes);
        receive_one(o, in, bytes);
        if (bench_rank == 1)
            send_one(out, bytes);
    }
    return (MPI_Wtime() - start) / (double)o->rounds / 2;
}

static void point(const struct options *o, long bytes)
{
    unsigned char *out = bench_buffer(bytes, o->alloc), *in = bench_buffer(bytes, o->alloc);
    double seconds;

    bench_fill(out, bytes, (unsigned)(bytes + bench_rank));
    seconds = measure(o, out, in, bytes);
    bench_check(in, bytes, (unsigned)(bytes + bench_peer));
    if (bench_rank == 0 && o->times)
        printf("%ld\tsend\t%.3f\t%.3f\n%ld\treceive\t%.3f\t%.3f\n", bytes, last_send.called * 1e9,
               last_send.returned * 1e9, bytes,
               last_receive.called * 1e9, last_receive.returned * 1e9);
    else if (bench_rank == 0)
        printf("%ld\t%.3f\n", bytes, seconds * 1e9);
    bench_buffer_free(in, o->alloc);
    bench_buffer_free(out, o->alloc);
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 10000, .warm_up = 10 };
    const struct choice choices[] = {
        { 's', "size", .list = &o.sizes, .most = BENCH_MOST, .usual = "0:128:2" },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 'a', "alloc", .flag = &o.alloc },
        { 'l', "late", .number = &o.late, .most = 1000000000 },
        { 't', "times", .flag = &o.times },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        bench_start(&argc, &argv, "pingpong_words");
        if (bench_rank == 0)
            printf(o.times ? "size (bytes)\tcall\tcalled (ns)\treturned (ns)\n"
                   : "size (bytes)\thalf round trip (ns)\n");
        for (int s = 0; s < o.sizes.n; s++)
            point(&o, o.sizes.values[s]);
        code = bench_end();
    }
    bench_options_free(choices);
    return code;
}
