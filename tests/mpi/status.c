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

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    counts();
    get_status();
    error_field();
    return t_end();
}
