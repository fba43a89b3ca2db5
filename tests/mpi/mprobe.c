/* Matched probes take the message out of the queues: later receives pass it by, and it is received
 * through its own handle, in any order. */
#include "t.h"

enum { MESSAGES = 12 };

static int count_of(int i) { return i % 3 == 2 ? 20000 + i : 1 + i; }

static MPI_Message take(int i)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0, count;

    if (i % 2) {
        OK(MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status));
    } else {
        while (!flag)
            OK(MPI_Improbe(t_prev(), 5, MPI_COMM_WORLD, &flag, &message, &status));
    }
    CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
    SAME(status.MPI_SOURCE, t_prev());
    SAME(status.MPI_TAG, 5);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    SAME(count, count_of(i));
    return message;
}

static void receive(int i, MPI_Message message, int *value)
{
    MPI_Request request;
    MPI_Status status;
    int count;

    if (i % 4 < 2) {
        OK(MPI_Mrecv(value, count_of(i), MPI_INT, &message, &status));
    } else {
        OK(MPI_Imrecv(value, count_of(i), MPI_INT, &message, &request));
        OK(MPI_Wait(&request, &status));
    }
    CHECK(message == MPI_MESSAGE_NULL);
    SAME(status.MPI_SOURCE, t_prev());
    SAME(status.MPI_TAG, 5);
    OK(MPI_Get_count(&status, MPI_INT, &count));
    SAME(count, count_of(i));
    for (int k = 0; k < count; k++)
        SAME(value[k], t_value(t_prev(), i + k));
}

static void one_round(void)
{
    MPI_Message messages[MESSAGES];
    MPI_Request sends[MESSAGES + 1];
    int *out = t_values(t_rank, 20000 + 3 * MESSAGES), *in = t_ints(20000 + MESSAGES), last = 99,
        got = 0, flag;

    for (int i = 0; i < MESSAGES; i++)
        OK(MPI_Isend(out + i, count_of(i), MPI_INT, t_next(), 5, MPI_COMM_WORLD, &sends[i]));
    OK(MPI_Isend(&last, 1, MPI_INT, t_next(), 5, MPI_COMM_WORLD, &sends[MESSAGES]));
    for (int i = 0; i < MESSAGES; i++)
        messages[i] = take(i);
    OK(MPI_Recv(&got, 1, MPI_INT, t_prev(), 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    SAME(got, last);
    OK(MPI_Iprobe(t_prev(), 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    SAME(flag, 0);
    for (int i = MESSAGES - 1; i >= 0; i--)
        receive(i, messages[i], in);
    OK(MPI_Waitall(MESSAGES + 1, sends, MPI_STATUSES_IGNORE));
    free(out);
    free(in);
}

/* A message that was received already, and what never was one. */
static void no_message(void)
{
    int value = 1, got;
    MPI_Message message, old;
    MPI_Request request;

    OK(MPI_Isend(&value, 1, MPI_INT, t_rank, 7, MPI_COMM_WORLD, &request));
    OK(MPI_Mprobe(t_rank, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    old = message;
    OK(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(message == MPI_MESSAGE_NULL);
    CLASS(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CLASS(MPI_Mrecv(&got, 1, MPI_INT, &old, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CLASS(MPI_Imrecv(&got, 1, MPI_INT, &old, &request), MPI_ERR_REQUEST);
}

/* The program frees the communicator while a message of it waits to be received. */
static void freed_communicator(void)
{
    int value = t_rank, got[2] = { -1, -1 };
    MPI_Message message[2];
    MPI_Request sends[2], request;
    MPI_Status status;
    MPI_Comm comm, others[8];

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    for (int i = 0; i < 2; i++)
        OK(MPI_Isend(&value, 1, MPI_INT, t_next(), i, comm, &sends[i]));
    for (int i = 0; i < 2; i++)
        OK(MPI_Mprobe(t_prev(), i, comm, &message[i], &status));
    OK(MPI_Comm_free(&comm));
    for (int i = 0; i < 8; i++)         /* in its memory */
        OK(MPI_Comm_dup(MPI_COMM_SELF, &others[i]));
    OK(MPI_Mrecv(&got[0], 1, MPI_INT, &message[0], &status));
    SAME(status.MPI_SOURCE, t_prev());
    OK(MPI_Imrecv(&got[1], 1, MPI_INT, &message[1], &request));
    OK(MPI_Wait(&request, &status));
    SAME(status.MPI_SOURCE, t_prev());
    SAME(got[0], t_prev());
    SAME(got[1], t_prev());
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 8; i++)
        OK(MPI_Comm_free(&others[i]));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    no_message();
    freed_communicator();
    for (int round = 0; round < 10; round++) {
        one_round();
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    return t_end();
}
