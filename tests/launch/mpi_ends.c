/* mpi_ends HOW [FILE]: a job that ends, or does not, in some way that concerns MPI. */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

/* Ways out of a rank that are all in order, one for each rank, and each at a time of its own. */
static int end_late(int order)
{
    usleep(30000 * (useconds_t)order);
    if (rank % 3 == 1)
        _exit(0);
    if (rank % 3 == 2)
        execlp("true", "true", (char *)NULL);
    return 0;
}

static int receive_from(int peer)
{
    int value = 0;

    MPI_Recv(&value, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
}

static void send_to(int peer)
{
    MPI_Send(&rank, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
}

/* Rank 0 says which process it is and comes at once, the others when the file is there. */
static void meet(const char *file)
{
    if (rank == 0) {
        printf("%ld\n", (long)getpid());
        fflush(stdout);
    }
    while (rank && access(file, F_OK))
        usleep(10000);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks make the same mistake when the file is there, and nobody ends them before that. */
static void fail_together(const char *how, const char *file)
{
    signal(SIGTERM, SIG_IGN);
    printf("%ld\n", (long)getpid());
    fflush(stdout);
    while (access(file, F_OK))
        usleep(10000);
    if (strcmp(how, "abort_all") == 0)
        MPI_Abort(MPI_COMM_WORLD, 42);
    send_to(99);
}

/* It is the only one, or there is MPI_Finalize, too. */
static void leave_session(bool only)
{
    MPI_Session session;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    if (only)
        exit(0);
}

/* Between two sessions a child of the rank exits, which is no end of the rank. */
static void leave_session_behind_child(void)
{
    MPI_Session session;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_finalize(&session);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, NULL, 0);
    leave_session(true);
}

/* Which mistakes come back: of a call that may stand before MPI_Init, and behind it with each of
 * the two communicators. */
static int live_with_errors(void)
{
    char text[MPI_MAX_ERROR_STRING];
    bool before = MPI_Error_string(-1, text, &size) != MPI_SUCCESS;

    MPI_Init(NULL, NULL);
    bool world = MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
    bool self = MPI_Send(&rank, 1, MPI_INT, 99, 0, MPI_COMM_SELF) != MPI_SUCCESS;
    printf("%d %d %d\n", before, world, self);
    return MPI_Finalize();
}

/* As programs do that look at codes and say nothing of them. */
static void give_up(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Send(&rank, 1, MPI_INT, size + 7, 0, MPI_COMM_WORLD))
        exit(4);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "finalize", *place = getenv("NICEMU_RANK");

    if (strcmp(how, "live") == 0)
        return live_with_errors();
    if (strcmp(how, "late") == 0 && place && atoi(place) == 0)
        sleep(2);
    if (strcmp(how, "session") == 0 || strcmp(how, "only_session") == 0)
        leave_session(strcmp(how, "only_session") == 0);
    if (strcmp(how, "child_session") == 0)
        leave_session_behind_child();
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "leave") == 0 && rank == 1)
        _exit(0);
    if (strcmp(how, "forget") == 0)
        _exit(0);
    if (strcmp(how, "leave_all") == 0)
        exit(0);
    if (strcmp(how, "give_up") == 0 && rank == 1)
        give_up();
    if (strcmp(how, "abort") == 0 && rank == size / 2)
        MPI_Abort(MPI_COMM_WORLD, argc > 2 ? atoi(argv[2]) : 42);
    if (strcmp(how, "crash") == 0 && rank == 1)
        abort();
    if (strcmp(how, "deadlock") == 0)
        receive_from((rank + 1) % size);
    if (strcmp(how, "meet") == 0 && argc > 2)
        meet(argv[2]);
    if ((strcmp(how, "abort_all") == 0 || strcmp(how, "send_all") == 0) && argc > 2)
        fail_together(how, argv[2]);
    if (strcmp(how, "busy") == 0 && rank == 0)
        sleep(2);
    if (rank > 0)
        receive_from(rank - 1);
    if (rank < size - 1)
        send_to(rank + 1);
    MPI_Finalize();
    if (strcmp(how, "rising") == 0)
        return end_late(rank);
    if (strcmp(how, "falling") == 0)
        return end_late(size - rank);
    return 0;
}
