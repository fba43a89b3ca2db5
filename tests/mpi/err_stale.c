/* Handles of objects that are gone, and bits that never were a handle, are recognised, though the
 * standard would let a library crash: requests, communicators, groups, operations. */
#include "t.h"

static void requests(void)
{
    int value = 0, flag;
    MPI_Request request, stale;

    OK(MPI_Recv_init(&value, 1, MPI_INT, t_prev(), 0, MPI_COMM_WORLD, &request));
    stale = request;
    OK(MPI_Request_free(&request));
    CLASS(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CLASS(MPI_Test(&stale, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    CLASS(MPI_Start(&stale), MPI_ERR_REQUEST);
    CLASS(MPI_Request_free(&stale), MPI_ERR_REQUEST);
    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    stale = request;
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CLASS(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    stale = MPI_REQUEST_NULL;
    CLASS(MPI_Request_free(&stale), MPI_ERR_REQUEST);
    CLASS(MPI_Start(&stale), MPI_ERR_REQUEST);
    CLASS(MPI_Cancel(&stale), MPI_ERR_REQUEST);
    stale = (MPI_Request)(uintptr_t)0x7fff12345678;
    CLASS(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
}

/* In an array, alone and behind one that is done: MPI_Testall ends nothing then, and the library is
 * as usable as before. */
static void arrays(void)
{
    int value = 0, flag;
    MPI_Request stale, r[2];
    MPI_Status s[2];

    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]));
    stale = r[0];
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    CLASS(MPI_Testall(1, &stale, &flag, s), MPI_ERR_REQUEST);
    CLASS(MPI_Waitall(1, &stale, s), MPI_ERR_REQUEST);
    CLASS(MPI_Waitall(1, &stale, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    OK(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &r[0]));
    r[1] = stale;
    CLASS(MPI_Testall(2, r, &flag, s), MPI_ERR_REQUEST);
    CLASS(MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    CHECK(r[0] != MPI_REQUEST_NULL && r[1] == stale);
    OK(MPI_Testall(1, r, &flag, s));
    SAME(flag, 1);
    SAME(s[0].MPI_SOURCE, MPI_PROC_NULL);
    CHECK(r[0] == MPI_REQUEST_NULL);
}

/* The number of a request that is over is none of those that have its place later. */
static void numbers(void)
{
    enum { LATER = 100 };
    int value = 0;
    MPI_Request first, later[LATER];

    OK(MPI_Irecv(&value, 1, MPI_INT, t_prev(), 3, MPI_COMM_WORLD, &first));
    int number = MPI_Request_toint(first);
    CHECK(MPI_Request_fromint(number) == first);
    OK(MPI_Cancel(&first));
    OK(MPI_Wait(&first, MPI_STATUS_IGNORE));
    CHECK(MPI_Request_fromint(number) == MPI_REQUEST_NULL);
    for (int i = 0; i < LATER; i++) {
        OK(MPI_Irecv(&value, 1, MPI_INT, t_prev(), 3, MPI_COMM_WORLD, &later[i]));
        CHECK(MPI_Request_fromint(MPI_Request_toint(later[i])) == later[i]);
        CHECK(MPI_Request_fromint(number) == MPI_REQUEST_NULL);
    }
    for (int i = 0; i < LATER; i++)
        OK(MPI_Cancel(&later[i]));
    OK(MPI_Waitall(LATER, later, MPI_STATUSES_IGNORE));
}

static void others(void)
{
    MPI_Comm comm, stale;
    MPI_Group group, old;
    int value = 0;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    stale = comm;
    OK(MPI_Comm_free(&comm));
    CLASS(MPI_Send(&value, 1, MPI_INT, t_next(), 0, stale), MPI_ERR_COMM);
    CLASS(MPI_Comm_free(&stale), MPI_ERR_COMM);
    CLASS(MPI_Barrier((MPI_Comm)(uintptr_t)0x7fff12345678), MPI_ERR_COMM);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &group));
    old = group;
    OK(MPI_Group_free(&group));
    CLASS(MPI_Group_size(old, &value), MPI_ERR_GROUP);
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    for (int i = 0; i < 3; i++) {
        requests();
        arrays();
        numbers();
        others();
    }
    return t_end();
}
