/* pingpong: how long a message takes, how much data pass per second, how many messages per second,
 * by size.
 *
 * Ranks work in pairs, rank i of the lower half with rank i of the upper half.  Latency is half of
 * a round trip. Bandwidth and message rate come from a window of non-blocking sends that one empty
 * message answers.  With several pairs, times are the mean of all pairs and rates their sum. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 32, WINDOW_BYTES = 4 << 20, BINS = 40, TAG_PING = 1, TAG_STREAM, TAG_ANSWER };

struct options { long max, iterations; int histogram; };

static int rank, size, partner, first;      /* first: we are the one that starts */

static void usage(FILE *out)
{
    fprintf(out,
            "usage: mpirun -n RANKS pingpong [-s SIZE] [-i COUNT] [--histogram]\n\n"
            "  -s SIZE      largest message in bytes; a suffix K, M or G multiplies (default 4M)\n"
            "  -i COUNT     round trips per size; 0 chooses by size (default 0)\n"
            "  --histogram  how the latency of an 8-byte message is spread, with percentiles\n"
            "  -h, --help   print this text\n\n"
            "RANKS must be even: ranks work in pairs.\n");
}

static long round_trips(const struct options *o, long bytes)
{
    if (o->iterations > 0)
        return o->iterations;
    return bytes <= 1024 ? 5000 : bytes <= 65536 ? 1000 : bytes <= 1048576 ? 100 : 20;
}

static void ping(char *buffer, long bytes)
{
    if (first) {
        MPI_Send(buffer, (int)bytes, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD);
        MPI_Recv(buffer, (int)bytes, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(buffer, (int)bytes, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Send(buffer, (int)bytes, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD);
    }
}

/* Seconds of half a round trip. */
static double measure_latency(char *buffer, long bytes, long count)
{
    double start = 0;

    for (long i = -count / 10 - 1; i < count; i++) {    /* the rounds below 0 warm up */
        if (i == 0)
            start = MPI_Wtime();
        ping(buffer, bytes);
    }
    return (MPI_Wtime() - start) / (double)count / 2;
}

/* Fewer messages at a time when they are large, so that the receiver's
 * buffers stay within a few megabytes. */
static int window_of(long bytes)
{
    return bytes * WINDOW <= WINDOW_BYTES ? WINDOW : bytes * 2 <= WINDOW_BYTES
           ? (int)(WINDOW_BYTES / bytes) : 2;
}

static void stream(char *buffer, long bytes)
{
    MPI_Request requests[WINDOW];
    int window = window_of(bytes);

    for (int i = 0; i < window; i++)
        if (first)
            MPI_Isend(buffer, (int)bytes, MPI_BYTE, partner, TAG_STREAM, MPI_COMM_WORLD,
                      &requests[i]);
        else
            MPI_Irecv(buffer + i * bytes, (int)bytes, MPI_BYTE, partner, TAG_STREAM,
                      MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (first)
        MPI_Recv(NULL, 0, MPI_BYTE, partner, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, partner, TAG_ANSWER, MPI_COMM_WORLD);
}

/* Messages per second. */
static double measure_rate(char *buffer, long bytes, long count)
{
    long windows = count / 10 + 1;
    double start;

    stream(buffer, bytes);
    start = MPI_Wtime();
    for (long i = 0; i < windows; i++)
        stream(buffer, bytes);
    return (double)(windows * window_of(bytes)) / (MPI_Wtime() - start);
}

static void print_size(char *text, size_t room, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    int unit = 0;

    for (; bytes >= 1024 && fmod(bytes, 1024) == 0 && unit < 3; unit++)
        bytes /= 1024;
    snprintf(text, room, "%.0f %s", bytes, units[unit]);
}

static void print_row(long bytes, double latency, double rate)
{
    char text[32];

    print_size(text, sizeof text, (double)bytes);
    if (bytes == 0)
        printf("%10s  %12.3f  %12s  %14.3f\n", text, latency * 1e6, "-", rate / 1e6);
    else
        printf("%10s  %12.3f  %12.1f  %14.3f\n", text, latency * 1e6, rate * (double)bytes / 1e6,
               rate / 1e6);
    fflush(stdout);
}

static void one_size(const struct options *o, char *buffer, long bytes)
{
    long count = round_trips(o, bytes);
    double mine[2], sum[2];

    MPI_Barrier(MPI_COMM_WORLD);
    mine[0] = measure_latency(buffer, bytes, count);
    MPI_Barrier(MPI_COMM_WORLD);
    mine[1] = measure_rate(buffer, bytes, count);
    if (!first)
        mine[0] = mine[1] = 0;      /* a pair is counted once */
    MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        print_row(bytes, sum[0] / (size / 2), sum[1]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One bar per step of 2^(1/4); what lies beyond the last bar is added to it. */
static void draw(const double *sorted, long count)
{
    long bins[BINS] = {0}, most = 1;
    int low = BINS, high = 0;
    double least = sorted[0] > 0 ? sorted[0] : 1e-9;

    for (long i = 0; i < count; i++) {
        int bin = sorted[i] <= least ? 0 : (int)(4 * log2(sorted[i] / least));

        bin = bin < BINS ? bin : BINS - 1;
        bins[bin]++;
        most = bins[bin] > most ? bins[bin] : most;
        low = bin < low ? bin : low;
        high = bin > high ? bin : high;
    }
    for (int bin = low; bin <= high; bin++) {
        int length = (int)(50.0 * (double)bins[bin] / (double)most + 0.999);

        printf(length ? "%9.3f us  %8ld  %.*s\n" : "%9.3f us  %8ld%.*s\n",
               least * exp2(bin / 4.0) * 1e6, bins[bin],
               length, "##################################################");
    }
}

static void print_histogram(double *times, long count)
{
    static const double percents[] = {0, 50, 90, 99, 99.9, 100};

    qsort(times, (size_t)count, sizeof *times, by_value);
    printf("\nlatency of 8 bytes, %ld round trips, rank 0 and its partner\n", count);
    draw(times, count);
    printf("percentiles in us:");
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
        printf("  %g%% %.3f", percents[i],
               times[(long)(percents[i] / 100 * (double)(count - 1) + 0.5)] * 1e6);
    printf("\n");
}

static void histogram(const struct options *o, char *buffer)
{
    long count = o->iterations > 0 ? o->iterations : 20000;
    double *times = malloc((size_t)count * sizeof *times);

    if (!times) {
        fprintf(stderr, "pingpong: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (long i = -100; i < count; i++) {       /* the rounds below 0 warm up */
        double start = MPI_Wtime();

        ping(buffer, 8);
        if (i >= 0)
            times[i] = (MPI_Wtime() - start) / 2;
    }
    if (rank == 0)
        print_histogram(times, count);
    free(times);
}

/* What is sent comes back: the partner adds one to every byte. */
static int count_wrong(char *buffer, long bytes)
{
    unsigned char *data = (unsigned char *)buffer;
    int mine = 0, total = 0;

    for (long i = 0; i < bytes && first; i++)
        data[i] = (unsigned char)(i * 7 + rank);
    if (first) {
        ping(buffer, bytes);
    } else {
        MPI_Recv(data, (int)bytes, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long i = 0; i < bytes; i++)
            data[i]++;
        MPI_Send(data, (int)bytes, MPI_BYTE, partner, TAG_PING, MPI_COMM_WORLD);
    }
    for (long i = 0; i < bytes && first; i++)
        mine += data[i] != (unsigned char)(i * 7 + rank + 1);
    MPI_Reduce(&mine, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return total;
}

static long read_size(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);

    switch (*end) {
    case 'G': case 'g': value *= 1024; /* fall through */
    case 'M': case 'm': value *= 1024; /* fall through */
    case 'K': case 'k': value *= 1024; end++;
    }
    return *end ? -1 : value;
}

/* 0: go on; 1: help was asked for; 2: wrong arguments. */
static int read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
            return 1;
        if (strcmp(argv[i], "--histogram") == 0)
            o->histogram = 1;
        else if (strcmp(argv[i], "-s") == 0 && i + 1 < argc)
            o->max = read_size(argv[++i]);
        else if (strcmp(argv[i], "-i") == 0 && i + 1 < argc)
            o->iterations = read_size(argv[++i]);
        else
            return 2;
    }
    return o->max >= 0 && o->max <= 1L << 30 && o->iterations >= 0 ? 0 : 2;
}

static int run(const struct options *o)
{
    size_t room = o->max * 2 <= WINDOW_BYTES ? WINDOW_BYTES : (size_t)o->max * 2;
    char *buffer = calloc(room, 1);
    int wrong;

    if (!buffer) {
        fprintf(stderr, "pingpong: no memory for %zu bytes\n", room);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0) {
        printf("%d pair%s of ranks\n", size / 2, size == 2 ? "" : "s");
        printf("%10s  %12s  %12s  %14s\n", "size", "latency us", "MB/s", "million msg/s");
    }
    for (long bytes = 0; bytes <= o->max; bytes = bytes ? bytes * 2 : 1)
        one_size(o, buffer, bytes);
    if (o->histogram)
        histogram(o, buffer);
    wrong = count_wrong(buffer, o->max);
    if (rank == 0)
        printf("%ld bytes there and back: %s\n", o->max, wrong ? "WRONG" : "right");
    free(buffer);
    return rank == 0 && wrong;
}

int main(int argc, char **argv)
{
    struct options o = {.max = 4 << 20};
    int verdict = read_options(argc, argv, &o);

    if (verdict) {
        usage(verdict == 1 ? stdout : stderr);
        return verdict == 1 ? 0 : 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    first = rank < size / 2;
    partner = first ? rank + size / 2 : rank - size / 2;
    if (size % 2) {
        if (rank == 0)
            fprintf(stderr, "pingpong: needs an even number of ranks, not %d\n", size);
        verdict = 2;
    } else {
        verdict = run(&o);
    }
    MPI_Finalize();
    return verdict;
}
