/* user_op_thread auto|thread|host: an operation of the program runs on the thread that calls MPI,
 * never on the NIC's, also when it could go on there because that thread is away. */
#include "t.h"
#include <pthread.h>

enum { ROUNDS = 25, LONG = 3000 };

static pthread_t caller;
static int applied;

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    const int *a = in;
    int *b = inout;

    CHECK(pthread_equal(pthread_self(), caller));
    CHECK(*type == MPI_INT);
    applied++;
    for (int i = 0; i < *length; i++)
        b[i] += a[i];
}

/* Away from MPI for long enough that the NIC's thread takes over what it may. */
static void away(void) { usleep(3000); }

static void one_round(int count, MPI_Op op, int round)
{
    int *mine = t_values(t_rank, count), *all = t_ints((size_t)count),
        *rooted = t_ints((size_t)count);
    int root = round % t_size;
    MPI_Request requests[2];

    if (t_rank == round % 3)
        away();         /* comes late: the others' NICs get its part while their hosts are away */
    OK(MPI_Iallreduce(mine, all, count, MPI_INT, op, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Ireduce(mine, rooted, count, MPI_INT, op, root, MPI_COMM_WORLD, &requests[1]));
    away();
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < count; i++) {
        int sum = 0;

        for (int r = 0; r < t_size; r++)
            sum += t_value(r, i);
        SAME(all[i], sum);
        if (t_rank == root)
            SAME(rooted[i], sum);
    }
    free(mine);
    free(all);
    free(rooted);
}

int main(int argc, char **argv)
{
    int sum = 0;
    MPI_Op op;

    CHECK(argc == 2);
    setenv("NICEMU_PROGRESS", argv[1], 1);
    caller = pthread_self();
    t_start(&argc, &argv);
    OK(MPI_Op_create(add, 1, &op));
    for (int i = 0; i < ROUNDS; i++) {
        one_round(1, op, i);            /* slots, lines, messages */
        one_round(LONG, op, i);
    }
    OK(MPI_Allreduce(&applied, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(t_size == 1 || sum > 0);
    OK(MPI_Op_free(&op));
    return t_end();
}
