/* An intercommunicator of groups of which one is larger than what ranks tell each other in one
 * message: all of the other learn all of it. */
#include <stdbool.h>
#include "t.h"

enum { SMALL = 2 };

/* The first and the last rank of the other group get a message from each of this one. */
static void check(MPI_Comm inter, bool small, int others)
{
    int ends[] = { 0, others - 1 }, rank, value = t_rank, in = -1;
    OK(MPI_Comm_rank(inter, &rank));
    for (int e = 0; e < 2 && small; e++)
        OK(MPI_Send(&value, 1, MPI_INT, ends[e], 1, inter));
    for (int from = 0; from < SMALL && !small && (rank == 0 || t_rank == t_size - SMALL - 1);
         from++) {
        OK(MPI_Recv(&in, 1, MPI_INT, from, 1, inter, MPI_STATUS_IGNORE));
        SAME(in, t_size - SMALL + from);
    }
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group world, group[2];
    MPI_Comm inter;
    t_start(&argc, &argv);
    int border = t_size - SMALL, range[2][1][3] = { { { 0, border - 1, 1 } },
                                                    { { border, t_size - 1, 1 } } };
    bool small = t_rank >= border;
    OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    for (int i = 0; i < 2; i++)
        OK(MPI_Group_range_incl(world, 1, range[i], &group[i]));
    OK(MPI_Intercomm_create_from_groups(group[small], 0, group[!small], 0, "many", MPI_INFO_NULL,
                                        MPI_ERRORS_ARE_FATAL, &inter));
    check(inter, small, small ? border : SMALL);
    OK(MPI_Comm_free(&inter));
    for (int i = 0; i < 2; i++)
        OK(MPI_Group_free(&group[i]));
    OK(MPI_Group_free(&world));
    OK(MPI_Session_finalize(&session));
    return t_end();
}
