/* Every rank to every rank at once, several messages per pair,
 * received in an order unlike that of sending. */
#include "t.h"

enum { EACH = 6 };

static int count_of(int k) { return k % 3 == 2 ? 9000 : 10 + k; }

static void one_round(void)
{
    int total = t_size * EACH;
    MPI_Request *sends = t_alloc((size_t)total * sizeof *sends),
        *receives = t_alloc((size_t)total * sizeof *receives);
    int *in = t_ints((size_t)total * 9000), *out = t_values(t_rank, 9000);

    for (int i = 0; i < total; i++) {
        int peer = (t_rank + i / EACH) % t_size, k = i % EACH;
        OK(MPI_Isend(out, count_of(k), MPI_INT, peer, k, MPI_COMM_WORLD, &sends[i]));
    }
    for (int i = total - 1; i >= 0; i--) {
        int peer = i / EACH, k = i % EACH;
        OK(MPI_Irecv(in + (size_t)i * 9000, count_of(k), MPI_INT, peer, k, MPI_COMM_WORLD,
                     &receives[i]));
    }
    OK(MPI_Waitall(total, receives, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(total, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < total; i++)
        for (int j = 0; j < count_of(i % EACH); j++)
            SAME(in[(size_t)i * 9000 + (size_t)j], t_value(i / EACH, j));
    free(sends);
    free(receives);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int round = 0; round < 5; round++)
        one_round();
    return t_end();
}
