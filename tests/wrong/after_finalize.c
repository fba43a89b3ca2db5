/* after_finalize [HOW] [right]: sends after MPI_Finalize, or after the end of its only session
 * (session); or makes a mistake there, where errors have returned before (returned).  "right": none
 * of it. */
#include <mpi.h>
#include <stdbool.h>
#include <string.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    bool right = !strcmp(argv[argc - 1], "right");
    MPI_Session session;
    int value = 1;

    if (!strcmp(how, "session")) {
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
        MPI_Session_finalize(&session);
    } else {
        MPI_Init(&argc, &argv);
        if (right)
            MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        MPI_Finalize();
    }
    if (!right && !strcmp(how, "returned"))
        MPI_Info_create(NULL);
    else if (!right)
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    return 0;
}
