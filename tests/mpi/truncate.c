/* A message longer than its receive: MPI_ERR_TRUNCATE, nothing written past the buffer, the
 * following messages intact.  Short and long messages, posted and unexpected. */
#include "t.h"

static int follow = 4711;

static void start_sends(const void *data, int n, MPI_Request *requests)
{
    OK(MPI_Isend(data, n, MPI_BYTE, t_next(), 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Isend(&follow, 1, MPI_INT, t_next(), 1, MPI_COMM_WORLD, &requests[1]));
}

static void receive_follow_up(void)
{
    int value = 0;

    OK(MPI_Recv(&value, 1, MPI_INT, t_prev(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    SAME(value, follow);
}

static void posted(const void *data, int n, int room)
{
    struct t_buffer in;
    MPI_Request receive, sends[2];

    t_buffer_new(&in, (size_t)room, 0);
    OK(MPI_Irecv(in.data, room, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, &receive));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    start_sends(data, n, sends);
    CLASS(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    CHECK(receive == MPI_REQUEST_NULL);
    GUARDS(&in);
    receive_follow_up();
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    t_buffer_free(&in);
}

static void unexpected(const void *data, int n, int room)
{
    struct t_buffer in;
    MPI_Request sends[2];
    MPI_Status status;

    t_buffer_new(&in, (size_t)room, 0);
    start_sends(data, n, sends);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CLASS(MPI_Recv(in.data, room, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, &status),
          MPI_ERR_TRUNCATE);
    SAME(status.MPI_SOURCE, t_prev());
    SAME(status.MPI_TAG, 1);
    GUARDS(&in);
    receive_follow_up();
    OK(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    t_buffer_free(&in);
}

static void by_sendrecv(const void *data, int n, int room)
{
    struct t_buffer in;

    t_buffer_new(&in, (size_t)room, 0);
    CLASS(MPI_Sendrecv(data, n, MPI_BYTE, t_next(), 1, in.data, room, MPI_BYTE, t_prev(), 1,
                       MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    GUARDS(&in);
    t_buffer_free(&in);
}

/* One of several: Waitall says so and marks the culprit. */
static void among_others(const void *data, int n, int room)
{
    struct t_buffer in;
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int value = 0, class;

    t_buffer_new(&in, (size_t)room, 0);
    OK(MPI_Irecv(in.data, room, MPI_BYTE, t_prev(), 1, MPI_COMM_WORLD, &requests[0]));
    OK(MPI_Irecv(&value, 1, MPI_INT, t_prev(), 1, MPI_COMM_WORLD, &requests[1]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    start_sends(data, n, requests + 2);
    CLASS(MPI_Waitall(4, requests, statuses), MPI_ERR_IN_STATUS);
    OK(MPI_Error_class(statuses[0].MPI_ERROR, &class));
    SAME(class, MPI_ERR_TRUNCATE);
    for (int i = 1; i < 4; i++) {
        CHECK(statuses[i].MPI_ERROR == MPI_SUCCESS || statuses[i].MPI_ERROR == MPI_ERR_PENDING);
        OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    }
    SAME(value, follow);
    GUARDS(&in);
    t_buffer_free(&in);
}

int main(int argc, char **argv)
{
    static const int cases[][2] = {
        {1, 0}, {100, 10}, {48, 47}, {2000, 1999}, {20000, 1}, {100000, 10}, {100000, 99999},
        {4 << 20, 0},
        {4 << 20, 1 << 20},
    };

    t_start(&argc, &argv);
    t_errors_return();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int n = cases[i][0], room = cases[i][1];
        void *data = t_alloc((size_t)n);

        t_fill(data, (size_t)n, 3);
        posted(data, n, room);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        unexpected(data, n, room);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        by_sendrecv(data, n, room);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        among_others(data, n, room);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        free(data);
    }
    return t_end();
}
