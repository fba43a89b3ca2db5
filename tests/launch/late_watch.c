/* late_watch [sleeps]: two ranks whose threads that sleep on the wire are late when it has come:
 * for longer than the launcher looks before it calls ranks stuck they run without getting anywhere
 * or, with an argument, sleep.  So does a thread that gets no processor. */
#define _GNU_SOURCE
#include <mpi.h>
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LATE_S = 4, TIMES = 4, PAUSE_US = 50 * 1000 };

static _Atomic double until;
static int sleeps;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int is_watch(void)
{
    char name[16] = "";

    prctl(PR_GET_NAME, name);
    return name[0] == 'n' && name[6] == '-' && name[7] == 'w';
}

/* Stands in for that of the C library, in this process. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
    struct timespec limit = { ms / 1000, ms % 1000 * 1000000L };
    int rc = (int)syscall(SYS_ppoll, fds, n, ms < 0 ? NULL : &limit, NULL, 0);

    while (rc > 0 && is_watch() && now() < until)
        if (sleeps)
            usleep(PAUSE_US);
    return rc;
}

/* The other one sleeps in MPI by then. */
static void send_late(int *value, int to)
{
    usleep(PAUSE_US);
    MPI_Send(value, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
}

static void receive(int *value, int from)
{
    MPI_Recv(value, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, value = 0;

    MPI_Init(&argc, &argv);
    sleeps = argc > 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    until = now() + LATE_S;
    for (int i = 0; i < TIMES; i++)
        if (rank == 0) {
            receive(&value, 1);
            send_late(&value, 1);
        } else {
            value++;
            send_late(&value, 0);
            receive(&value, 0);
        }
    until = 0;
    printf("rank %d has %d\n", rank, value);
    MPI_Finalize();
    return 0;
}
