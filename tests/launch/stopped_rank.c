/* stopped_rank credits | collective: each rank is on a machine of its own.  The last one stops in
 * the midst of what it does with the others, who lose it, and go on with each other. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODE = 7, LONG = 8 << 20, SHORTER = 1 << 20 };

static char data[LONG], more[LONG];
static int rank, size;

static void lost(int code, const char *call)
{
    int class;
    MPI_Error_class(code, &class);
    if (class == MPI_ERR_PROC_ABORTED)
        return;
    fprintf(stderr, "rank %d: %s: class %d\n", rank, call, class);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void stop(void)
{
    raise(SIGSTOP);
    for (;;)
        pause();
}

/* Rank 0 and the last are in the midst of a long message, for which that has asked.  Then rank 0
 * sends one to rank 1. */
static void credits(void)
{
    MPI_Request r;
    if (rank == size - 1) {
        MPI_Irecv(data, LONG, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &r);
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        stop();
    }
    if (rank == 0) {
        MPI_Isend(data, LONG, MPI_CHAR, size - 1, 1, MPI_COMM_WORLD, &r);
        MPI_Send(NULL, 0, MPI_CHAR, size - 1, 2, MPI_COMM_WORLD);
        lost(MPI_Wait(&r, MPI_STATUS_IGNORE), "MPI_Wait");
        memset(more, 'x', SHORTER);
        MPI_Send(more, SHORTER, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(more, SHORTER, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (more[0] == 'x' && more[SHORTER - 1] == 'x')
            printf("rank 1 has it\n");
    }
}

/* Around a ring: a rank sends to a neighbour that has given up. */
static void collective(void)
{
    if (rank == size - 1)
        stop();
    lost(MPI_Allreduce(data, more, SHORTER / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
         "MPI_Allreduce");
    printf("rank %d goes on\n", rank);
}

/* Nobody ends the job before all that go on have said so. */
static void end(void)
{
    fflush(stdout);
    for (int r = 1; r < size - 1 && rank == 0; r++)
        MPI_Recv(NULL, 0, MPI_CHAR, r, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, CODE);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 2; i++)         /* all know each other */
        MPI_Alltoall(data, 4, MPI_CHAR, more, 4, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!strcmp(argv[1], "credits"))
        credits();
    else
        collective();
    end();
}
