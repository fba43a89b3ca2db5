/* Pairs send large messages at each other at the same moment,
 * several in flight each way, received in reverse. */
#include "t.h"

enum { FLIGHT = 4 };

static void exchange(int peer, size_t n)
{
    struct t_buffer out[FLIGHT], in[FLIGHT];
    MPI_Request sends[FLIGHT], receives[FLIGHT];

    for (int i = 0; i < FLIGHT; i++) {
        t_buffer_new(&out[i], n, 0);
        t_buffer_new(&in[i], n, 0);
        t_fill(out[i].data, n, (unsigned)(t_rank + i));
        OK(MPI_Isend(out[i].data, (int)n, MPI_BYTE, peer, i, MPI_COMM_WORLD, &sends[i]));
    }
    for (int i = FLIGHT - 1; i >= 0; i--)
        OK(MPI_Irecv(in[i].data, (int)n, MPI_BYTE, peer, i, MPI_COMM_WORLD, &receives[i]));
    OK(MPI_Waitall(FLIGHT, sends, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(FLIGHT, receives, MPI_STATUSES_IGNORE));
    for (int i = 0; i < FLIGHT; i++) {
        DATA(in[i].data, n, (unsigned)(peer + i));
        DATA(out[i].data, n, (unsigned)(t_rank + i));
        GUARDS(&in[i]);
        t_buffer_free(&in[i]);
        t_buffer_free(&out[i]);
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int step = 0; step < t_size; step++) {
        int peer = (step + t_size - t_rank) % t_size;

        exchange(peer, 150000);
        exchange(peer, 1000001);
    }
    return t_end();
}
