/* MPI_Ibarrier, MPI_Ibcast, MPI_Ireduce, MPI_Iallreduce: results, in place, operations that do not
 * commute, large data, errors, statuses. */
#include "compose.h"
#include "t.h"

enum { LONG_COUNT = 100000 };

static MPI_Comm comms[3];

static void wait_empty(MPI_Request *request)
{
    MPI_Status status;
    int count = -1;

    OK(MPI_Wait(request, &status));
    SAME(*request == MPI_REQUEST_NULL, 1);
    OK(MPI_Get_count(&status, MPI_BYTE, &count));
    SAME(count, 0);
    SAME(status.MPI_SOURCE, MPI_ANY_SOURCE);
    SAME(status.MPI_TAG, MPI_ANY_TAG);
}

static void bcasts(MPI_Comm comm, int count)
{
    MPI_Request request;
    int rank, size, *data = malloc(sizeof *data * (size_t)(count + 1));

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = 0; root < size; root++) {
        for (int i = 0; i < count; i++)
            data[i] = rank == root ? root * 7 + i : -1;
        OK(MPI_Ibcast(data, count, MPI_INT, root, comm, &request));
        wait_empty(&request);
        for (int i = 0; i < count; i++)
            SAME(data[i], root * 7 + i);
    }
    free(data);
}

static void reductions(MPI_Comm comm, int count, int in_place)
{
    MPI_Request request;
    int rank, size;
    double *in = malloc(sizeof *in * (size_t)(count + 1)),
        *out = malloc(sizeof *out * (size_t)(count + 1));

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int root = -1; root < size; root++) {      /* -1: to all */
        int here = root < 0 || root == rank;
        for (int i = 0; i < count; i++) {
            in[i] = rank + i;
            out[i] = in_place && here ? in[i] : -1;
        }
        const void *from = in_place && here ? MPI_IN_PLACE : in;
        OK(root < 0 ? MPI_Iallreduce(from, out, count, MPI_DOUBLE, MPI_SUM, comm, &request)
                    : MPI_Ireduce(from, out, count, MPI_DOUBLE, MPI_SUM, root, comm, &request));
        if (!here)
            for (int i = 0; i < count; i++)
                SAME(in[i], rank + i);
        wait_empty(&request);
        for (int i = 0; here && i < count; i++)
            SAME(out[i], size * i + size * (size - 1) / 2);
    }
    free(in);
    free(out);
}

/* To each root, or with root -1 to all: composed in the order of ranks. */
static void compose_to(MPI_Comm comm, MPI_Op op, int root, int count)
{
    MPI_Request request;
    int rank, size;
    uint64_t *in = t_alloc((size_t)count * sizeof *in), *out = t_alloc((size_t)count * sizeof *out);

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < count; i++)
        in[i] = compose_value(rank, i);
    OK(root < 0 ? MPI_Iallreduce(in, out, count, MPI_UINT64_T, op, comm, &request)
                : MPI_Ireduce(in, out, count, MPI_UINT64_T, op, root, comm, &request));
    wait_empty(&request);
    for (int i = 0; i < count && (root < 0 || root == rank); i++)
        SAME(out[i], compose_ranks(0, size, i));
    free(in);
    free(out);
}

/* By slots, lines and messages. */
static void in_order(MPI_Comm comm)
{
    static const int lengths[] = { 1, 6, 14, 60, 5000 };
    MPI_Op op;
    int size;

    MPI_Comm_size(comm, &size);
    OK(MPI_Op_create(compose, 0, &op));
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int root = -1; root < size; root++)
            compose_to(comm, op, root, lengths[i]);
    OK(MPI_Op_free(&op));
}

/* No rank is through before the last has begun. */
static void barriers(MPI_Comm comm)
{
    MPI_Request request;
    int rank, size, done = 1, early = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int late = 0; late < size; late++) {
        if (rank == late && size > 1) {
            for (int i = 0; i < size - 1; i++)      /* all others have begun, and have tested */
                OK(MPI_Recv(&early, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE));
            OK(MPI_Ibarrier(comm, &request));
        } else {
            OK(MPI_Ibarrier(comm, &request));
            OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
            SAME(done, size == 1);
            if (size > 1)
                OK(MPI_Send(&done, 1, MPI_INT, late, 1, comm));
        }
        OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
}

static void errors(void)
{
    MPI_Request request;
    int x = 0, y;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CLASS(MPI_Ibarrier(MPI_COMM_NULL, &request), MPI_ERR_COMM);
    CLASS(MPI_Ibarrier(MPI_COMM_WORLD, NULL), MPI_ERR_ARG);
    CLASS(MPI_Ibcast(&x, -1, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    CLASS(MPI_Ibcast(&x, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE);
    CLASS(MPI_Ibcast(&x, 1, MPI_INT, t_size, MPI_COMM_WORLD, &request), MPI_ERR_ROOT);
    CLASS(MPI_Ibcast(NULL, 1, MPI_INT, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CLASS(MPI_Ireduce(&x, &y, 1, MPI_INT, MPI_SUM, -1, MPI_COMM_WORLD, &request), MPI_ERR_ROOT);
    CLASS(MPI_Ireduce(&x, &y, 1, MPI_INT, MPI_OP_NULL, 0, MPI_COMM_WORLD, &request), MPI_ERR_OP);
    CLASS(MPI_Iallreduce(&x, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
    CLASS(MPI_Iallreduce(&x, &y, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD, &request), MPI_ERR_OP);
}

int main(int argc, char **argv)
{
    static const int counts[] = { 0, 1, 5, 6, 14, 15, 28, 29, 500, LONG_COUNT };

    t_start(&argc, &argv);
    comms[0] = MPI_COMM_WORLD;
    comms[1] = MPI_COMM_SELF;
    OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank / 2, -t_rank, &comms[2]));
    for (int c = 0; c < 3; c++) {
        for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
            bcasts(comms[c], counts[i]);
            reductions(comms[c], counts[i], 0);
            reductions(comms[c], counts[i], 1);
        }
        in_order(comms[c]);
        barriers(comms[c]);
    }
    OK(MPI_Comm_free(&comms[2]));
    errors();
    return t_end();
}
