/* A rank that a foreign launcher has started; the argument says what it does.  It prints one line
 * that says who it is, after messages with everybody. */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 1 << 20 };

static int rank, size;

static void fail(const char *what)
{
    fprintf(stderr, "rank %d of %d: %s\n", rank, size, what);
    MPI_Abort(MPI_COMM_WORLD, 99);
}

/* A long message round the ring, and one that all see. */
static void talk(void)
{
    char *out = malloc(LONG), *in = malloc(LONG);
    int one = 1 << rank % 16, all = 0, want = 0;
    memset(out, rank + 1, LONG);
    MPI_Sendrecv(out, LONG, MPI_CHAR, (rank + 1) % size, 0, in, LONG, MPI_CHAR,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < LONG; i++)
        if (in[i] != (char)((rank + size - 1) % size + 1))
            fail("a long message is wrong");
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        want += 1 << r % 16;
    if (all != want)
        fail("a sum is wrong");
    free(in);
    free(out);
}

/* All are on this machine, and know which of the launcher's programs they are. */
static void tell(void)
{
    MPI_Comm near;
    int *appnum, found, close_by;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Comm_size(near, &close_by);
    MPI_Comm_free(&near);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &found);
    printf("rank %d of %d, %d near, program %d\n", rank, size, close_by, found ? *appnum : -1);
}

/* What a rank starts is no rank. */
static void start_helper(const char *self)
{
    char command[4096];
    snprintf(command, sizeof command, "\"%s\" helper", self);
    if (system(command))
        fail("its helper fails");
}

/* Nor does it have the job's memory. */
static void has_memory(void)
{
    char path[32], to[64];
    for (int fd = 3; fd < 100; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(path, to, sizeof to - 1);
        to[n > 0 ? n : 0] = 0;
        if (strstr(to, "nicemu-job"))
            exit(2);
    }
}

/* A child of it that ends ends nothing else. */
static void have_a_child(void)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        exit(0);
    if (waitpid(child, &status, 0) != child || status)
        fail("its child ends otherwise");
}

static void wait_for_ever(int source)
{
    int nothing;
    MPI_Recv(&nothing, 1, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Not all ranks wait for the same. */
static void wait_apart(const char *how)
{
    int nothing = 0;
    if (!strcmp(how, "hang"))
        wait_for_ever(rank);
    if (!strcmp(how, "parts") && (rank == 1 || rank == 4))
        wait_for_ever(0);
    if (!strcmp(how, "disagree") && rank == 2)
        MPI_Bcast(&nothing, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Of the last rank, while the others wait for it. */
static void end_badly(const char *how)
{
    if (!strcmp(how, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(how, "kill"))
        raise(SIGKILL);
    if (!strcmp(how, "leave"))
        exit(0);
    if (!strcmp(how, "five"))
        _exit(5);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    if (!strcmp(how, "helper"))
        has_memory();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(how, "helper"))
        return size == 1 ? MPI_Finalize() : 1;
    talk();
    tell();
    if (!strcmp(how, "helpers"))
        start_helper(argv[0]);
    if (!strcmp(how, "slow") && rank == 0)
        sleep(1);               /* the others look after each other meanwhile */
    if (!strcmp(how, "child"))
        have_a_child();
    wait_apart(how);
    if (!strcmp(how, "leave_all"))
        exit(0);
    if (rank == size - 1)
        end_badly(how);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return !strcmp(how, "code") && rank == 1 ? 9 : 0;
}
