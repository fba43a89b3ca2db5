/* Messages of no elements, with null buffers; they carry order, source and tag all the same. */
#include "t.h"

static void point_to_point(void)
{
    MPI_Request request;
    MPI_Status status;
    int count = -1;

    for (int tag = 0; tag < 5; tag++) {
        OK(MPI_Irecv(NULL, 0, MPI_DOUBLE, t_prev(), tag, MPI_COMM_WORLD, &request));
        OK(MPI_Barrier(MPI_COMM_WORLD));
        switch (tag) {
        case 0: OK(MPI_Send(NULL, 0, MPI_INT, t_next(), tag, MPI_COMM_WORLD)); break;
        case 1: OK(MPI_Ssend(NULL, 0, MPI_INT, t_next(), tag, MPI_COMM_WORLD)); break;
        case 2: OK(MPI_Rsend(NULL, 0, MPI_INT, t_next(), tag, MPI_COMM_WORLD)); break;
        case 3: OK(MPI_Send(NULL, 0, MPI_CHAR, t_next(), tag, MPI_COMM_WORLD)); break;
        case 4: OK(MPI_Send(NULL, 0, MPI_DOUBLE, t_next(), tag, MPI_COMM_WORLD)); break;
        }
        OK(MPI_Wait(&request, &status));
        SAME(status.MPI_SOURCE, t_prev());
        SAME(status.MPI_TAG, tag);
        OK(MPI_Get_count(&status, MPI_DOUBLE, &count));
        SAME(count, 0);
    }
    OK(MPI_Sendrecv(NULL, 0, MPI_INT, t_next(), 9, NULL, 0, MPI_INT, t_prev(), 9, MPI_COMM_WORLD,
                    &status));
    SAME(status.MPI_TAG, 9);
}

/* Room for more than comes is no error, and the room stays as it was. */
static void room_for_more(void)
{
    int value = 17, count = -1;
    MPI_Request request;
    MPI_Status status;

    OK(MPI_Isend(NULL, 0, MPI_INT, t_next(), 2, MPI_COMM_WORLD, &request));
    OK(MPI_Recv(&value, 1, MPI_INT, t_prev(), 2, MPI_COMM_WORLD, &status));
    OK(MPI_Get_count(&status, MPI_INT, &count));
    SAME(count, 0);
    SAME(value, 17);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void collectives(void)
{
    for (int root = 0; root < t_size; root++) {
        OK(MPI_Bcast(NULL, 0, MPI_INT, root, MPI_COMM_WORLD));
        OK(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD));
        OK(MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD));
    }
    OK(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD));
    OK(MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    point_to_point();
    room_for_more();
    collectives();
    return t_end();
}
