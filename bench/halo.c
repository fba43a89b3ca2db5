/* Exchange of each rank with its four neighbours on a torus, by MPI_Irecv, MPI_Isend and
 * MPI_Waitall: time of an exchange, the slowest rank's, by bytes to each neighbour.
 * usage: halo [milliseconds per row, default 50] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5, NEIGHBOURS = 4, MOST = 1 << 20 };

static const int sizes[] = { 8, 1024, 20000, 32768, 65536, 131072, 262144, MOST };
static MPI_Comm torus;
static int neighbour[NEIGHBOURS];
static char *out, *in;

static void make_torus(void)
{
    int ranks, dims[2] = { 0, 0 }, periods[2] = { 1, 1 };
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &torus);
    for (int d = 0; d < 2; d++)
        MPI_Cart_shift(torus, d, 1, &neighbour[2 * d], &neighbour[2 * d + 1]);
}

/* What goes to one side comes from the other. */
static void exchange(int bytes)
{
    MPI_Request r[2 * NEIGHBOURS];
    for (int i = 0; i < NEIGHBOURS; i++)
        MPI_Irecv(in + (size_t)i * MOST, bytes, MPI_CHAR, neighbour[i], i ^ 1, torus, &r[i]);
    for (int i = 0; i < NEIGHBOURS; i++)
        MPI_Isend(out + (size_t)i * MOST, bytes, MPI_CHAR, neighbour[i], i, torus,
                  &r[NEIGHBOURS + i]);
    MPI_Waitall(2 * NEIGHBOURS, r, MPI_STATUSES_IGNORE);
}

static double seconds(int bytes, long rounds)
{
    double t, most;
    MPI_Barrier(torus);
    t = MPI_Wtime();
    for (long i = 0; i < rounds; i++)
        exchange(bytes);
    t = MPI_Wtime() - t;
    MPI_Allreduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, torus);
    return most;
}

/* Seconds per exchange: the middle of BATCHES that take `limit` together. */
static double measure(int bytes, double limit)
{
    double t[BATCHES];
    long rounds = 2;
    while (seconds(bytes, rounds) < limit / BATCHES / 2)
        rounds *= 2;
    for (int i = 0; i < BATCHES; i++) {
        double next = seconds(bytes, rounds);
        int at = i;
        for (; at && t[at - 1] > next; at--)
            t[at] = t[at - 1];
        t[at] = next;
    }
    return t[BATCHES / 2] / (double)rounds;
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 50) * 1e-3;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    make_torus();
    MPI_Comm_rank(torus, &rank);
    MPI_Comm_size(torus, &ranks);
    out = malloc((size_t)NEIGHBOURS * MOST);
    in = malloc((size_t)NEIGHBOURS * MOST);
    if (!out || !in)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(out, 1, (size_t)NEIGHBOURS * MOST);
    memset(in, 0, (size_t)NEIGHBOURS * MOST);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double t = measure(sizes[i], limit);
        if (rank == 0)
            printf("halo-%d/%d-ranks/us %.3f\n", sizes[i], ranks, t * 1e6);
    }
    free(out);
    free(in);
    MPI_Comm_free(&torus);
    MPI_Finalize();
    return 0;
}
