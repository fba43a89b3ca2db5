/* Several requests that fail at once, and one that is started while it is active. */
#include "t.h"

static int raised[2], in[4], out[4] = { 1, 2, 3, 4 };

static void first(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; raised[0]++; }
static void second(MPI_Comm *comm, int *code, ...) { (void)comm, (void)code; raised[1]++; }

/* The error is that of the first request in the list, on its communicator. */
static void first_failure(int which)
{
    MPI_Comm_errhandler_function *const handlers[] = { first, second };
    MPI_Comm comms[2];
    MPI_Request r[4];
    for (int i = 0; i < 2; i++) {
        MPI_Errhandler handler;
        OK(MPI_Comm_dup(MPI_COMM_SELF, &comms[i]));
        OK(MPI_Comm_create_errhandler(handlers[i], &handler));
        OK(MPI_Comm_set_errhandler(comms[i], handler));
        OK(MPI_Errhandler_free(&handler));
    }
    for (int i = 0; i < 2; i++) {
        OK(MPI_Irecv(&in[i], 1, MPI_INT, 0, 1, comms[i ^ which], &r[i]));
        OK(MPI_Isend(out, 2, MPI_INT, 0, 1, comms[i ^ which], &r[2 + i]));
    }
    raised[0] = raised[1] = 0;
    CLASS(MPI_Waitall(4, r, MPI_STATUSES_IGNORE), MPI_ERR_TRUNCATE);
    SAME(raised[which], 1);
    SAME(raised[!which], 0);
    for (int i = 0; i < 2; i++)
        OK(MPI_Comm_free(&comms[i]));
}

static void started_twice(void)
{
    MPI_Request r;
    OK(MPI_Recv_init(in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r));
    in[0] = 0;
    OK(MPI_Start(&r));
    CLASS(MPI_Start(&r), MPI_ERR_REQUEST);
    OK(MPI_Send(&out[2], 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    SAME(in[0], out[2]);
    OK(MPI_Start(&r));
    OK(MPI_Send(&out[3], 1, MPI_INT, 0, 1, MPI_COMM_SELF));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    SAME(in[0], out[3]);
    OK(MPI_Request_free(&r));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    for (int i = 0; i < 4; i++) {
        first_failure(i % 2);
        started_twice();
    }
    return t_end();
}
