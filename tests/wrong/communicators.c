/* communicators MISTAKE [right], on an even number of ranks: what mpirun and the error handler say
 * where communicators are made, and of intercommunicators; with "right" the same without the
 * mistake. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int rank, size;
static bool right;

static void done_with(MPI_Comm comm)
{
    if (right)
        MPI_Comm_free(&comm);
}

/* The lower half does not call it. */
static void bridge_missing(MPI_Comm half)
{
    MPI_Comm inter;
    if (right || rank >= size / 2) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 5, &inter);
        done_with(inter);
    }
}

static MPI_Comm bridge(MPI_Comm half)
{
    MPI_Comm inter;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 5, &inter);
    return inter;
}

static void idup_missing(MPI_Comm half)
{
    MPI_Comm inter = bridge(half), dup;
    MPI_Request request;
    if (!right && rank == 0)
        return;
    MPI_Comm_idup(inter, &dup, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    done_with(dup);
    done_with(inter);
}

static void group_missing(MPI_Comm half)
{
    MPI_Group all;
    MPI_Comm comm;
    (void)half;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    if (right || rank) {
        MPI_Comm_create_group(MPI_COMM_WORLD, all, 3, &comm);
        done_with(comm);
    }
    if (right)
        MPI_Group_free(&all);
}

/* The last rank of the other side is asked, who does not send. */
static void nobody_sends(MPI_Comm half)
{
    MPI_Comm inter = bridge(half);
    int in;
    if (right && rank == size - 1)
        MPI_Send(&rank, 1, MPI_INT, 0, 7, inter);
    if (rank == 0)
        MPI_Recv(&in, 1, MPI_INT, size / 2 - 1, 7, inter, MPI_STATUS_IGNORE);
    done_with(inter);
}

/* A rank of the whole, not of the remote group. */
static void not_remote(MPI_Comm half)
{
    MPI_Comm inter = bridge(half);
    int in;
    MPI_Sendrecv(&rank, 1, MPI_INT, right ? rank % (size / 2) : size / 2, 7, &in, 1, MPI_INT,
                 rank % (size / 2), 7, inter, MPI_STATUS_IGNORE);
    done_with(inter);
}

static void session_left(MPI_Comm half)
{
    MPI_Session session;
    MPI_Group self;
    MPI_Comm comm;
    (void)half;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://SELF", &self);
    MPI_Comm_create_from_group(self, "left", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    done_with(comm);
    if (right)
        MPI_Group_free(&self);
    MPI_Session_finalize(&session);
}

/* From itself, what it does not send. */
static void receive_own(MPI_Comm comm)
{
    int in;
    MPI_Request request = MPI_REQUEST_NULL;
    if (right)
        MPI_Isend(&rank, 1, MPI_INT, rank, 7, comm, &request);
    MPI_Recv(&in, 1, MPI_INT, rank, 7, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The second of its kind, whether it has hints or not. */
static void named_idup(MPI_Comm half)
{
    MPI_Comm dup[2];
    MPI_Request request[2];
    (void)half;
    MPI_Comm_idup(MPI_COMM_WORLD, &dup[0], &request[0]);
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &dup[1], &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    receive_own(dup[1]);
    for (int i = 0; i < 2; i++)
        done_with(dup[i]);
}

static void named_group(MPI_Comm half)
{
    MPI_Session session;
    MPI_Group world;
    MPI_Comm comm;
    (void)half;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Comm_create_from_group(world, "harvest", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    receive_own(comm);
    MPI_Group_free(&world);
    done_with(comm);
    MPI_Session_finalize(&session);
}

static const struct { const char *name; void (*make)(MPI_Comm half); } mistakes[] = {
    { "bridge", bridge_missing }, { "idup", idup_missing }, { "group", group_missing },
    { "nobody", nobody_sends }, { "remote", not_remote }, { "session", session_left },
    { "named_idup", named_idup }, { "named_group", named_group },
};

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = argc > 2;
    MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, 0, &half);
    for (unsigned i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        if (argc > 1 && !strcmp(argv[1], mistakes[i].name))
            mistakes[i].make(half);
    done_with(half);
    MPI_Finalize();
    return 0;
}
