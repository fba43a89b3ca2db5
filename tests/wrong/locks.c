/* A lock that is not given back: by a rank that waits for something else, or that is killed.  A
 * last argument "right": by nobody. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPIX_Lock lock;
static int rank, in, right;

/* What a call with the lock ends with, for those who are left. */
static void say(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, class;
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    fprintf(stderr, "%s: %s: %s\n", what, class == MPI_ERR_PROC_ABORTED ? "aborted" : "else", text);
    fflush(stderr);
}

static void killed(void)
{
    int flag;
    if (rank == 1 && !right)
        abort();
    say("acquire", MPIX_Lock_acquire(lock));
    say("again", MPIX_Lock_acquire(lock));
    say("try", MPIX_Lock_try(lock, &flag));
    _exit(3);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    right = argc > 1 && !strcmp(argv[argc - 1], "right");
    int home = argc > 2 ? atoi(argv[2]) : 0;
    signal(SIGTERM, SIG_IGN);           /* of mpirun, once a rank has died */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(how, "fatal"))
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPIX_Lock_create(MPI_COMM_WORLD, home, &lock);
    if (rank == 1)
        MPIX_Lock_acquire(lock);
    MPI_Barrier(MPI_COMM_WORLD);
    if (right && rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (strcmp(how, "held") && !right)
        killed();
    if (rank == 1)
        MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (right && rank == 1)
        MPIX_Lock_release(lock);
    MPIX_Lock_acquire(lock);
    if (right) {
        MPIX_Lock_release(lock);
        MPIX_Lock_free(&lock);
    }
    MPI_Finalize();
    return 0;
}
