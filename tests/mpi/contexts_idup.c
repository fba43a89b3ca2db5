/* A duplicate that is made while its call goes on finds all contexts in use: its request ends with
 * the error, or the call itself where one rank asks nobody, and there is no communicator.  What was
 * copied for it is deleted, and the communicator that it should have been made from is as good as
 * it was. */
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

/* -- what it had of the other one */

static int copied, deleted;
enum { VALUES = 2 };

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *out, int *flag)
{
    (void)comm, (void)key, (void)extra;
    *(void **)out = value;
    *flag = 1;
    copied++;
    return MPI_SUCCESS;
}

/* The one set last, which is deleted first, fails. */
static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    int size;
    (void)key, (void)value;
    OK(MPI_Comm_size(comm, &size));
    deleted++;
    return extra && copied == VALUES ? MPI_ERR_INTERN : MPI_SUCCESS;
}

static void lose_attributes(MPI_Comm of, int size)
{
    int key[VALUES], failing;
    for (int i = 0; i < VALUES; i++) {
        OK(MPI_Comm_create_keyval(copy, delete, &key[i], i == VALUES - 1 ? &failing : NULL));
        OK(MPI_Comm_set_attr(of, key[i], NULL));
    }
    copied = deleted = 0;
    find_none(of, size);
    SAME(copied, VALUES);
    SAME(deleted, VALUES);
    copied = 0;
    for (int i = 0; i < VALUES; i++) {
        OK(MPI_Comm_delete_attr(of, key[i]));
        OK(MPI_Comm_free_keyval(&key[i]));
    }
}

/* The context of a parent that is freed is given back, whatever has come of its duplicates. */
static void give_back(MPI_Comm parent, MPI_Comm of)
{
    MPI_Comm one;
    OK(MPI_Comm_free(&parent));
    OK(MPI_Comm_dup(of, &one));
    OK(MPI_Comm_free(&one));
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
    MPI_Comm parent;
    int size;
    OK(MPI_Comm_dup(of, &parent));
    int n = use_up(of);
    OK(MPI_Comm_size(of, &size));
    for (int times = 0; times < 2; times++)
        find_none(parent, size);
    lose_attributes(parent, size);
    give_back(parent, of);
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
