/* One rank runs ahead with collectives in which it only gives, so many that their numbers come
 * round: what it sends in one of them is not of the call with the same number in which another
 * rank still waits for a third. */
#include <unistd.h>

#include "t.h"

enum { AHEAD = 32768, BYTES = 1100, OTHER_BYTES = 1200 };   /* by messages */

static char own[OTHER_BYTES], all[3 * OTHER_BYTES];

static void gather(int bytes, int root)
{
    OK(MPI_Gather(own, bytes, MPI_CHAR, all, bytes, MPI_CHAR, root, MPI_COMM_WORLD));
}

/* Until rank 0 is there, or, as it has to wait somewhere, for a while; and rank 1 has looked. */
static void wait_for_first(void)
{
    double end = MPI_Wtime() + 1;
    int there = 0;
    while (!there && MPI_Wtime() < end)
        OK(MPI_Iprobe(0, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE));
    usleep(30000);
}

/* Before its first gather rank 2 waits for rank 0 to have done them all, so that rank 1 has both
 * its messages meanwhile. */
int main(int argc, char **argv)
{
    MPI_Request r = MPI_REQUEST_NULL;
    t_start(&argc, &argv);
    if (t_modelled() || t_apart())      /* nobody gets so far ahead */
        return t_end();
    memset(own, t_rank + 1, sizeof own);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (t_rank == 2)
        wait_for_first();
    gather(BYTES, 1);
    for (int i = 1; i < AHEAD; i++)
        gather(BYTES, 2);
    gather(OTHER_BYTES, 1);
    if (t_rank == 0)
        OK(MPI_Isend(own, 1, MPI_CHAR, 2, 1, MPI_COMM_WORLD, &r));
    if (t_rank == 2)
        OK(MPI_Recv(own, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    for (int i = 0; i < 3 && t_rank == 1; i++)
        SAME(all[i * OTHER_BYTES], i + 1);
    return t_end();
}
