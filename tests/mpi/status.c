/* Counts in a status, for fitting and for unfitting types, and MPI_Request_get_status. */
#include "t.h"

static void counts(void)
{
    char out[30] = {0}, in[30];
    MPI_Request send;
    MPI_Status status;
    int count;

    for (int n = 0; n <= 24; n++) {
        OK(MPI_Isend(out, n, MPI_CHAR, t_next(), n, MPI_COMM_WORLD, &send));
        OK(MPI_Recv(in, 30, MPI_CHAR, t_prev(), n, MPI_COMM_WORLD, &status));
        OK(MPI_Get_count(&status, MPI_CHAR, &count));
        SAME(count, n);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        SAME(count, n % 4 ? MPI_UNDEFINED : n / 4);
        OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        SAME(count, n % 8 ? MPI_UNDEFINED : n / 8);
        OK(MPI_Get_elements(&status, MPI_CHAR, &count));
        SAME(count, n);
        if (n % 8 == 0) {
            OK(MPI_Get_elements(&status, MPI_DOUBLE, &count));
            SAME(count, n / 8);
        }
        OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
}

static void get_status(void)
{
    int in = 0, out = t_rank, flag = 0, count;
    MPI_Request receive, send;
    MPI_Status status;

    OK(MPI_Irecv(&in, 1, MPI_INT, t_prev(), 50, MPI_COMM_WORLD, &receive));
    OK(MPI_Request_get_status(receive, &flag, &status));
    SAME(flag, 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Isend(&out, 1, MPI_INT, t_next(), 50, MPI_COMM_WORLD, &send));
    while (!flag)
        OK(MPI_Request_get_status(receive, &flag, &status));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Request_get_status(receive, &flag, &status));
        SAME(flag, 1);
        SAME(status.MPI_SOURCE, t_prev());
        SAME(status.MPI_TAG, 50);
        OK(MPI_Get_count(&status, MPI_INT, &count));
        SAME(count, 1);
        SAME(in, t_prev());
    }
    CHECK(receive != MPI_REQUEST_NULL);
    OK(MPI_Wait(&receive, &status));
    SAME(status.MPI_TAG, 50);
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

/* A call for one request leaves MPI_ERROR of the status as it was. */
static void error_field(void)
{
    int in, out = 1;
    MPI_Request send;
    MPI_Status status;

    status.MPI_ERROR = 4242;
    OK(MPI_Isend(&out, 1, MPI_INT, t_next(), 51, MPI_COMM_WORLD, &send));
    OK(MPI_Recv(&in, 1, MPI_INT, t_prev(), 51, MPI_COMM_WORLD, &status));
    SAME(status.MPI_ERROR, 4242);
    OK(MPI_Wait(&send, &status));
    SAME(status.MPI_ERROR, 4242);
}

/* So does one for several, of which none fails; one that fails sets it in all of them. */
static void error_fields(int way, int room)
{
    int in[3][2], out[2] = { 1, 2 }, class = room < 2 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
    int flag = 0, n = 0, which[3];
    MPI_Request receive[3];
    MPI_Status s[3];

    for (int i = 0; i < 3; i++) {
        s[i].MPI_ERROR = 4242;
        OK(MPI_Irecv(in[i], i == 1 ? room : 2, MPI_INT, t_rank, 52, MPI_COMM_WORLD, &receive[i]));
    }
    for (int i = 0; i < 3; i++)
        OK(MPI_Send(out, 2, MPI_INT, t_rank, 52, MPI_COMM_WORLD));
    for (int i = 0; i < 3; i++)
        do
            (void)MPI_Request_get_status(receive[i], &flag, MPI_STATUS_IGNORE);
        while (!flag);
    int rc = way == 0 ? MPI_Waitall(3, receive, s) : way == 1 ? MPI_Testall(3, receive, &flag, s)
             : way == 2 ? MPI_Waitsome(3, receive, &n, which, s)
             : MPI_Testsome(3, receive, &n, which, s);
    CLASS(rc, class ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        SAME(s[i].MPI_TAG, 52);
        if (!class)
            SAME(s[i].MPI_ERROR, 4242);
        else
            CLASS(s[i].MPI_ERROR, i == 1 ? class : MPI_SUCCESS);
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    counts();
    get_status();
    error_field();
    for (int way = 0; way < 4; way++) {
        error_fields(way, 2);
        error_fields(way, 1);
    }
    return t_end();
}
