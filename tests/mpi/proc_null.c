/* MPI_PROC_NULL as the partner: every call returns at once,
 * touches nothing and gives the fixed status. */
#include "t.h"

static int data[4] = {1, 2, 3, 4};

static void dirty(MPI_Status *status)
{
    memset(status, 0x5a, sizeof *status);
}

static void check(const MPI_Status *status)
{
    int count = -1;

    SAME(status->MPI_SOURCE, MPI_PROC_NULL);
    SAME(status->MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(status, MPI_INT, &count));
    SAME(count, 0);
    SAME(data[0], 1);
    SAME(data[3], 4);
}

static void blocking(void)
{
    MPI_Status status;

    OK(MPI_Send(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    OK(MPI_Ssend(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    OK(MPI_Rsend(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    OK(MPI_Bsend(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD));
    dirty(&status);
    OK(MPI_Recv(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status));
    check(&status);
    dirty(&status);
    OK(MPI_Sendrecv(data, 4, MPI_INT, MPI_PROC_NULL, 1, data, 4, MPI_INT, MPI_PROC_NULL,
                    MPI_ANY_TAG, MPI_COMM_WORLD,
                    &status));
    check(&status);
    dirty(&status);
    OK(MPI_Sendrecv_replace(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
                            &status));
    check(&status);
}

static void non_blocking(void)
{
    MPI_Request requests[5];
    MPI_Status statuses[5];

    memset(statuses, 0x5a, sizeof statuses);
    OK(MPI_Isend(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Issend(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Irsend(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[2]));
    OK(MPI_Ibsend(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[3]));
    OK(MPI_Irecv(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[4]));
    for (int i = 0; i < 5; i++)
        CHECK(requests[i] != MPI_REQUEST_NULL);
    OK(MPI_Waitall(5, requests, statuses));
    for (int i = 0; i < 5; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
    check(&statuses[4]);
}

static void probes(void)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int flag = 0;

    dirty(&status);
    OK(MPI_Probe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status));
    check(&status);
    dirty(&status);
    OK(MPI_Iprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &flag, &status));
    SAME(flag, 1);
    check(&status);
    OK(MPI_Mprobe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    check(&status);
    OK(MPI_Mrecv(data, 4, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    check(&status);
    flag = 0;
    OK(MPI_Improbe(MPI_PROC_NULL, 7, MPI_COMM_WORLD, &flag, &message, &status));
    SAME(flag, 1);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    OK(MPI_Imrecv(data, 4, MPI_INT, &message, &request));
    CHECK(message == MPI_MESSAGE_NULL);
    dirty(&status);
    OK(MPI_Wait(&request, &status));
    check(&status);
}

static void persistent(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    OK(MPI_Send_init(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Recv_init(data, 4, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Startall(2, requests));
        OK(MPI_Waitall(2, requests, statuses));
        check(&statuses[1]);
    }
    OK(MPI_Request_free(&requests[0]));
    OK(MPI_Request_free(&requests[1]));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    blocking();
    non_blocking();
    probes();
    persistent();
    return t_end();
}
