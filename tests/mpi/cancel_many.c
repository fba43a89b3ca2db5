/* Cancelling of 200,000 open sends that their receiver knows of and has not matched, while it is
 * outside of MPI, and has no NIC thread: each wait returns whatever the receiver does.  Then it
 * receives those that were not cancelled, in order, and none of the others. */
#include <signal.h>

#include "t.h"

enum { OPEN = 200000, TAGS = 7, LAST_TAG = TAGS, GO_TAG };

static MPI_Request request[OPEN];
static int value[OPEN];

/* There is no outside on the model clock, which looks through all that has arrived each time; and a
 * sender on another machine has to ask the receiver's NIC, which the host runs here. */
static int is_asked(void) { return t_modelled() || t_apart(); }
static int open_sends(void) { return is_asked() ? 500 : OPEN; }

static int is_kept(int i) { return i % 5 == 2; }

static void sleep_until_cancelled(void)
{
    sigset_t set;
    int number;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    if (is_asked())
        OK(MPI_Recv(NULL, 0, MPI_INT, 0, GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    else
        sigwait(&set, &number);
}

static void wake(int pid)
{
    if (is_asked())
        OK(MPI_Send(NULL, 0, MPI_INT, 1, GO_TAG, MPI_COMM_WORLD));
    else
        CHECK(!kill((pid_t)pid, SIGUSR1));
}

static void cancel(int i)
{
    MPI_Status status;
    int withdrawn;

    OK(MPI_Cancel(&request[i]));
    OK(MPI_Wait(&request[i], &status));
    OK(MPI_Test_cancelled(&status, &withdrawn));
    SAME(withdrawn, 1);
}

/* From both ends to the middle. */
static void cancel_most(int n)
{
    for (int i = 0; i < n / 2; i++) {
        if (!is_kept(i))
            cancel(i);
        if (!is_kept(n - 1 - i))
            cancel(n - 1 - i);
    }
}

static void send_them(int n)
{
    int pid;

    for (int i = 0; i < n; i++) {
        value[i] = i;
        OK(MPI_Issend(&value[i], 1, MPI_INT, 1, i % TAGS, MPI_COMM_WORLD, &request[i]));
    }
    OK(MPI_Send(NULL, 0, MPI_INT, 1, LAST_TAG, MPI_COMM_WORLD));
    OK(MPI_Recv(&pid, 1, MPI_INT, 1, GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    cancel_most(n);
    wake(pid);
    OK(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
}

/* The last one came behind all others: they are here. */
static void receive_them(int n)
{
    int pid = (int)getpid(), got, flag;
    MPI_Status status;

    OK(MPI_Recv(NULL, 0, MPI_INT, 0, LAST_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Send(&pid, 1, MPI_INT, 0, GO_TAG, MPI_COMM_WORLD));
    sleep_until_cancelled();
    for (int i = 0; i < n; i++)
        if (is_kept(i)) {
            OK(MPI_Recv(&got, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            SAME(got, i);
            SAME(status.MPI_TAG, i % TAGS);
        }
    OK(MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    SAME(flag, 0);
}

int main(int argc, char **argv)
{
    sigset_t set;

    setenv("NICEMU_PROGRESS", "host", 1);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    t_start(&argc, &argv);
    if (t_rank == 0 && t_size > 1)
        send_them(open_sends());
    else if (t_rank == 1)
        receive_them(open_sends());
    return t_end_single();
}
