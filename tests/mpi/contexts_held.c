/* A communicator that is freed while requests hold it ends with the last of them, however that
 * goes: its context comes back. More communicators than there are contexts show if one does not. */
#include "t.h"

enum { TIMES = 40000, LONG = 3000 };

static MPI_Comm comm;
static int out[LONG], in[LONG];

static void freed_before_it_is_done(void)
{
    MPI_Request r;
    int flag;
    OK(MPI_Irecv(in, 1, MPI_INT, 0, 1, comm, &r));
    OK(MPI_Request_free(&r));
    OK(MPI_Send(out, 1, MPI_INT, 0, 1, comm));
    OK(MPI_Iprobe(0, 2, comm, &flag, MPI_STATUS_IGNORE));      /* takes what has come */
}

static void freed_when_it_is_done(void)
{
    MPI_Request r;
    OK(MPI_Irecv(in, LONG, MPI_INT, 0, 1, comm, &r));
    OK(MPI_Send(out, LONG, MPI_INT, 0, 1, comm));
    for (int done = 0; !done;)
        OK(MPI_Request_get_status(r, &done, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&r));
}

static void waited_for(void)
{
    MPI_Request r[2];
    OK(MPI_Irecv(in, LONG, MPI_INT, 0, 1, comm, &r[0]));
    OK(MPI_Issend(out, LONG, MPI_INT, 0, 1, comm, &r[1]));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
}

static void cancelled(void)
{
    MPI_Request r;
    OK(MPI_Irecv(in, 1, MPI_INT, 0, 1, comm, &r));
    OK(MPI_Comm_free(&comm));
    OK(MPI_Cancel(&r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

/* Started when the handle is gone already. */
static void persistent(void)
{
    MPI_Request r[2];
    OK(MPI_Recv_init(in, 1, MPI_INT, 0, 1, comm, &r[0]));
    OK(MPI_Send_init(out, 1, MPI_INT, 0, 1, comm, &r[1]));
    OK(MPI_Comm_free(&comm));
    in[0] = -1;
    OK(MPI_Startall(2, r));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    SAME(in[0], out[0]);
    for (int i = 0; i < 2; i++)
        OK(MPI_Request_free(&r[i]));
}

/* Ranks that are not in the new communicator. */
static void not_in_it(void)
{
    MPI_Comm none;
    OK(MPI_Comm_split(comm, MPI_UNDEFINED, 0, &none));
    CHECK(none == MPI_COMM_NULL);
    OK(MPI_Comm_create(comm, MPI_GROUP_EMPTY, &none));
    CHECK(none == MPI_COMM_NULL);
}

static void (*const uses[])(void) = {
    freed_before_it_is_done, freed_when_it_is_done, waited_for, cancelled, persistent, not_in_it,
};
enum { USES = sizeof uses / sizeof *uses };

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int use = 0; use < USES; use++)
        for (int i = 0; i < TIMES; i++) {
            OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
            out[0] = i;
            uses[use]();
            if (comm != MPI_COMM_NULL)
                OK(MPI_Comm_free(&comm));
        }
    return t_end_single();
}
