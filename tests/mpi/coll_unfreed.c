/* A collective that does not block can be neither freed nor cancelled: that is an error on its
 * communicator, the handle stays, and it goes on. */
#include "t.h"

enum { ELEMENTS = 10000 };

static int raised, in[ELEMENTS], out[ELEMENTS];
static MPI_Comm comm, made;

static void note(MPI_Comm *on, int *code, ...)
{
    (void)code;
    if (on)
        raised++;
}

static int barrier(MPI_Request *r) { return MPI_Ibarrier(comm, r); }
static int bcast(MPI_Request *r) { return MPI_Ibcast(in, 1, MPI_INT, 0, comm, r); }
static int bcast_long(MPI_Request *r) { return MPI_Ibcast(in, ELEMENTS, MPI_INT, 0, comm, r); }
static int idup(MPI_Request *r) { return MPI_Comm_idup(comm, &made, r); }
static int allreduce(MPI_Request *r)
{
    return MPI_Iallreduce(in, out, ELEMENTS, MPI_INT, MPI_MAX, comm, r);
}

/* On a ring of the same ranks, which is a communicator of its own. */
static MPI_Comm ring;
static int neighbours(MPI_Request *r)
{
    return MPI_Ineighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, ring, r);
}

static void refused(MPI_Request *r)
{
    MPI_Request before = *r;
    raised = 0;
    CLASS(MPI_Request_free(r), MPI_ERR_REQUEST);
    CLASS(MPI_Cancel(r), MPI_ERR_REQUEST);
    SAME(raised, 2);
    CHECK(*r == before);
}

/* done: it is complete, which the program has not been told by a wait. */
static void one(int (*start)(MPI_Request *r))
{
    MPI_Request r;
    for (int done = 0; done < 2; done++) {
        made = MPI_COMM_NULL;
        OK(start(&r));
        for (int flag = 0; done && !flag;)
            OK(MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE));
        refused(&r);
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        CHECK(r == MPI_REQUEST_NULL);
        if (made != MPI_COMM_NULL)
            OK(MPI_Comm_free(&made));
    }
}

static void all(MPI_Comm of)
{
    int (*const starts[])(MPI_Request *) = {
        barrier, bcast, bcast_long, allreduce, idup, neighbours,
    };
    int size, all_around = 1;
    MPI_Errhandler handler;
    OK(MPI_Comm_dup(of, &comm));
    OK(MPI_Comm_size(comm, &size));
    OK(MPI_Cart_create(comm, 1, &size, &all_around, 0, &ring));
    OK(MPI_Comm_create_errhandler(note, &handler));
    OK(MPI_Comm_set_errhandler(comm, handler));
    OK(MPI_Comm_set_errhandler(ring, handler));
    OK(MPI_Errhandler_free(&handler));
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++)
        one(starts[i]);
    OK(MPI_Comm_free(&ring));
    OK(MPI_Comm_free(&comm));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    all(MPI_COMM_WORLD);
    all(MPI_COMM_SELF);
    return t_end();
}
