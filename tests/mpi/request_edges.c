/* Several requests that fail at once, one that is started while it is active; room for buffered
 * sends, one after the other; and data with gaps that are replaced. */
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

/* Room for one message in the attached buffer is room for one after the other. */
static void buffer_comes_back(int ints)
{
    int bytes = ints * (int)sizeof(int) + MPI_BSEND_OVERHEAD, size;
    char *buffer = t_alloc((size_t)bytes);
    int *data = t_ints((size_t)ints);
    void *back;
    OK(MPI_Buffer_attach(buffer, bytes));
    for (int i = 0; i < 10; i++) {
        data[ints - 1] = i;
        OK(MPI_Bsend(data, ints, MPI_INT, 0, 1, MPI_COMM_SELF));
        data[ints - 1] = -1;
        OK(MPI_Recv(data, ints, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        SAME(data[ints - 1], i);
    }
    OK(MPI_Buffer_detach(&back, &size));
    CHECK(back == buffer && size == bytes);
    free(buffer);
    free(data);
}

struct pair { double value; int index; };

/* Exchanged in place, data with gaps: all of them, and the gaps stay. */
static void replaced_pairs(void)
{
    enum { PAIRS = 200 };
    struct pair *p = t_alloc(PAIRS * sizeof *p);
    memset(p, 0x77, PAIRS * sizeof *p);
    for (int i = 0; i < PAIRS; i++) {
        p[i].value = 10 * t_rank + i;
        p[i].index = i;
    }
    OK(MPI_Sendrecv_replace(p, PAIRS, MPI_DOUBLE_INT, t_next(), 1, t_prev(), 1, MPI_COMM_WORLD,
                            MPI_STATUS_IGNORE));
    for (int i = 0; i < PAIRS; i++)
        CHECK(p[i].value == 10 * t_prev() + i && p[i].index == i
              && ((unsigned char *)&p[i])[sizeof(struct pair) - 1] == 0x77);
    free(p);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    for (int i = 0; i < 4; i++) {
        first_failure(i % 2);
        started_twice();
        buffer_comes_back(100);
        buffer_comes_back(100000);
        replaced_pairs();
    }
    return t_end();
}
