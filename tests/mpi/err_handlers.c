/* Error handlers: return, the program's own, inherited by duplicates
 * and splits, called by hand, asked back. */
#include "t.h"

static int calls, last_code;
static MPI_Comm last_comm;

static void note(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_comm = *comm;
    last_code = *code;
}

static void provoke(MPI_Comm comm)
{
    int value = 0, before = calls, code, class;

    code = MPI_Send(&value, 1, MPI_INT, t_size + 5, 0, comm);
    CHECK(code != MPI_SUCCESS);
    OK(MPI_Error_class(code, &class));
    SAME(class, MPI_ERR_RANK);
    SAME(calls, before + 1);
    CHECK(last_comm == comm);
    SAME(last_code, code);
}

static void own_handler(void)
{
    MPI_Errhandler handler, got;
    MPI_Comm dup, half, sub;
    int before;

    OK(MPI_Comm_create_errhandler(note, &handler));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_set_errhandler(dup, handler));
    OK(MPI_Comm_get_errhandler(dup, &got));
    CHECK(got == handler);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&handler));
    CHECK(handler == MPI_ERRHANDLER_NULL);
    provoke(dup);                               /* lives on as long as the communicator uses it */
    OK(MPI_Comm_dup(dup, &half));
    provoke(half);
    OK(MPI_Comm_split(dup, t_rank % 2, 0, &sub));
    provoke(sub);
    before = calls;
    OK(MPI_Comm_call_errhandler(dup, MPI_ERR_OTHER));
    SAME(calls, before + 1);
    SAME(last_code, MPI_ERR_OTHER);
    OK(MPI_Comm_free(&half));
    OK(MPI_Comm_free(&sub));
    OK(MPI_Comm_free(&dup));
}

static void predefined(void)
{
    MPI_Errhandler got;
    MPI_Comm dup;
    int value = 0;

    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got));
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    OK(MPI_Comm_get_errhandler(dup, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    CLASS(MPI_Send(&value, 1, MPI_INT, t_size, 0, dup), MPI_ERR_RANK);
    CLASS(MPI_Send(&value, 1, MPI_INT, -17, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    OK(MPI_Comm_free(&dup));
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    own_handler();
    predefined();
    return t_end();
}
