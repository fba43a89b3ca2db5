/* MPI_Comm_disconnect waits for the other ranks, and gives the communicator up. */
#include "t.h"

static int deleted;

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

/* What rank 0 has put before it leaves, others find there when they have left. */
static void waits(MPI_Comm comm, MPI_Win win, const int *word, int turn)
{
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; !t_rank && i < t_size; i++)
        OK(MPI_Put(&turn, 1, MPI_INT, i, 0, 1, MPI_INT, win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Comm_disconnect(&comm));
    CHECK(comm == MPI_COMM_NULL);
    OK(MPI_Win_lock(MPI_LOCK_SHARED, t_rank, 0, win));
    SAME(*word, turn);
    OK(MPI_Win_unlock(t_rank, win));
}

static void refused(void)
{
    MPI_Comm world = MPI_COMM_WORLD, null = MPI_COMM_NULL, self = MPI_COMM_SELF;
    OK(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN));
    OK(MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN));
    CLASS(MPI_Comm_disconnect(&world), MPI_ERR_COMM);
    CLASS(MPI_Comm_disconnect(&self), MPI_ERR_COMM);
    CLASS(MPI_Comm_disconnect(&null), MPI_ERR_COMM);
    CLASS(MPI_Comm_disconnect(NULL), MPI_ERR_ARG);
    CLASS(MPI_Comm_get_parent(NULL), MPI_ERR_ARG);
    CHECK(world == MPI_COMM_WORLD && self == MPI_COMM_SELF);
}

int main(int argc, char **argv)
{
    MPI_Comm comm, half, parent = MPI_COMM_WORLD;
    int key, *word;
    MPI_Win win;
    t_start(&argc, &argv);
    OK(MPI_Win_allocate(sizeof *word, sizeof *word, MPI_INFO_NULL, MPI_COMM_WORLD, &word, &win));
    *word = 0;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &key, NULL));
    OK(MPI_Comm_set_attr(comm, key, &comm));
    waits(comm, win, word, 1);
    SAME(deleted, 1);
    OK(MPI_Comm_free_keyval(&key));
    if (t_size > 1) {
        OK(MPI_Comm_split(MPI_COMM_WORLD, t_rank > 0, 0, &half));
        OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !t_rank, 3, &comm));
        waits(comm, win, word, 2);
        OK(MPI_Comm_disconnect(&half));
    }
    OK(MPI_Win_free(&win));
    refused();
    return t_end();
}
