/* What a communicator takes over from the one that it is
 * made of, and what it may not be made of. */
#include "t.h"

static int raised;

static void note(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    raised++;
}

/* The handler lives as long as the last communicator that has it, though its own handle and its
 * first communicator are gone. */
static void error_handler(void)
{
    MPI_Errhandler handler;
    MPI_Comm first, dup, half;
    OK(MPI_Comm_create_errhandler(note, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &first));
    OK(MPI_Comm_set_errhandler(first, handler));
    OK(MPI_Errhandler_free(&handler));
    OK(MPI_Comm_dup(first, &dup));
    OK(MPI_Comm_split(first, t_rank % 2, 0, &half));
    OK(MPI_Comm_free(&first));
    raised = 0;
    CLASS(MPI_Send(NULL, -1, MPI_INT, 0, 0, dup), MPI_ERR_COUNT);
    OK(MPI_Comm_free(&dup));
    CLASS(MPI_Send(NULL, -1, MPI_INT, 0, 0, half), MPI_ERR_COUNT);
    OK(MPI_Comm_free(&half));
    SAME(raised, 2);
}

static void strangers(void)
{
    static const int twice[] = { 0, 0 };
    MPI_Group all, some;
    MPI_Comm none = MPI_COMM_NULL;
    OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
    if (t_size > 1)
        CLASS(MPI_Comm_create(MPI_COMM_SELF, all, &none), MPI_ERR_GROUP);
    CHECK(none == MPI_COMM_NULL);
    CLASS(MPI_Group_incl(all, 2, twice, &some), MPI_ERR_RANK);
    CLASS(MPI_Group_excl(all, 2, twice, &some), MPI_ERR_RANK);
    OK(MPI_Group_free(&all));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    t_errors_return();
    for (int i = 0; i < 5; i++) {
        error_handler();
        strangers();
    }
    return t_end();
}
