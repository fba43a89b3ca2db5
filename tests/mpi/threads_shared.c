/* Threads that share one communicator, told apart by tag: blocking calls wait side by side, and
 * each gets its own. */
#include "t.h"
#include <pthread.h>

enum { PAIRS = 3, MESSAGES = 300 };

static int count_of(int i) { return i % 50 == 49 ? 30000 : 1 + i % 40; }

static void *send_all(void *argument)
{
    int tag = *(int *)argument, *out = t_values(t_rank + tag, 30000);

    for (int i = 0; i < MESSAGES; i++)
        if (i % 3 == 0)
            OK(MPI_Ssend(out, count_of(i), MPI_INT, t_next(), tag, MPI_COMM_WORLD));
        else
            OK(MPI_Send(out, count_of(i), MPI_INT, t_next(), tag, MPI_COMM_WORLD));
    free(out);
    return NULL;
}

static void receive_one(int tag, int i, int *in)
{
    MPI_Message message;
    MPI_Status status;
    int count;

    if (i % 4 == 0) {
        OK(MPI_Mprobe(t_prev(), tag, MPI_COMM_WORLD, &message, &status));
        OK(MPI_Mrecv(in, 30000, MPI_INT, &message, &status));
    } else {
        OK(MPI_Recv(in, 30000, MPI_INT, t_prev(), tag, MPI_COMM_WORLD, &status));
    }
    OK(MPI_Get_count(&status, MPI_INT, &count));
    SAME(count, count_of(i));
    for (int k = 0; k < count; k++)
        SAME(in[k], t_value(t_prev() + tag, k));
}

static void *receive_all(void *argument)
{
    int tag = *(int *)argument, *in = t_ints(30000);

    for (int i = 0; i < MESSAGES; i++)
        receive_one(tag, i, in);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t senders[PAIRS], receivers[PAIRS];
    int tags[PAIRS];

    t_start_threads(&argc, &argv);
    for (int i = 0; i < PAIRS; i++) {
        tags[i] = i;
        CHECK(pthread_create(&receivers[i], NULL, receive_all, &tags[i]) == 0);
        CHECK(pthread_create(&senders[i], NULL, send_all, &tags[i]) == 0);
    }
    for (int i = 0; i < PAIRS; i++) {
        CHECK(pthread_join(senders[i], NULL) == 0);
        CHECK(pthread_join(receivers[i], NULL) == 0);
    }
    return t_end();
}
