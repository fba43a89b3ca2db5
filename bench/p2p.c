/* Half round trip and windowed stream between ranks 0 and 1, by size.
 * usage: p2p [milliseconds per row, default 20] [largest size, default 4 MiB] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 4, WINDOW = 64, TAG_PING = 1, TAG_STREAM = 2, TAG_ACK = 3 };

static int rank;
static char *out, *in;

static void ping_pong(int bytes, long rounds)
{
    for (long i = 0; i < rounds; i++) {
        if (rank == 0) {
            MPI_Send(out, bytes, MPI_CHAR, 1, TAG_PING, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_CHAR, 1, TAG_PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, bytes, MPI_CHAR, 0, TAG_PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, bytes, MPI_CHAR, 0, TAG_PING, MPI_COMM_WORLD);
        }
    }
}

static void stream(int bytes, long rounds)
{
    MPI_Request request[WINDOW];

    for (long i = 0; i < rounds; i++) {
        for (int k = 0; k < WINDOW; k++) {
            if (rank == 0)
                MPI_Isend(out, bytes, MPI_CHAR, 1, TAG_STREAM, MPI_COMM_WORLD, &request[k]);
            else
                MPI_Irecv(in, bytes, MPI_CHAR, 0, TAG_STREAM, MPI_COMM_WORLD, &request[k]);
        }
        MPI_Waitall(WINDOW, request, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(NULL, 0, MPI_CHAR, 1, TAG_ACK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(NULL, 0, MPI_CHAR, 0, TAG_ACK, MPI_COMM_WORLD);
    }
}

static double seconds(void (*body)(int, long), int bytes, long rounds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    body(bytes, rounds);
    return MPI_Wtime() - begin;
}

/* Rounds that take about `limit` seconds; never so few that a single preemption decides. */
static long calibrate(void (*body)(int, long), int bytes, double limit)
{
    long rounds = bytes > 65536 ? 2 : 32;
    double t;

    for (;;) {
        t = seconds(body, bytes, rounds);
        MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (t >= limit / 2)
            return rounds;
        rounds *= 2;
    }
}

/* Seconds per round of body: the best of four batches that take `limit` together. */
static double measure(void (*body)(int, long), int bytes, double limit)
{
    long rounds = calibrate(body, bytes, limit / BATCHES);
    double best = 1e9;

    for (int i = 0; i < BATCHES; i++) {
        double t = seconds(body, bytes, rounds) / (double)rounds;
        if (t < best)
            best = t;
    }
    return best;
}

static int next_size(int bytes)
{
    if (bytes == 0)
        return 1;
    return bytes < 64 ? bytes * 8 : bytes * 4;
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 20) * 1e-3;
    int largest = argc > 2 ? atoi(argv[2]) : 4 << 20, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != 2) {
        fprintf(stderr, "p2p: needs 2 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    out = malloc((size_t)largest + 1);
    in = malloc((size_t)largest + 1);
    if (!out || !in)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(out, 1, (size_t)largest + 1);
    memset(in, 2, (size_t)largest + 1);
    for (int bytes = 0; bytes <= largest; bytes = next_size(bytes)) {
        double half = measure(ping_pong, bytes, limit) / 2;
        double each = measure(stream, bytes, limit) / WINDOW;
        if (rank == 0)
            printf("half-round-trip/%d/ns %.1f\nstream/%d/ns %.2f\n", bytes, half * 1e9, bytes,
                   each * 1e9);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
