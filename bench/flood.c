/* All ranks send to rank 0, which takes from any of them: time of a message, by its bytes; then a
 * single stream, of rank 1, while all others wait in a barrier.
 * usage: flood [milliseconds per row, default 50] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5, MOST = 64 * 1024, STREAM = 1024 };

static const int sizes[] = { 8, 1024, 16 * 1024, MOST };
static int rank, ranks;
static char *data;

static void send(int bytes, long count)
{
    for (long i = 0; i < count; i++)
        MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void take(int bytes, long count)
{
    for (long i = 0; i < count; i++)
        MPI_Recv(data, bytes, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* So many of each of the ranks 1 to `last`: seconds, for all the same. */
static double seconds(int bytes, long count, int last)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double t = MPI_Wtime();
    if (rank == 0)
        take(bytes, count * last);
    else if (rank <= last)
        send(bytes, count);
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime() - t;
    MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return t;
}

/* Seconds per message: the middle of BATCHES that take `limit` together. */
static double measure(int bytes, int last, double limit)
{
    double t[BATCHES];
    long count = 1;
    while (seconds(bytes, count, last) < limit / BATCHES / 2)
        count *= 2;
    for (int i = 0; i < BATCHES; i++) {
        double next = seconds(bytes, count, last);
        int at = i;
        for (; at && t[at - 1] > next; at--)
            t[at] = t[at - 1];
        t[at] = next;
    }
    return t[BATCHES / 2] / (double)(count * last);
}

int main(int argc, char **argv)
{
    double limit = (argc > 1 ? atof(argv[1]) : 50) * 1e-3;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    data = calloc(MOST, 1);
    if (ranks < 2 || !data)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double t = measure(sizes[i], ranks - 1, limit);
        if (rank == 0)
            printf("flood-%d/%d-ranks/us %.3f\n", sizes[i], ranks, t * 1e6);
    }
    double t = measure(STREAM, 1, limit);
    if (rank == 0)
        printf("stream-%d/%d-ranks/us %.3f\n", STREAM, ranks, t * 1e6);
    free(data);
    MPI_Finalize();
    return 0;
}
