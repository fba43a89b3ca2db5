/* Null and inactive requests in every completion call: at once, with the empty status; and every
 * place for a result that is missing. */
#include "t.h"

static MPI_Status dirty(void)
{
    MPI_Status status;

    memset(&status, 0x5a, sizeof status);
    return status;
}

static void check_empty(const MPI_Status *status)
{
    int count = -1, cancelled = -1;

    SAME(status->MPI_SOURCE, MPI_ANY_SOURCE);
    SAME(status->MPI_TAG, MPI_ANY_TAG);
    OK(MPI_Get_count(status, MPI_INT, &count));
    SAME(count, 0);
    OK(MPI_Test_cancelled(status, &cancelled));
    SAME(cancelled, 0);
}

static void single(MPI_Request *request)
{
    MPI_Request before = *request;
    MPI_Status status = dirty();
    int flag = 0;

    OK(MPI_Wait(request, &status));
    check_empty(&status);
    status = dirty();
    OK(MPI_Test(request, &flag, &status));
    SAME(flag, 1);
    check_empty(&status);
    status = dirty();
    flag = 0;
    OK(MPI_Request_get_status(*request, &flag, &status));
    SAME(flag, 1);
    check_empty(&status);
    CHECK(*request == before);
    OK(MPI_Wait(request, MPI_STATUS_IGNORE));
}

static void lists(MPI_Request *requests, int n)
{
    MPI_Status statuses[4], status = dirty();
    int index = 5, flag = 0, count = 5, indices[4];

    memset(statuses, 0x5a, sizeof statuses);
    OK(MPI_Waitall(n, requests, statuses));
    for (int i = 0; i < n; i++)
        check_empty(&statuses[i]);
    memset(statuses, 0x5a, sizeof statuses);
    OK(MPI_Testall(n, requests, &flag, statuses));
    SAME(flag, 1);
    for (int i = 0; i < n; i++)
        check_empty(&statuses[i]);
    OK(MPI_Waitany(n, requests, &index, &status));
    SAME(index, MPI_UNDEFINED);
    check_empty(&status);
    status = dirty();
    index = 5;
    flag = 0;
    OK(MPI_Testany(n, requests, &index, &flag, &status));
    SAME(flag, 1);
    SAME(index, MPI_UNDEFINED);
    check_empty(&status);
    OK(MPI_Waitsome(n, requests, &count, indices, statuses));
    SAME(count, MPI_UNDEFINED);
    count = 5;
    OK(MPI_Testsome(n, requests, &count, indices, statuses));
    SAME(count, MPI_UNDEFINED);
    OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
}

/* A result that has no place to go is an error before anything is done. */
static void no_place(MPI_Request *r)
{
    MPI_Comm self = MPI_COMM_SELF;
    MPI_Message message;
    int n, flag, list[4];

    CLASS(MPI_Waitany(4, r, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Testany(4, r, NULL, &flag, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Testany(4, r, &n, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Testall(4, r, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Waitsome(4, r, NULL, list, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Waitsome(4, r, &n, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Testsome(4, r, NULL, list, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Testsome(4, r, &n, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
    OK(MPI_Waitsome(0, r, &n, NULL, MPI_STATUSES_IGNORE));
    OK(MPI_Testsome(0, r, &n, NULL, MPI_STATUSES_IGNORE));
    CLASS(MPI_Iprobe(0, 0, self, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Mprobe(0, 0, self, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Improbe(0, 0, self, NULL, &message, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    CLASS(MPI_Improbe(0, 0, self, &flag, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
    MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                                MPI_REQUEST_NULL};
    int value = 0;

    t_start(&argc, &argv);
    single(&requests[0]);
    lists(requests, 4);
    lists(requests, 0);
    t_errors_return();
    no_place(requests);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    OK(MPI_Send_init(&value, 1, MPI_INT, t_next(), 0, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Recv_init(&value, 1, MPI_INT, t_prev(), 0, MPI_COMM_WORLD, &requests[3]));
    single(&requests[1]);
    single(&requests[3]);
    lists(requests, 4);
    CHECK(requests[1] != MPI_REQUEST_NULL && requests[3] != MPI_REQUEST_NULL);
    OK(MPI_Request_free(&requests[1]));
    OK(MPI_Request_free(&requests[3]));
    return t_end();
}
