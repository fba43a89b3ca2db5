/* Wrong arguments of point-to-point calls: the right class,
 * and everything goes on working afterwards. */
#include "t.h"

static int value = 1;
static MPI_Request request;
static MPI_Status status;

static void sends(void)
{
    CLASS(MPI_Send(&value, 1, MPI_INT, t_size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Send(&value, 1, MPI_INT, -7, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Send(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    CLASS(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    CLASS(MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CLASS(MPI_Ssend(&value, 1, MPI_INT, t_size, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    CLASS(MPI_Rsend(&value, -3, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    CLASS(MPI_Bsend(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Isend(&value, 1, MPI_INT, t_size, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CLASS(MPI_Issend(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
    CLASS(MPI_Irsend(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE);
    CLASS(MPI_Ibsend(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_COUNT);
    CLASS(MPI_Send_init(&value, 1, MPI_INT, t_size, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
}

static void receives(void)
{
    int flag;

    CLASS(MPI_Recv(&value, 1, MPI_INT, t_size, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
    CLASS(MPI_Recv(&value, 1, MPI_INT, -9, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
    CLASS(MPI_Recv(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &status), MPI_ERR_TAG);
    CLASS(MPI_Recv(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_COUNT);
    CLASS(MPI_Recv(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_TYPE);
    CLASS(MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &status), MPI_ERR_COMM);
    CLASS(MPI_Recv(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
    CLASS(MPI_Irecv(&value, 1, MPI_INT, t_size, 0, MPI_COMM_WORLD, &request), MPI_ERR_RANK);
    CLASS(MPI_Recv_init(&value, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request), MPI_ERR_TAG);
    CLASS(MPI_Probe(t_size, 0, MPI_COMM_WORLD, &status), MPI_ERR_RANK);
    CLASS(MPI_Iprobe(0, -5, MPI_COMM_WORLD, &flag, &status), MPI_ERR_TAG);
    CLASS(MPI_Probe(0, 0, MPI_COMM_NULL, &status), MPI_ERR_COMM);
    CLASS(MPI_Sendrecv(&value, 1, MPI_INT, t_size, 0, &value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                       &status), MPI_ERR_RANK);
    CLASS(MPI_Sendrecv_replace(&value, 1, MPI_INT, 0, -5, 0, 0, MPI_COMM_WORLD, &status),
          MPI_ERR_TAG);
    CLASS(MPI_Send(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Ssend(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Send(&value, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD), MPI_ERR_TAG);
    CLASS(MPI_Recv(&value, 1, MPI_INT, 0, -1, MPI_COMM_WORLD, &status), MPI_ERR_TAG);
}

/* Addresses that are no buffer. */
static void no_buffers(void)
{
    void *bad[] = { NULL, MPI_IN_PLACE };
    for (int i = 0; i < 2; i++) {
        CLASS(MPI_Send(bad[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        CLASS(MPI_Ssend(bad[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        CLASS(MPI_Isend(bad[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        CLASS(MPI_Irecv(bad[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        CLASS(MPI_Recv(bad[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
        CLASS(MPI_Send_init(bad[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        CLASS(MPI_Sendrecv(bad[i], 1, MPI_INT, 0, 0, &value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                           &status), MPI_ERR_BUFFER);
        CLASS(MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, bad[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                           &status), MPI_ERR_BUFFER);
        CLASS(MPI_Sendrecv_replace(bad[i], 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, &status),
              MPI_ERR_BUFFER);
    }
}

/* NULL is MPI_BOTTOM: for types that are made of addresses it is a buffer, and for no others. */
static void bottoms(void)
{
    MPI_Datatype real, pair, there;
    MPI_Aint at;
    int in = -1;
    OK(MPI_Type_create_f90_real(6, MPI_UNDEFINED, &real));
    OK(MPI_Type_contiguous(2, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_Get_address(&value, &at));
    OK(MPI_Type_create_hindexed_block(1, 1, &at, MPI_INT, &there));
    OK(MPI_Type_commit(&there));
    CLASS(MPI_Send(NULL, 1, real, 0, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CLASS(MPI_Recv(NULL, 1, pair, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_BUFFER);
    CLASS(MPI_Allreduce(NULL, &in, 1, real, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
    OK(MPI_Sendrecv(MPI_BOTTOM, 1, there, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status));
    SAME(in, value);
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_free(&there));
}

/* An exchange with something wrong about its receive sends nothing either: the message behind it is
 * the first to come. */
static void no_half(void)
{
    int in = -1, out = t_rank * 5;

    CLASS(MPI_Sendrecv(&value, 1, MPI_INT, t_next(), 1, &in, 1, MPI_INT, t_size, 1, MPI_COMM_WORLD,
                       &status), MPI_ERR_RANK);
    CLASS(MPI_Sendrecv(&value, 1, MPI_INT, t_next(), 1, &in, 1, MPI_INT, t_prev(), -5,
                       MPI_COMM_WORLD, &status), MPI_ERR_TAG);
    CLASS(MPI_Sendrecv(&value, 1, MPI_INT, t_next(), 1, &in, -1, MPI_INT, t_prev(), 1,
                       MPI_COMM_WORLD, &status), MPI_ERR_COUNT);
    SAME(in, -1);
    OK(MPI_Sendrecv(&out, 1, MPI_INT, t_next(), 2, &in, 1, MPI_INT, t_prev(), MPI_ANY_TAG,
                    MPI_COMM_WORLD, &status));
    SAME(status.MPI_TAG, 2);
    SAME(in, t_prev() * 5);
}

static void still_usable(void)
{
    int in = -1, out = t_rank * 3;

    OK(MPI_Sendrecv(&out, 1, MPI_INT, t_next(), 1, &in, 1, MPI_INT, t_prev(), 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    SAME(in, t_prev() * 3);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    for (int i = 0; i < 3; i++) {
        sends();
        receives();
        no_buffers();
        bottoms();
        no_half();
        still_usable();
    }
    return t_end();
}
