/* bypass: broadcasts and reductions of which some ranks are late, on the model clock; bypass.sh
 * works out by hand what they take.
 *
 *   bypass bcast BYTES LATE NS     from rank 0, which calls at 0 as all others do; LATE calls after
 *                                  NS.  "RANK NS" for each rank: from its call to its return
 *   bypass reduce COUNT LATE NS    to rank 0; the same
 *   bypass rounds N SEED           so many of both, from any root, ranks late at random; data and
 *                                  results are checked */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 80000 };

static int rank, size;
static unsigned char data[LONGEST];
static long in[LONGEST / sizeof(long)], out[LONGEST / sizeof(long)];

static int tell(double seconds)
{
    double *all = malloc((size_t)size * sizeof *all);
    MPI_Gather(&seconds, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < size; i++)
        printf("%d %.3f\n", i, all[i] * 1e9);
    free(all);
    return 0;
}

/* Everybody at one time, but for who is late. */
static void begin_at(int late, double ns)
{
    const double start = MPI_Wtime();
    MPIX_Compute(1e-3 - start + (rank == late ? ns * 1e-9 : 0));
}

static int one(const char *what, long count, int late, double ns)
{
    begin_at(late, ns);
    const double start = MPI_Wtime();
    if (!strcmp(what, "bcast"))
        MPI_Bcast(data, (int)count, MPI_BYTE, 0, MPI_COMM_WORLD);
    else
        MPI_Reduce(in, out, (int)count, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    return tell(MPI_Wtime() - start);
}

static unsigned long state;

static unsigned long below(unsigned long limit)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (state >> 33) % limit;
}

static int bcast_once(int root, size_t bytes, int round)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = rank == root ? (unsigned char)(i + (size_t)round) : 0;
    MPI_Bcast(data, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != (unsigned char)(i + (size_t)round))
            return 1;
    memset(data, 255, bytes);       /* which the NIC reads no more */
    return 0;
}

static int reduce_once(int root, size_t count, int round)
{
    for (size_t i = 0; i < count; i++)
        in[i] = (long)i * (rank + 1) + round;
    MPI_Reduce(in, out, (int)count, MPI_LONG, MPI_SUM, root, MPI_COMM_WORLD);
    for (size_t i = 0; i < count; i++)
        in[i] = -1;                 /* nor this */
    for (size_t i = 0; rank == root && i < count; i++)
        if (out[i] != (long)i * size * (size + 1) / 2 + (long)size * round)
            return 1;
    return 0;
}

/* Lengths are alike in all ranks, who is late is not. */
static int rounds(int n, unsigned long seed)
{
    static const size_t lengths[] = { 0, 8, 40, 48, 1000, 4096, 5000, 70000 };
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        state = seed * 1000 + (unsigned long)i;
        const int root = (int)below((unsigned long)size);
        const size_t bytes = lengths[below(sizeof lengths / sizeof *lengths)];
        const int kind = (int)below(2);
        for (int skip = 0; skip <= rank; skip++)
            below(2);
        if (below(3) == 0)
            MPIX_Compute((double)below(50) * 1e-6);
        wrong += kind ? bcast_once(root, bytes, i) : reduce_once(root, bytes / sizeof(long), i);
    }
    if (wrong)
        printf("rank %d: %d of %d are wrong\n", rank, wrong, n);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    int bad = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc == 5)
        bad = one(argv[1], atol(argv[2]), atoi(argv[3]), atof(argv[4]));
    else if (argc == 4)
        bad = rounds(atoi(argv[2]), strtoul(argv[3], NULL, 10));
    MPI_Finalize();
    return bad;
}
