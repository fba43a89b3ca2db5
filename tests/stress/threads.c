/* Several host threads per rank and the NIC's own, on one NIC: in pairs around the ring of ranks,
 * with waits that end asleep, computation while messages of all sizes are under way, polling, and
 * collectives on a communicator of each thread.  threads.t auto|thread|host: who makes progress. */
#include "t.h"
#include <pthread.h>

enum { THREADS = 3, ROUNDS = 60, COUNT_MAX = 60000, LATE_US = 2000 };

static const int counts[] = { 0, 1, 12, 13, 300, 5000, 20000, COUNT_MAX };
enum { COUNTS = sizeof counts / sizeof *counts };

struct worker { int number; MPI_Comm comm; int *in, *out; };

/* Away from MPI for a moment, asleep or busy. */
static void be_away(int round)
{
    if (round % 4 == t_rank % 4)
        usleep(LATE_US);
    else
        for (unsigned n = (unsigned)round * 7919 % 20000; n; n--)
            __asm__ volatile("");
}

static void wait_both(MPI_Request *requests, int round)
{
    int done = 0;

    switch (round % 3) {
    case 0:
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        break;
    case 1:
        while (!done)
            OK(MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE));
        break;
    default:
        OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
}

static void exchange(const struct worker *w, int round)
{
    int n = counts[(round + w->number) % COUNTS];
    MPI_Request requests[2];

    if (round % 5 == 2)
        be_away(round);
    for (int k = 0; k < n; k++)
        w->out[k] = t_value(t_rank + w->number + round, k);
    OK(MPI_Irecv(w->in, n, MPI_INT, t_prev(), w->number, MPI_COMM_WORLD, &requests[0]));
    if (round % 7 == 3)
        OK(MPI_Issend(w->out, n, MPI_INT, t_next(), w->number, MPI_COMM_WORLD, &requests[1]));
    else
        OK(MPI_Isend(w->out, n, MPI_INT, t_next(), w->number, MPI_COMM_WORLD, &requests[1]));
    be_away(round);
    wait_both(requests, round);
    for (int k = 0; k < n; k++)
        SAME(w->in[k], t_value(t_prev() + w->number + round, k));
}

static void collect(const struct worker *w, int round)
{
    int mine = t_rank + round, sum = -1;

    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, w->comm));
    SAME(sum, t_size * round + t_size * (t_size - 1) / 2);
    if (round % 20 == 10)
        OK(MPI_Barrier(w->comm));
}

static void *work(void *argument)
{
    const struct worker *w = argument;

    for (int round = 0; round < ROUNDS; round++) {
        exchange(w, round);
        if (round % 10 == 0)
            collect(w, round);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker worker[THREADS];
    pthread_t thread[THREADS];

    if (argc > 1)
        setenv("NICEMU_PROGRESS", argv[1], 1);
    t_start_threads(&argc, &argv);
    for (int i = 0; i < THREADS; i++) {
        worker[i] = (struct worker){ .number = i, .in = t_ints(COUNT_MAX),
                                     .out = t_ints(COUNT_MAX) };
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &worker[i].comm));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&thread[i], NULL, work, &worker[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(thread[i], NULL) == 0);
        OK(MPI_Comm_free(&worker[i].comm));
        free(worker[i].in);
        free(worker[i].out);
    }
    return t_end();
}
