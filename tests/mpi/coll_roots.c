/* Collectives with a root that stays, moves, or moves now and then: past the length of a slot each
 * goes by another way, which all ranks must find alike, whatever comes in between. */
#include "t.h"

enum { ROUNDS = 120, MOST = 160 };

static const int lengths[] = { 1, 14, 15, 64, 127, 128, 129, MOST };      /* of 8 bytes */
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static double *row, *all;

/* Root of round i: it stays, moves each time, each third time, or as numbers fall. */
static int root_of(int way, int i)
{
    switch (way) {
    case 0: return t_size - 1;
    case 1: return i % t_size;
    case 2: return i / 3 % t_size;
    default: return (i * 2654435761u >> 7) % (unsigned)t_size;
    }
}

static void fill(int n, double first)
{
    for (int k = 0; k < n; k++)
        row[k] = first + k;
}

static void check(const double *got, int n, double first, double step)
{
    for (int k = 0; k < n; k++)
        SAME((long)got[k], (long)(first + step * k));
}

static void bcast(int root, int n, int i, MPI_Comm c)
{
    fill(n, t_rank == root ? i : -1);
    OK(MPI_Bcast(row, n, MPI_DOUBLE, root, c));
    check(row, n, i, 1);
}

/* Who has gaps in its data does not go another way than who has none. */
static void bcast_gaps(int root, int n, int i, MPI_Comm c)
{
    MPI_Datatype gaps;
    OK(MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &gaps));
    OK(MPI_Type_commit(&gaps));
    for (int k = 0; k < 2 * n; k++)
        all[k] = t_rank == root ? i + k / 2 : -1;
    fill(n, t_rank == root ? i : -1);
    if (t_rank % 2)
        OK(MPI_Bcast(all, 1, gaps, root, c));
    else
        OK(MPI_Bcast(row, n, MPI_DOUBLE, root, c));
    for (int k = 0; k < n; k++)
        SAME((long)(t_rank % 2 ? all[2 * k] : row[k]), (long)(i + k));
    OK(MPI_Type_free(&gaps));
}

static void reduce(int root, int n, int i, MPI_Comm c)
{
    fill(n, i + t_rank);
    OK(MPI_Reduce(row, all, n, MPI_DOUBLE, MPI_SUM, root, c));
    if (t_rank == root)
        check(all, n, (double)i * t_size + t_size * (t_size - 1) / 2, t_size);
}

static void gather(int root, int n, int i, MPI_Comm c)
{
    fill(n, i + 1000 * t_rank);
    OK(MPI_Gather(row, n, MPI_DOUBLE, all, n, MPI_DOUBLE, root, c));
    for (int r = 0; t_rank == root && r < t_size; r++)
        check(all + r * n, n, i + 1000 * r, 1);
}

static void scatter(int root, int n, int i, MPI_Comm c)
{
    for (int k = 0; t_rank == root && k < n * t_size; k++)
        all[k] = i + 1000 * (k / n) + k % n;
    OK(MPI_Scatter(all, n, MPI_DOUBLE, row, n, MPI_DOUBLE, root, c));
    check(row, n, i + 1000 * t_rank, 1);
}

static void ibcast(int root, int n, int i, MPI_Comm c)
{
    MPI_Request r;
    fill(n, t_rank == root ? i : -1);
    OK(MPI_Ibcast(row, n, MPI_DOUBLE, root, c, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    check(row, n, i, 1);
}

typedef void kind(int root, int n, int i, MPI_Comm c);
static kind *const kinds[] = { bcast, reduce, gather, scatter, bcast_gaps, ibcast };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One kind at a time, then all in turn, of which those that do not block leave the others' root. */
static void rows(int way, MPI_Comm c)
{
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < ROUNDS; i++)
            kinds[k](root_of(way, i), lengths[i / 10 % LENGTHS], i, c);
    for (int i = 0; i < ROUNDS * KINDS; i++)
        kinds[i % KINDS](root_of(way, i / 2), lengths[i / 7 % LENGTHS], i, c);
}

int main(int argc, char **argv)
{
    MPI_Comm dup;
    t_start(&argc, &argv);
    row = malloc(MOST * sizeof *row);
    all = malloc((size_t)(2 + t_size) * MOST * sizeof *all);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    for (int way = 0; way < 4; way++) {
        rows(way, MPI_COMM_WORLD);
        rows(3 - way, dup);
    }
    /* each has its own last root */
    for (int i = 0; i < ROUNDS; i++) {
        bcast(root_of(1, i), 100, i, MPI_COMM_WORLD);
        bcast(0, 100, i, dup);
    }
    OK(MPI_Comm_free(&dup));
    free(row);
    free(all);
    return t_end();
}
