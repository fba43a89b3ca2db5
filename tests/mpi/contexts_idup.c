/* A duplicate that is made while its call goes on finds all contexts in use: its request ends with
 * the error, or the call itself where one rank asks nobody, and there is no communicator. */
#include "t.h"

enum { LIMIT = 24576 };         /* of one rank's communicators there are fewer */

static MPI_Comm comms[LIMIT];

static int use_up(MPI_Comm of)
{
    int n = 0, code = MPI_SUCCESS;
    while (n < LIMIT && !(code = MPI_Comm_dup(of, &comms[n])))
        n++;
    CLASS(code, MPI_ERR_OTHER);
    return n;
}

/* What the call has given out is no handle any more when the request has ended. */
static void find_none(MPI_Comm of, int size)
{
    MPI_Comm more = MPI_COMM_WORLD;
    MPI_Request request = MPI_REQUEST_NULL;
    if (size == 1) {
        CLASS(MPI_Comm_idup(of, &more, &request), MPI_ERR_OTHER);
        CHECK(more == MPI_COMM_NULL);
    } else {
        OK(MPI_Comm_idup(of, &more, &request));
        CLASS(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
        CLASS(MPI_Comm_size(more, &size), MPI_ERR_COMM);
    }
    CHECK(request == MPI_REQUEST_NULL);
}

static void find_one(MPI_Comm of)
{
    MPI_Comm more;
    MPI_Request request;
    OK(MPI_Comm_idup(of, &more, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(more));
    OK(MPI_Comm_free(&more));
}

static void all(MPI_Comm of)
{
    int n = use_up(of), size;
    OK(MPI_Comm_size(of, &size));
    for (int times = 0; times < 2; times++)
        find_none(of, size);
    OK(MPI_Comm_free(&comms[--n]));
    find_one(of);
    while (n)
        OK(MPI_Comm_free(&comms[--n]));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    all(MPI_COMM_SELF);
    if (t_size > 1 && !t_apart())       /* over a wire it takes minutes, and shows nothing else */
        all(MPI_COMM_WORLD);
    return t_end();
}
