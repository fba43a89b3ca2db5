/* The ranks of one machine call something else than those of the others: each rank gets the error,
 * not only those that talk to other machines.  Of two machines the first half of the ranks is on
 * one, with the odd one. */
#include <mpi.h>
#include <stdio.h>

enum { COUNT = 1000 };

static int rank, size;

/* count: of the elements of an all-reduction; 0: a barrier. */
static int call(int count, MPI_Comm comm)
{
    static int from[COUNT], to[COUNT];
    return count ? MPI_Allreduce(from, to, count, MPI_INT, MPI_SUM, comm) : MPI_Barrier(comm);
}

/* All get the same error.  The communicator stays: what was sent on it is under way for ever. */
static void differ(int first, int second)
{
    int class, least, most;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = call(rank < (size + 1) / 2 ? first : second, comm);
    MPI_Error_class(code, &class);
    MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&class, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (least == MPI_SUCCESS || least != most) {
        fprintf(stderr, "rank %d: counts %d and %d: class %d, of all %d to %d\n", rank, first,
                second, class, least, most);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    differ(0, 1);
    differ(1, 0);
    differ(COUNT, 0);
    differ(1, COUNT);
    MPI_Finalize();
    return 0;
}
