/* MPI_Comm_split: colours, keys (negative and equal ones too), MPI_UNDEFINED, splits of splits. */
#include <limits.h>
#include "t.h"

static void check(MPI_Comm comm, int want_rank, int want_size)
{
    int rank, size, sum = 0, one = 1;

    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    SAME(rank, want_rank);
    SAME(size, want_size);
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    SAME(sum, want_size);
}

/* How many of the ranks before `end` are alike modulo m. */
static int alike(int rank, int end, int m)
{
    int n = 0;

    for (int r = 0; r < end; r++)
        n += r % m == rank % m;
    return n;
}

static void by_colour(int colours)
{
    MPI_Comm comm;

    /* equal keys: the old order */
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank % colours, 7, &comm));
    check(comm, alike(t_rank, t_rank, colours), alike(t_rank, t_size, colours));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank % colours, -t_rank * 1000000, &comm));
    check(comm, alike(t_rank, t_size, colours) - 1 - alike(t_rank, t_rank, colours),
          alike(t_rank, t_size, colours));
    OK(MPI_Comm_free(&comm));
}

static void without_some(void)
{
    MPI_Comm comm;

    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2 ? MPI_UNDEFINED : 2147483647, t_rank, &comm));
    if (t_rank % 2) {
        CHECK(comm == MPI_COMM_NULL);
    } else {
        check(comm, t_rank / 2, (t_size + 1) / 2);
        OK(MPI_Comm_free(&comm));
    }
    OK(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &comm));
    CHECK(comm == MPI_COMM_NULL);
}

/* Keys at both ends of what an int holds: their difference does not fit in one. */
static void furthest_keys(void)
{
    static const int keys[] = { INT_MAX, 0, INT_MIN, -1, INT_MAX - 1, INT_MIN + 1, 1 };
    int n = sizeof keys / sizeof *keys, key = keys[t_rank % n], before = 0;
    MPI_Comm comm;

    for (int r = 0; r < t_size; r++)
        before += keys[r % n] < key || (keys[r % n] == key && r < t_rank);
    OK(MPI_Comm_split(MPI_COMM_WORLD, INT_MAX, key, &comm));
    check(comm, before, t_size);
    OK(MPI_Comm_free(&comm));
}

/* Halves of halves, each level alive while the next is used; messages carry the world rank. */
static void nested(MPI_Comm comm, int depth)
{
    int rank, size, first, got = -1;
    MPI_Comm half;

    OK(MPI_Comm_rank(comm, &rank));
    OK(MPI_Comm_size(comm, &size));
    first = t_rank - rank;
    OK(MPI_Sendrecv(&t_rank, 1, MPI_INT, (rank + 1) % size, depth, &got, 1, MPI_INT,
                    (rank + size - 1) % size, depth,
                    comm, MPI_STATUS_IGNORE));
    SAME(got, first + (rank + size - 1) % size);
    if (size == 1)
        return;
    OK(MPI_Comm_split(comm, rank < size / 2, rank, &half));
    nested(half, depth + 1);
    OK(MPI_Comm_free(&half));
    OK(MPI_Barrier(comm));
}

static void again_and_again(void)
{
    MPI_Comm comm;

    for (int i = 0; i < 300; i++) {
        OK(MPI_Comm_split(MPI_COMM_WORLD, (t_rank + i) % 3, i % 2 ? t_rank : -t_rank, &comm));
        OK(MPI_Comm_free(&comm));
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int colours = 1; colours <= 5; colours++)
        by_colour(colours);
    without_some();
    furthest_keys();
    nested(MPI_COMM_WORLD, 0);
    again_and_again();
    return t_end();
}
