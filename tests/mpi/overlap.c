/* The receiver computes and calls no MPI function; the sender's large MPI_Send ends all the same,
 * because the receiver's network interface works alone.  A file that both ranks map says that the
 * send has ended.  The limit, of time that the receiver has computed, is there to end a failure;
 * nothing else depends on time. */
#include "t.h"
#include <stdatomic.h>

enum { BYTES = 4 << 20, LIMIT = 60 };

static void compute_until(atomic_int *flag, int round)
{
    double end = t_computed() + LIMIT;
    volatile double x = 1;

    while (atomic_load(flag) < round) {
        for (int i = 0; i < 100000; i++)
            x = x * 1.0000001 + 0.5;
        if (t_computed() > end)
            FAIL("the send of round %d did not end while the receiver computed for %d s", round,
                 LIMIT);
    }
}

int main(int argc, char **argv)
{
    atomic_int *flag;
    unsigned char *data;
    MPI_Request receive;

    t_start(&argc, &argv);
    flag = t_map("overlap", sizeof *flag);
    data = t_alloc(BYTES);
    for (int round = 1; round <= 10 && t_rank < 2; round++) {
        if (t_rank == 1) {
            OK(MPI_Irecv(data, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &receive));
            OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
            compute_until(flag, round);
            OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
            DATA(data, BYTES, (unsigned)round);
        } else {
            t_fill(data, BYTES, (unsigned)round);
            OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            OK(MPI_Send(data, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
            atomic_store(flag, round);
        }
    }
    free(data);
    return t_end();
}
