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

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        one(10);
        one(3000);
        one(200000);
    }
    return t_end();
}
