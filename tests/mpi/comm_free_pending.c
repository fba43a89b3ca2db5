/* A communicator freed while messages on it are under way: they
 * still arrive, and a new one is not confused. */
#include "t.h"

static void one(int n)
{
    unsigned char *out = t_alloc((size_t)n), *in = t_alloc((size_t)n), *other = t_alloc((size_t)n);
    MPI_Request requests[2], more[2];
    MPI_Comm comm, next;

    t_fill(out, (size_t)n, (unsigned)t_rank);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Irecv(in, n, MPI_BYTE, t_prev(), 0, comm, &requests[0]));
    OK(MPI_Isend(out, n, MPI_BYTE, t_next(), 0, comm, &requests[1]));
    OK(MPI_Comm_free(&comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &next));
    OK(MPI_Irecv(other, n, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, next, &more[0]));
    OK(MPI_Isend(out, n, MPI_BYTE, t_next(), 1, next, &more[1]));
    OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(2, more, MPI_STATUSES_IGNORE));
    DATA(in, (size_t)n, (unsigned)t_prev());
    DATA(other, (size_t)n, (unsigned)t_prev());
    OK(MPI_Comm_free(&next));
    free(out);
    free(in);
    free(other);
}

static int raised;

static void count_errors(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    CLASS(*code, raised++ < 2 ? MPI_ERR_TRUNCATE : MPI_ERR_IN_STATUS);
}

/* A message to oneself that has been sent need not be there yet: another thread may move it. */
static int test_until_done(MPI_Request *r)
{
    int index, done, code;
    do {
        code = MPI_Testany(1, r, &index, &done, MPI_STATUS_IGNORE);
    } while (!code && !done);
    return code;
}

/* The error of its last request is still raised on it, and its handler lives until then. */
static void last_request_fails(void)
{
    int out[2] = { 1, 2 }, in[4];
    MPI_Request r[4];
    MPI_Status s[2];
    MPI_Errhandler handler;
    MPI_Comm comm[3];
    raised = 0;
    for (int i = 0; i < 3; i++) {
        OK(MPI_Comm_dup(MPI_COMM_SELF, &comm[i]));
        OK(MPI_Comm_create_errhandler(count_errors, &handler));
        OK(MPI_Comm_set_errhandler(comm[i], handler));
        OK(MPI_Errhandler_free(&handler));
    }
    for (int i = 0; i < 4; i++) {
        MPI_Comm on = comm[i < 2 ? i : 2];
        OK(MPI_Irecv(&in[i], 1, MPI_INT, 0, i, on, &r[i]));
        OK(MPI_Send(out, 2, MPI_INT, 0, i, on));
    }
    for (int i = 0; i < 3; i++)
        OK(MPI_Comm_free(&comm[i]));
    CLASS(MPI_Wait(&r[0], MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CLASS(test_until_done(&r[1]), MPI_ERR_TRUNCATE);
    CLASS(MPI_Waitall(2, &r[2], s), MPI_ERR_IN_STATUS);
    SAME(raised, 3);
    SAME(s[1].MPI_ERROR, MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        one(10);
        one(3000);
        one(200000);
        last_request_fails();
    }
    return t_end();
}
