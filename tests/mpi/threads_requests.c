/* Threads start requests that another thread completes; one
 * thread waits while the others start and test. */
#include "t.h"
#include <pthread.h>

enum { THREADS = 3, N = 60, ROUNDS = 10 };

static MPI_Request sends[THREADS][N], receives[THREADS][N];
static int in[THREADS][N][20], out[THREADS][N][20];

static void *start(void *argument)
{
    int t = *(int *)argument;

    for (int i = 0; i < N; i++) {
        out[t][i][0] = t_rank * 10000 + t * 1000 + i;
        OK(MPI_Irecv(in[t][i], 20, MPI_INT, t_prev(), t * N + i, MPI_COMM_WORLD, &receives[t][i]));
        OK(MPI_Isend(out[t][i], 1 + i % 20, MPI_INT, t_next(), t * N + i, MPI_COMM_WORLD,
                     &sends[t][i]));
    }
    return NULL;
}

static void *finish(void *argument)
{
    int t = *(int *)argument, index, flag = 0;

    for (int i = 0; i < N; i++) {
        OK(MPI_Waitany(N, receives[t], &index, MPI_STATUS_IGNORE));
        CHECK(index >= 0 && index < N);
        SAME(in[t][index][0], t_prev() * 10000 + t * 1000 + index);
    }
    while (!flag)
        OK(MPI_Testall(N, sends[t], &flag, MPI_STATUSES_IGNORE));
    return NULL;
}

/* Calls that find a request which is none leave the library to whoever calls next. */
static void *find_none(void *argument)
{
    MPI_Request r[2] = { MPI_REQUEST_NULL, (MPI_Request)(uintptr_t)0x7fff12345678 };
    MPI_Status s[2];
    int index, many, flag, which[2];

    (void)argument;
    CLASS(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    CLASS(MPI_Waitall(2, r, s), MPI_ERR_REQUEST);
    CLASS(MPI_Testall(2, r, &flag, s), MPI_ERR_REQUEST);
    CLASS(MPI_Waitany(2, r, &index, s), MPI_ERR_REQUEST);
    CLASS(MPI_Testany(2, r, &index, &flag, s), MPI_ERR_REQUEST);
    CLASS(MPI_Waitsome(2, r, &many, which, s), MPI_ERR_REQUEST);
    CLASS(MPI_Testsome(2, r, &many, which, s), MPI_ERR_REQUEST);
    return NULL;
}

static void on_all(void *(*body)(void *), int shift)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];

    for (int i = 0; i < THREADS; i++) {
        numbers[i] = (i + shift) % THREADS;
        CHECK(pthread_create(&threads[i], NULL, body, &numbers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    t_start_threads(&argc, &argv);
    t_errors_return();
    on_all(find_none, 0);
    for (int round = 0; round < ROUNDS; round++) {
        on_all(start, 0);
        on_all(finish, round);
    }
    return t_end();
}
