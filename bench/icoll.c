/* icoll: how much of a nonblocking collective hides behind computation.  Each call is started, all
 * ranks compute for twice as long as the blocking call takes, without MPI, and wait; the row says
 * what the call still costs, in per cent of the blocking one: 0 is all hidden.
 * usage: icoll [milliseconds per row, default 200] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST = 5, MOST = 501 };

static char *in, *out;
static int ranks;
static double sink;            /* looked at in the end, so that nobody leaves the loop out */

enum kind { ALLREDUCE, BCAST, ALLTOALL, KINDS };
static const char *const names[KINDS] = { "iallreduce", "ibcast", "ialltoall" };

static void blocking(enum kind kind, int bytes)
{
    switch (kind) {
    case ALLREDUCE:
        MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
    case BCAST:
        MPI_Bcast(in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
        break;
    default:
        MPI_Alltoall(in, bytes / ranks, MPI_CHAR, out, bytes / ranks, MPI_CHAR, MPI_COMM_WORLD);
    }
}

static void begin(enum kind kind, int bytes, MPI_Request *r)
{
    switch (kind) {
    case ALLREDUCE:
        MPI_Iallreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, r);
        break;
    case BCAST:
        MPI_Ibcast(in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD, r);
        break;
    default:
        MPI_Ialltoall(in, bytes / ranks, MPI_CHAR, out, bytes / ranks, MPI_CHAR, MPI_COMM_WORLD,
                      r);
    }
}

/* So many turns of a loop that nobody can shorten. */
static void compute(double turns)
{
    double x = 1;
    for (double i = 0; i < turns; i++)
        x = x * 0.999999 + 1e-6;
    sink += x;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Seconds of a round, the slowest rank's, in the median.  both: of the nonblocking call around so
 * many turns; else of the blocking call, if `bytes`, or of the turns alone. */
static double measure(enum kind kind, int bytes, int both, double turns, int rounds)
{
    static double slowest[MOST];
    double mine;
    for (int i = 0; i < rounds; i++) {
        MPI_Request r;
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        if (both) {
            begin(kind, bytes, &r);
            compute(turns);
            MPI_Wait(&r, MPI_STATUS_IGNORE);
        } else if (bytes) {
            blocking(kind, bytes);
        } else {
            compute(turns);
        }
        mine = MPI_Wtime() - start;
        MPI_Allreduce(&mine, &slowest[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(slowest, (size_t)rounds, sizeof *slowest, by_size);
    return slowest[rounds / 2];
}

static void row(enum kind kind, int bytes, double seconds, int rank)
{
    double turns = 1000, call, alone, both;
    measure(kind, bytes, 0, 0, LEAST);
    call = measure(kind, bytes, 0, 0, 4 * LEAST);
    turns *= 2 * call / measure(kind, 0, 0, turns, 4 * LEAST);
    int rounds = (int)(seconds / (8 * call)) + LEAST;
    if (rounds > MOST)
        rounds = MOST;
    MPI_Bcast(&turns, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&rounds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    call = measure(kind, bytes, 0, 0, rounds);
    alone = measure(kind, 0, 0, turns, rounds);
    both = measure(kind, bytes, 1, turns, rounds);
    if (rank)
        return;
    printf("%s-left/%d/%% %.1f\n", names[kind], bytes, 100 * (both - alone) / call);
    printf("%s-both/%d/us %.1f\n", names[kind], bytes, 1e6 * both);
    printf("%s-call/%d/us %.1f\n", names[kind], bytes, 1e6 * call);
}

int main(int argc, char **argv)
{
    double seconds = (argc > 1 ? atof(argv[1]) : 200) / 1000;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc(1, 1 << 20);
    out = calloc(1, 1 << 20);
    for (int bytes = 1 << 16; bytes <= 1 << 20; bytes <<= 4)
        for (int kind = 0; kind < KINDS; kind++)
            row((enum kind)kind, bytes, seconds, rank);
    MPI_Finalize();
    return sink < 0;
}
