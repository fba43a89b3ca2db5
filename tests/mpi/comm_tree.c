/* Random trees of communicators: each is duplicated (at once or while the call goes on), split,
 * made of a group (by all or by its ranks alone), bridged to an intercommunicator, or merged;
 * messages from any source are checked on each, older ones after younger ones too, and all are
 * freed in another order than they were made. */
#include "t.h"

enum { NODES = 24, ROUNDS = 6 };

static struct node { MPI_Comm comm; int inter; } nodes[NODES];
static int made;

/* The same on all ranks: what to do.  Only the ranks of a communicator draw from its own one. */
static uint32_t shared = 20261122u;

static int draw(int below) { return (int)(t_random(&shared) % (uint32_t)below); }

static void keep(MPI_Comm comm)
{
    int inter;
    nodes[made].comm = comm;
    if (comm == MPI_COMM_NULL)
        return;
    OK(MPI_Comm_test_inter(comm, &inter));
    nodes[made].inter = inter;
}

/* -- checks */

/* Each rank sends its rank in MPI_COMM_WORLD and the number of the communicator to each it can.
 * The tag is the number of the talk: a rank may be ahead in the next one. */
static void talk(int n)
{
    static int tag;
    MPI_Comm comm = nodes[n].comm;
    int peers, in[2], out[2] = { t_rank, n };
    MPI_Group world, group;
    tag++;
    if (comm == MPI_COMM_NULL)
        return;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    if (nodes[n].inter)
        OK(MPI_Comm_remote_group(comm, &group));
    else
        OK(MPI_Comm_group(comm, &group));
    OK(MPI_Group_size(group, &peers));
    MPI_Request *requests = t_alloc(sizeof *requests * (size_t)peers);
    for (int i = 0; i < peers; i++)
        OK(MPI_Isend(out, 2, MPI_INT, i, tag, comm, &requests[i]));
    for (int i = 0; i < peers; i++) {
        MPI_Status status;
        int from;
        OK(MPI_Recv(in, 2, MPI_INT, MPI_ANY_SOURCE, tag, comm, &status));
        SAME(in[1], n);
        SAME(status.MPI_TAG, tag);
        OK(MPI_Group_translate_ranks(group, 1, &status.MPI_SOURCE, world, &from));
        SAME(in[0], from);
    }
    OK(MPI_Waitall(peers, requests, MPI_STATUSES_IGNORE));
    free(requests);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
}

/* -- makers; each is called by all ranks, and does nothing where the parent is not */

static void make_dup(MPI_Comm parent)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (parent != MPI_COMM_NULL)
        OK(MPI_Comm_dup(parent, &comm));
    keep(comm);
}

/* With a message under way that the wait takes along, and another one made in between. */
static void make_idup(MPI_Comm parent)
{
    MPI_Comm comm = MPI_COMM_NULL, between;
    MPI_Request request = MPI_REQUEST_NULL;
    if (parent != MPI_COMM_NULL)
        OK(MPI_Comm_idup(parent, &comm, &request));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &between));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&between));
    keep(comm);
}

static void make_split(MPI_Comm parent, int colors)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int color = t_rank % colors;
    if (parent != MPI_COMM_NULL)
        OK(MPI_Comm_split(parent, color == 2 ? MPI_UNDEFINED : color, -t_rank, &comm));
    keep(comm);
}

/* Of every second rank (of both sides), the last one first. */
static MPI_Group some_of(MPI_Comm parent)
{
    MPI_Group all, some;
    int range[1][3], size;
    OK(MPI_Comm_group(parent, &all));
    OK(MPI_Group_size(all, &size));
    range[0][0] = size - 1;
    range[0][1] = 0;
    range[0][2] = -2;
    OK(MPI_Group_range_incl(all, 1, range, &some));
    OK(MPI_Group_free(&all));
    return some;
}

static void make_create(MPI_Comm parent, int by_members, int tag)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (parent != MPI_COMM_NULL) {
        MPI_Group some = some_of(parent);
        int rank;
        OK(MPI_Group_rank(some, &rank));
        if (!by_members)
            OK(MPI_Comm_create(parent, some, &comm));
        else if (rank != MPI_UNDEFINED)
            OK(MPI_Comm_create_group(parent, some, tag, &comm));
        if (some != MPI_GROUP_EMPTY)
            OK(MPI_Group_free(&some));
    }
    keep(comm);
}

/* Lower against upper half. */
static void make_bridge(MPI_Comm parent, int tag)
{
    MPI_Comm half, comm = MPI_COMM_NULL;
    int rank, size = 0;
    if (parent != MPI_COMM_NULL)
        OK(MPI_Comm_size(parent, &size));
    if (size > 1) {
        OK(MPI_Comm_rank(parent, &rank));
        int upper = rank >= size / 2;
        OK(MPI_Comm_split(parent, upper, 0, &half));
        OK(MPI_Intercomm_create(half, 0, parent, upper ? 0 : size / 2, tag, &comm));
        OK(MPI_Comm_free(&half));
    }
    keep(comm);
}

static void make_merge(MPI_Comm parent, int inter)
{
    MPI_Comm comm = MPI_COMM_NULL;
    if (parent != MPI_COMM_NULL && inter)
        OK(MPI_Intercomm_merge(parent, 0, &comm));
    keep(comm);
}

/* Whether a communicator is an intercommunicator is not known where it is not: so all ranks keep
 * it by how it was made. */
static void make_one(int kind, int from)
{
    MPI_Comm parent = nodes[from].comm;
    int inter = nodes[from].inter;
    switch (kind) {
    case 0: make_dup(parent); break;
    case 1: make_idup(parent); break;
    case 2: make_split(parent, 2); break;
    case 3: make_split(parent, 3); break;
    case 4: make_create(parent, 0, made); break;
    case 5: make_create(parent, !inter, made); inter = inter && 1; break;
    case 6: inter ? make_merge(parent, 1) : make_bridge(parent, made); inter = !inter; break;
    default: inter ? make_merge(parent, 1) : make_dup(parent); inter = 0;
    }
    nodes[made++].inter = inter;
}

static void tree(void)
{
    made = 0;
    nodes[0].inter = 0;
    keep(MPI_COMM_WORLD);
    made = 1;
    while (made < NODES) {
        int kind = draw(8), from = draw(made);
        make_one(kind, from);
        talk(made - 1);
        talk(draw(made));
    }
    for (int left = NODES - 1; left > 0; left--) {      /* at random, not the root */
        int n = 1 + draw(left);
        struct node last = nodes[left];
        talk(n);
        if (nodes[n].comm != MPI_COMM_NULL)
            OK(MPI_Comm_free(&nodes[n].comm));
        nodes[n] = last;
        for (int i = 1; i < left; i++)
            talk(i);
    }
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    for (int i = 0; i < ROUNDS; i++)
        tree();
    return t_end();
}
