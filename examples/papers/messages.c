/* messages: the latency of messages there and back, and the rate of messages in streams.
 *
 * As Brightwell et al. measure Red Storm's network: a ping-pong; a stream of 64 messages for which
 * the receives are posted, answered when all have come; the same in both directions at once; and
 * what a call takes that posts a receive. */
#include "bench.h"

#include <string.h>

enum { STREAM = 64, TAG_GO = 1, TAG_DATA = 2, TAG_END = 3 };

struct options { struct list sizes; long rounds, warm_up; int stream, both, post; };

static const char usage[] =
    "usage: mpirun -n 2 messages [-s LIST] [-S | -b | -p] [-r ROUNDS] [-w ROUNDS]\n\n"
    "  -s, --size LIST     bytes of a message (default 0,8,16,32)\n"
    "  -S, --stream        streams of 64 messages, one way; prints the time per message\n"
    "  -b, --both          messages in both directions at once\n"
    "  -p, --post          what it takes to post a receive\n"
    "  -r, --rounds N      rounds measured (default 20)\n"
    "  -w, --warm-up N     rounds before (default 5)\n"
    "  -h, --help          print this text\n";

static unsigned char *in, *out;

static void there_and_back(int bytes)
{
    if (bench_rank == 0)
        MPI_Send(out, bytes, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD);
    MPI_Recv(in, bytes, MPI_BYTE, bench_peer, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (bench_rank == 1)
        MPI_Send(out, bytes, MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD);
}

static void both_ways(int bytes)
{
    MPI_Request r;

    MPI_Irecv(in, bytes, MPI_BYTE, bench_peer, TAG_DATA, MPI_COMM_WORLD, &r);
    MPI_Send(out, bytes, MPI_BYTE, bench_peer, TAG_DATA, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The receiver says when all of its receives are posted, and when all messages have come. */
static void take_stream(int bytes)
{
    MPI_Request r[STREAM];

    for (int i = 0; i < STREAM; i++)
        MPI_Irecv(in, bytes, MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD, &r[i]);
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_GO, MPI_COMM_WORLD);
    MPI_Waitall(STREAM, r, MPI_STATUSES_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_END, MPI_COMM_WORLD);
}

/* Seconds of a stream, from the moment when the receiver is ready. */
static double timed_stream(int bytes)
{
    MPI_Request r[STREAM];
    double start;

    if (bench_rank == 1) {
        take_stream(bytes);
        return 0;
    }
    MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    start = MPI_Wtime();
    for (int i = 0; i < STREAM; i++)
        MPI_Isend(out, bytes, MPI_BYTE, 1, TAG_DATA, MPI_COMM_WORLD, &r[i]);
    MPI_Waitall(STREAM, r, MPI_STATUSES_IGNORE);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, TAG_END, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

static double posting(int bytes)
{
    MPI_Request r;
    double start = MPI_Wtime(), end;

    MPI_Irecv(in, bytes, MPI_BYTE, bench_peer, TAG_DATA, MPI_COMM_WORLD, &r);
    end = MPI_Wtime();
    MPI_Send(out, bytes, MPI_BYTE, bench_peer, TAG_DATA, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    return end - start;
}

/* Seconds of a round, as its kind counts them. */
static double one_round(const struct options *o, int bytes)
{
    double start = MPI_Wtime();

    if (o->stream)
        return timed_stream(bytes) / STREAM;
    if (o->post)
        return posting(bytes);
    if (o->both) {
        both_ways(bytes);
        return MPI_Wtime() - start;
    }
    there_and_back(bytes);
    return (MPI_Wtime() - start) / 2;
}

static void point(const struct options *o, long bytes)
{
    double sum = 0;

    in = bench_buffer(bytes, 0);
    out = bench_buffer(bytes, 0);
    bench_fill(out, bytes, (unsigned)bench_rank);
    for (long i = -o->warm_up; i < o->rounds; i++) {
        double seconds = one_round(o, (int)bytes);

        if (i >= 0)
            sum += seconds;
    }
    if (bench_rank == 1 || !o->stream)
        bench_check(in, bytes, (unsigned)bench_peer);
    if (bench_rank == 0)
        printf("%ld\t%.3f\n", bytes, sum / (double)o->rounds * 1e9);
    bench_buffer_free(in, 0);
    bench_buffer_free(out, 0);
}

int main(int argc, char **argv)
{
    struct options o = { .rounds = 20, .warm_up = 5 };
    const struct choice choices[] = {
        { 's', "size", .list = &o.sizes, .most = BENCH_MOST, .usual = "0,8,16,32" },
        { 'S', "stream", .flag = &o.stream },
        { 'b', "both", .flag = &o.both },
        { 'p', "post", .flag = &o.post },
        { 'r', "rounds", .number = &o.rounds, .least = 1, .most = BENCH_MOST },
        { 'w', "warm-up", .number = &o.warm_up, .most = BENCH_MOST },
        { 0 },
    };
    int code = bench_options(argc, argv, choices, usage);

    if (code < 0) {
        bench_start(&argc, &argv, "messages");
        if (bench_rank == 0)
            printf("size (bytes)\ttime (ns)\n");
        for (int i = 0; i < o.sizes.n; i++)
            point(&o, o.sizes.values[i]);
        code = bench_end();
    }
    bench_options_free(choices);
    return code;
}
