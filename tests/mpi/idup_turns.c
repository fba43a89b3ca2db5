/* Duplicates that are made while the call goes on, beside others that some of their ranks agree on
 * at the same time.  Without NIC threads, so that a rank answers in its calls only: here it stays
 * out of MPI at the worst moment.  Where the others are not on one machine, or on the model clock,
 * they would have to wait for it. */
#include "t.h"
#include <stdatomic.h>

enum { TIMES = 20 };

static struct { atomic_int begun, known; } *shared;

/* No call of MPI. */
static void stay_out(const atomic_int *until, int value)
{
    while (atomic_load(until) < value)
        usleep(20);
}

/* Of ranks 0 and 1 of both: messages on one are not those of the other. */
static void check_two(MPI_Comm one, MPI_Comm two)
{
    MPI_Comm comms[] = { one, two };
    MPI_Request request[2];
    int out[] = { 1, 2 }, in = -1, rank;
    for (int i = 0; i < 2; i++) {
        OK(MPI_Comm_rank(comms[i], &rank));
        OK(MPI_Isend(&out[i], 1, MPI_INT, !rank, 4, comms[i], &request[i]));
    }
    for (int i = 1; i >= 0; i--) {
        OK(MPI_Comm_rank(comms[i], &rank));
        OK(MPI_Recv(&in, 1, MPI_INT, !rank, 4, comms[i], MPI_STATUS_IGNORE));
        SAME(in, out[i]);
    }
    OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
}

/* The first duplicate of the process is under way, and who comes last keeps it there for a while,
 * when the first two make a communicator of their own.  What these have offered to the one they
 * may not take for the other. */
static void check_first(void)
{
    MPI_Comm later, now, pair;
    MPI_Request request;
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank < 2, t_rank, &pair));
    OK(MPI_Comm_idup(MPI_COMM_WORLD, &later, &request));
    atomic_fetch_add(&shared->begun, 1);
    if (t_rank >= 2)
        usleep(20000);
    stay_out(&shared->begun, t_size);
    for (int i = 0; i < 4 && t_rank < 2; i++)
        OK(MPI_Barrier(pair));
    OK(MPI_Comm_dup(pair, &now));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (t_rank < 2)
        check_two(later, now);
    OK(MPI_Comm_free(&later));
    OK(MPI_Comm_free(&now));
    OK(MPI_Comm_free(&pair));
}

/* Ranks 0 and 1 are in both of two duplicates, and begin them in opposite order, this way and that.
 * Who comes last is another rank in each, and what it sends is for rank 0 in one, for rank 1 in the
 * other.  Both have to let the same one go first: else each holds up the other's for ever. */
static void check_turns(void)
{
    static const int key[2][4] = { { 0, 1, 2, 0 }, { 1, 0, 0, 2 } };
    MPI_Comm parent[2], dup[2];
    MPI_Request request[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank < 2 || t_rank == 2 + i ? 0 : MPI_UNDEFINED,
                          key[i][t_rank], &parent[i]));
    atomic_store(&shared->begun, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 1; n <= TIMES; n++) {
        if (t_rank >= 2)
            stay_out(&shared->begun, 2 * n);
        for (int i = 0; i < 2; i++) {
            int which = i ^ ((t_rank + n) & 1);
            if (parent[which] != MPI_COMM_NULL)
                OK(MPI_Comm_idup(parent[which], &dup[which], &request[which]));
        }
        atomic_fetch_add(t_rank < 2 ? &shared->begun : &shared->known, 1);
        stay_out(&shared->known, 2 * n);
        OK(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
        if (t_rank < 2)
            check_two(dup[0], dup[1]);
        for (int i = 0; i < 2; i++)
            if (parent[i] != MPI_COMM_NULL)
                OK(MPI_Comm_free(&dup[i]));
    }
    for (int i = 0; i < 2; i++)
        if (parent[i] != MPI_COMM_NULL)
            OK(MPI_Comm_free(&parent[i]));
}

int main(int argc, char **argv)
{
    setenv("NICEMU_PROGRESS", "host", 1);
    t_start(&argc, &argv);
    shared = t_map("idup_turns", sizeof *shared);
    if (t_apart() || t_modelled())
        t_skip("a rank stays out of MPI while others wait for it");
    check_first();
    if (t_size == 4)
        check_turns();
    return t_end();
}
