/* A synchronous send does not end before its receive has started.  Seen through the order of
 * messages, not time. */
#include "t.h"

enum { LOOKS = 300 };

/* The receiver has not posted the receive while it waits
 * for our go-ahead: the send must stay open. */
static void sender(int peer, const void *data, int n)
{
    MPI_Request send;
    int token = 0, flag;

    OK(MPI_Issend(data, n, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &send));
    OK(MPI_Recv(&token, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < LOOKS; i++) {
        OK(MPI_Test(&send, &flag, MPI_STATUS_IGNORE));
        SAME(flag, 0);
    }
    OK(MPI_Send(&token, 1, MPI_INT, peer, 3, MPI_COMM_WORLD));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    OK(MPI_Ssend(data, n, MPI_BYTE, peer, 4, MPI_COMM_WORLD));
    OK(MPI_Send(&token, 1, MPI_INT, peer, 5, MPI_COMM_WORLD));
}

/* What is sent after the blocking Ssend must not show before the
 * Ssend is received, though it has been probed. */
static void receiver(int peer, void *data, int n)
{
    int token = 1, flag;

    OK(MPI_Send(&token, 1, MPI_INT, peer, 2, MPI_COMM_WORLD));
    OK(MPI_Recv(&token, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Recv(data, n, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    DATA(data, (size_t)n, 2);
    OK(MPI_Probe(peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < LOOKS; i++) {
        OK(MPI_Iprobe(peer, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        SAME(flag, 0);
    }
    OK(MPI_Recv(data, n, MPI_BYTE, peer, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Recv(&token, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void to_self(void *data, void *in, int n)
{
    MPI_Request send;
    int flag;

    OK(MPI_Issend(data, n, MPI_BYTE, t_rank, 1, MPI_COMM_WORLD, &send));
    for (int i = 0; i < LOOKS; i++) {
        OK(MPI_Test(&send, &flag, MPI_STATUS_IGNORE));
        SAME(flag, 0);
    }
    OK(MPI_Recv(in, n, MPI_BYTE, t_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&send, MPI_STATUS_IGNORE));
    DATA(in, (size_t)n, 2);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 8, 1000, 20000, 400000};

    t_start(&argc, &argv);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *data = t_alloc((size_t)sizes[i]), *in = t_alloc((size_t)sizes[i]);
        int peer = t_rank ^ 1;

        t_fill(data, (size_t)sizes[i], 2);
        to_self(data, in, sizes[i]);
        if (peer < t_size && t_rank < peer)
            sender(peer, data, sizes[i]);
        else if (peer < t_size)
            receiver(peer, in, sizes[i]);
        free(data);
        free(in);
    }
    return t_end();
}
