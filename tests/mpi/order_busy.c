/* The order of sends and of posted receives holds while large transfers keep the network interface
 * busy: what the host leaves to it for later must not be overtaken by what the host does next. */
#include "t.h"

enum { LARGE = 2 << 20, LARGES = 3, SMALLS = 200, ROUNDS = 10 };

static unsigned char *large_in[LARGES], *large_out;
static int in[SMALLS][16], out[SMALLS][16];

static int count_of(int i) { return 1 + i % 16; }

static void start_large(MPI_Request *requests)
{
    for (int i = 0; i < LARGES; i++) {
        OK(MPI_Irecv(large_in[i], LARGE, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, &requests[2 * i]));
        OK(MPI_Isend(large_out, LARGE, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD,
                     &requests[2 * i + 1]));
    }
}

/* While we are away the interface works alone, and is found at work when we come back. */
static void compute(int i)
{
    static unsigned char scratch[10000];

    if (i % 2)
        t_fill(scratch, (size_t)(i * 50), (unsigned)i);
}

static void one_round(void)
{
    MPI_Request larges[2 * LARGES], receives[SMALLS], sends[SMALLS];
    MPI_Status statuses[SMALLS];
    int count;

    start_large(larges);
    for (int i = 0; i < SMALLS; i++) {
        compute(i);
        out[i][0] = i;
        in[i][0] = -1;          /* not that of the round before */
        OK(MPI_Irecv(in[i], 16, MPI_INT, i % 3 ? t_prev() : MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                     &receives[i]));
        OK(MPI_Isend(out[i], count_of(i), MPI_INT, t_next(), 2, MPI_COMM_WORLD, &sends[i]));
    }
    OK(MPI_Waitall(SMALLS, receives, statuses));
    for (int i = 0; i < SMALLS; i++) {
        OK(MPI_Get_count(&statuses[i], MPI_INT, &count));
        SAME(in[i][0], i);
        SAME(count, count_of(i));
    }
    OK(MPI_Waitall(SMALLS, sends, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(2 * LARGES, larges, MPI_STATUSES_IGNORE));
    for (int i = 0; i < LARGES; i++)
        DATA(large_in[i], LARGE, (unsigned)t_prev());
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    large_out = t_alloc(LARGE);
    t_fill(large_out, LARGE, (unsigned)t_rank);
    for (int i = 0; i < LARGES; i++)
        large_in[i] = t_alloc(LARGE);
    for (int round = 0; round < ROUNDS; round++)
        one_round();
    for (int i = 0; i < LARGES; i++)
        free(large_in[i]);
    free(large_out);
    return t_end();
}
