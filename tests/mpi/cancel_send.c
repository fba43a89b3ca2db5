/* Cancelling a send may or may not succeed; either way both ends agree: a cancelled message never arrives, any other
 * arrives whole. */
#include "t.h"

static int partner(void) { return t_rank ^ 1; }

static void sender(int n, int synchronous)
{
    unsigned char *out = t_alloc((size_t)n);
    MPI_Request send;
    MPI_Status status;
    int withdrawn;

    t_fill(out, (size_t)n, 4);
    if (synchronous)
        OK(MPI_Issend(out, n, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, &send));
    else
        OK(MPI_Isend(out, n, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, &send));
    OK(MPI_Cancel(&send));
    OK(MPI_Wait(&send, &status));
    OK(MPI_Test_cancelled(&status, &withdrawn));
    OK(MPI_Send(&withdrawn, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD));
    OK(MPI_Recv(NULL, 0, MPI_INT, partner(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    free(out);
}

static int arrived(int tag)
{
    int flag;

    OK(MPI_Iprobe(partner(), tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    return flag;
}

/* A send that could not be cancelled may need the receive to end, so the message is taken as soon as it shows. */
static void receiver(int n)
{
    unsigned char *in = t_alloc((size_t)n);
    int withdrawn, received = 0;

    while (!received && !arrived(2))
        if (arrived(1)) {
            MPI_Message message;
            OK(MPI_Improbe(partner(), 1, MPI_COMM_WORLD, &received, &message, MPI_STATUS_IGNORE));
            if (received)
                OK(MPI_Mrecv(in, n, MPI_BYTE, &message, MPI_STATUS_IGNORE));
        }
    OK(MPI_Recv(&withdrawn, 1, MPI_INT, partner(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    if (!received && !withdrawn) {
        OK(MPI_Recv(in, n, MPI_BYTE, partner(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        received = 1;
    }
    SAME(received, !withdrawn);
    SAME(arrived(1), 0);
    if (received)
        DATA(in, (size_t)n, 4);
    OK(MPI_Send(NULL, 0, MPI_INT, partner(), 3, MPI_COMM_WORLD));
    free(in);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 4, 1000, 10000, 500000};

    t_start(&argc, &argv);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && partner() < t_size; i++)
        for (int synchronous = 0; synchronous < 2; synchronous++)
            if (t_rank % 2 == 0)
                sender(sizes[i], synchronous);
            else
                receiver(sizes[i]);
    return t_end();
}
