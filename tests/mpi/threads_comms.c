/* Four threads per rank, each on a communicator of its own: blocking, non-blocking and collective
 * calls at once. */
#include "t.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 150 };

struct job { pthread_t thread; int number; MPI_Comm comm; };

static void round_trip(const struct job *job, int i)
{
    int n = i % 10 == 9 ? 40000 : 1 + i % 50, sum = 0, mine = t_rank + job->number, want = 0;
    int *out = t_values(t_rank + job->number, n), *in = t_ints((size_t)n);
    MPI_Request requests[2];

    if (i % 2) {
        OK(MPI_Sendrecv(out, n, MPI_INT, t_next(), i, in, n, MPI_INT, t_prev(), i, job->comm,
                        MPI_STATUS_IGNORE));
    } else {
        OK(MPI_Irecv(in, n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, job->comm, &requests[0]));
        OK(MPI_Isend(out, n, MPI_INT, t_next(), i, job->comm, &requests[1]));
        OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    for (int k = 0; k < n; k++)
        SAME(in[k], t_value(t_prev() + job->number, k));
    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, job->comm));
    for (int r = 0; r < t_size; r++)
        want += r + job->number;
    SAME(sum, want);
    free(out);
    free(in);
}

static void *run(void *argument)
{
    for (int i = 0; i < ROUNDS; i++)
        round_trip(argument, i);
    return NULL;
}

int main(int argc, char **argv)
{
    struct job jobs[THREADS];

    t_start_threads(&argc, &argv);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].number = i;
        OK(MPI_Comm_dup(MPI_COMM_WORLD, &jobs[i].comm));
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(jobs[i].thread, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        OK(MPI_Comm_free(&jobs[i].comm));
    return t_end();
}
