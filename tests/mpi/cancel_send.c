/* Cancelling a send that nobody has matched: MPI_Wait returns whatever the other rank does, and
 * both ends agree.  A cancelled message never arrives, any other arrives whole.  The sender decides
 * while its receiver is blocked outside of MPI, in a probe, or busy receiving; modes and sizes go
 * both ways, eager and by rendezvous. */
#include <signal.h>
#include <unistd.h>

#include "t.h"

enum { LONGEST = 500000, DATA_TAG = 1, VERDICT_TAG = 2, GO_TAG = 3, FLOOD = 3000,
       FLOOD_BYTES = 600 };
/* again: persistent */
enum mode { STANDARD, READY, SYNCHRONOUS, BUFFERED, STANDARD_AGAIN, SYNCHRONOUS_AGAIN,
            BUFFERED_AGAIN, MODES };

static unsigned char *out, *in;
static pid_t partner_pid;

static int partner(void) { return t_rank ^ 1; }
static int persistent(int mode) { return mode >= STANDARD_AGAIN; }
static int synchronous(int mode) { return mode == SYNCHRONOUS || mode == SYNCHRONOUS_AGAIN; }
static int buffered(int mode) { return mode == BUFFERED || mode == BUFFERED_AGAIN; }

static void begin(int mode, int n, MPI_Request *r)
{
    switch (mode) {
    case STANDARD: OK(MPI_Isend(out, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD, r)); break;
    case READY: OK(MPI_Irsend(out, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD, r)); break;
    case SYNCHRONOUS: OK(MPI_Issend(out, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD,
                                    r)); break;
    case BUFFERED: OK(MPI_Ibsend(out, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD, r)); break;
    case STANDARD_AGAIN: OK(MPI_Send_init(out, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD,
                                          r)); break;
    case SYNCHRONOUS_AGAIN: OK(MPI_Ssend_init(out, n, MPI_BYTE, partner(), DATA_TAG,
                                              MPI_COMM_WORLD, r)); break;
    default: OK(MPI_Bsend_init(out, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD, r)); break;
    }
    if (persistent(mode))
        OK(MPI_Start(r));
}

/* The end of one that MPI_Cancel was called for: whether it was withdrawn. */
static int ended(int mode, MPI_Request *r)
{
    MPI_Status status;
    int withdrawn;

    OK(MPI_Wait(r, &status));
    OK(MPI_Test_cancelled(&status, &withdrawn));
    if (persistent(mode))
        OK(MPI_Request_free(r));
    SAME(*r == MPI_REQUEST_NULL, 1);
    return withdrawn;
}

static int cancel(int mode, MPI_Request *r)
{
    OK(MPI_Cancel(r));
    return ended(mode, r);
}

static int arrived(int tag)
{
    int flag;

    OK(MPI_Iprobe(partner(), tag, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    return flag;
}

static void tell(int verdict)
{
    OK(MPI_Send(&verdict, 1, MPI_INT, partner(), VERDICT_TAG, MPI_COMM_WORLD));
}

static int hear(void)
{
    int verdict;

    OK(MPI_Recv(&verdict, 1, MPI_INT, partner(), VERDICT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return verdict;
}

static void go(void) { OK(MPI_Send(NULL, 0, MPI_INT, partner(), GO_TAG, MPI_COMM_WORLD)); }
static void await_go(void)
{
    OK(MPI_Recv(NULL, 0, MPI_INT, partner(), GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void receive(int n)
{
    memset(in, 0, LONGEST);
    OK(MPI_Recv(in, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    DATA(in, (size_t)n, 4);
}

/* -- nobody looks: the receiver is asleep outside of MPI, until the sender's wait has returned */

/* There is no outside on the model clock: a rank that does not call holds up the time of all. */
static int has_outside(void) { return !t_modelled() && !t_apart(); }

static void sleep_outside(void)
{
    sigset_t set;
    int number;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &number);
}

static void exchange_pids(void)
{
    sigset_t set;
    int mine = (int)getpid(), other;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    OK(MPI_Sendrecv(&mine, 1, MPI_INT, partner(), 4, &other, 1, MPI_INT, partner(), 4,
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    partner_pid = (pid_t)other;
}

static void wake(void)
{
    if (has_outside())
        CHECK(!kill(partner_pid, SIGUSR1));
}

static void alone_sender(int mode, int n)
{
    MPI_Request r;

    await_go();
    begin(mode, n, &r);
    int withdrawn = cancel(mode, &r);
    CHECK(withdrawn || !synchronous(mode));
    CHECK(withdrawn || buffered(mode) || n < LONGEST);
    wake();
    tell(withdrawn);
    OK(MPI_Send(out, 3, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD));
}

/* What is not withdrawn comes first; then the next message with that tag. */
static void alone_receiver(int n)
{
    go();
    if (has_outside())
        sleep_outside();
    if (!hear())
        receive(n);
    receive(3);
    SAME(arrived(DATA_TAG), 0);
}

/* -- matched: what a receive or a matched probe has, goes on */

static void matched_sender(int mode, int n)
{
    MPI_Request r;

    await_go();
    begin(mode, n, &r);
    tell(1);        /* which lies there all the time */
    go();
    await_go();     /* it is matched */
    OK(MPI_Cancel(&r));
    go();
    SAME(ended(mode, &r), 0);
}

static void matched_receiver(int n, int probed)
{
    MPI_Request r = MPI_REQUEST_NULL;
    MPI_Message message = MPI_MESSAGE_NULL;

    if (!probed)
        OK(MPI_Irecv(in, n, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD, &r));
    go();
    await_go();     /* came behind it */
    if (probed)
        OK(MPI_Mprobe(partner(), DATA_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    go();
    await_go();     /* came behind what its sender has asked */
    if (probed)
        OK(MPI_Imrecv(in, n, MPI_BYTE, &message, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    DATA(in, (size_t)n, 4);
    SAME(hear(), 1);
}

/* -- both at once: whichever is first */

static void racing_sender(int mode, int n)
{
    MPI_Request r;

    begin(mode, n, &r);
    tell(cancel(mode, &r));
    await_go();
}

static int take_if_there(int n)
{
    MPI_Message message;
    int taken;

    OK(MPI_Improbe(partner(), DATA_TAG, MPI_COMM_WORLD, &taken, &message, MPI_STATUS_IGNORE));
    if (taken)
        OK(MPI_Mrecv(in, n, MPI_BYTE, &message, MPI_STATUS_IGNORE));
    return taken;
}

/* A message that could not be withdrawn may need the receive
 * to end, so it is taken as soon as it shows. */
static void racing_receiver(int n)
{
    int received = 0;

    while (!received && !arrived(VERDICT_TAG))
        received = take_if_there(n);
    int withdrawn = hear();
    if (!received && !withdrawn)
        received = take_if_there(n);
    SAME(received, !withdrawn);
    SAME(arrived(DATA_TAG), 0);
    if (received)
        DATA(in, (size_t)n, 4);
    go();
}

/* -- a full inbox: what still waits for room is withdrawn, the rest arrives in order */

static void flood_sender(void)
{
    static MPI_Request r[FLOOD];
    static int gone[FLOOD];

    await_go();
    for (int i = 0; i < FLOOD; i++)
        OK(MPI_Isend(out + i, FLOOD_BYTES, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD, &r[i]));
    for (int i = FLOOD; i--;)
        gone[i] = cancel(STANDARD, &r[i]);
    wake();
    OK(MPI_Send(gone, FLOOD, MPI_INT, partner(), VERDICT_TAG, MPI_COMM_WORLD));
}

static void flood_receiver(void)
{
    static int gone[FLOOD];
    MPI_Request verdicts;

    OK(MPI_Irecv(gone, FLOOD, MPI_INT, partner(), VERDICT_TAG, MPI_COMM_WORLD, &verdicts));
    go();
    if (has_outside())
        sleep_outside();
    OK(MPI_Wait(&verdicts, MPI_STATUS_IGNORE));
    for (int i = 0; i < FLOOD; i++)
        if (!gone[i]) {
            OK(MPI_Recv(in, FLOOD_BYTES, MPI_BYTE, partner(), DATA_TAG, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
            CHECK(!memcmp(in, out + i, FLOOD_BYTES));
        }
    SAME(arrived(DATA_TAG), 0);
}

static void one_kind(int mode, int n)
{
    if (t_rank % 2 == 0) {
        alone_sender(mode, n);
        matched_sender(mode, n);
        matched_sender(mode, n);
        racing_sender(mode, n);
    } else {
        alone_receiver(n);
        matched_receiver(n, 0);
        matched_receiver(n, 1);
        racing_receiver(n);
    }
}

/* To oneself there is nobody else to ask. */
static void to_self(int n)
{
    MPI_Request r;
    MPI_Status status;
    int withdrawn, flag;

    for (int sync = 0; sync < 2; sync++) {
        OK((sync ? MPI_Issend : MPI_Isend)(out, n, MPI_BYTE, 0, 1, MPI_COMM_SELF, &r));
        OK(MPI_Cancel(&r));
        OK(MPI_Wait(&r, &status));
        OK(MPI_Test_cancelled(&status, &withdrawn));
        CHECK(withdrawn || (!sync && n < LONGEST));
        if (!withdrawn)
            OK(MPI_Recv(in, n, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        OK(MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        SAME(flag, 0);
    }
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 4, 1000, 10000, 40000, LONGEST};
    static unsigned char buffer[2 * (LONGEST + MPI_BSEND_OVERHEAD)];

    t_start(&argc, &argv);
    out = t_alloc(LONGEST);
    in = t_alloc(LONGEST);
    t_fill(out, LONGEST, 4);
    OK(MPI_Buffer_attach(buffer, (int)sizeof buffer));
    if (partner() < t_size) {
        exchange_pids();
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int mode = 0; mode < MODES; mode++)
                one_kind(mode, sizes[i]);
        if (t_rank % 2 == 0)
            flood_sender();
        else
            flood_receiver();
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        to_self(sizes[i]);
    void *detached;
    int bytes;
    OK(MPI_Buffer_detach(&detached, &bytes));
    free(out);
    free(in);
    return t_end();
}
