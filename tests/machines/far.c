/* Long messages between machines, which the wire reads from buffer to buffer where it can: lengths
 * around where that begins and around its pieces, more of them than it reads at a time, receives
 * that are too short, early and late ones, gaps, cancelled sends; and with an argument, a rank that
 * dies in the midst of them ("die"), or only messages of which none is long ("short"). */
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    SHORT = 16 * 1024, EAGER = 64 * 1024, PIECE = 512 * 1024, MANY = 40, LONG = 1 << 20,
};

static int rank, size;

static void check(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "rank %d of %d: wrong: %s\n", rank, size, what);
    MPI_Abort(MPI_COMM_WORLD, 99);
}

static unsigned char at(size_t i, int seed)
{
    return (unsigned char)(i * 7 + i / 251 + (size_t)seed);
}

static void fill(unsigned char *data, size_t bytes, int seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = at(i, seed);
}

static int holds(const unsigned char *data, size_t bytes, int seed)
{
    size_t i = 0;
    while (i < bytes && data[i] == at(i, seed))
        i++;
    return i == bytes;
}

/* Rank 0 sends; odd: from and to places that are aligned to nothing.  late: the receive comes
 * behind the message. */
static void one(size_t bytes, size_t room, int odd, int late)
{
    unsigned char *data = malloc((bytes > room ? bytes : room) + 2);
    MPI_Status status;
    int count, code;
    if (rank == 0) {
        fill(data + odd, bytes, odd + late);
        MPI_Send(data + odd, (int)bytes, MPI_BYTE, size - 1, 1, MPI_COMM_WORLD);
    } else {
        memset(data, 0xee, room + 2);
        if (late)
            usleep(20000);
        code = MPI_Recv(data + odd, (int)room, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        size_t came = bytes < room ? bytes : room;
        check((size_t)count == came && holds(data + odd, came, odd + late), "what came");
        check(data[odd + room] == 0xee, "a byte behind the receive");
        if (code)
            MPI_Error_class(code, &code);
        check(code == (bytes > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "the result");
    }
    free(data);
}

static void lengths(void)
{
    static const size_t some[] = { SHORT / 2 + 1, SHORT, SHORT + 1, 17000, 2 * SHORT, 3 * SHORT,
                                   EAGER - 1, EAGER, EAGER + 1, 2 * EAGER, PIECE - 1,
                                   PIECE, PIECE + 1, 4 * PIECE, 6 * PIECE + 13, 20 * PIECE };
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++)
        for (int k = 0; k < 4; k++) {
            one(some[i], some[i], k & 1, k >> 1);
            one(some[i], some[i] - (k & 1 ? 1 : some[i] / 2), k & 1, k >> 1);
            one(some[i], k & 1 ? 0 : 100, 0, k >> 1);
        }
}

/* The longest that need not be asked for, in all modes of sending. */
static void all_short(void)
{
    static const size_t some[] = { EAGER, 3 * SHORT + 5, SHORT + 1, SHORT, SHORT / 2 + 1 };
    static unsigned char data[EAGER];
    MPI_Request request;
    for (int i = 0; i < 30; i++) {
        size_t bytes = some[i / 6];
        fill(data, rank ? 0 : bytes, i);
        if (rank)
            MPI_Recv(data, EAGER, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (i % 3 == 0)
            MPI_Send(data, (int)bytes, MPI_BYTE, size - 1, 6, MPI_COMM_WORLD);
        else if (i % 3 == 1)
            MPI_Ssend(data, (int)bytes, MPI_BYTE, size - 1, 6, MPI_COMM_WORLD);
        else
            MPI_Isend(data, (int)bytes, MPI_BYTE, size - 1, 6, MPI_COMM_WORLD, &request);
        if (!rank && i % 3 == 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(!rank || holds(data, bytes, i), "a short one");
    }
}

/* Both ways at a time, received in another order than sent. */
static void many(void)
{
    unsigned char *out = malloc((size_t)MANY * LONG), *in = malloc((size_t)MANY * LONG);
    MPI_Request request[2 * MANY];
    int other = size - 1 - rank;
    for (int i = 0; i < MANY; i++) {
        fill(out + (size_t)i * LONG, LONG, rank + 3 * i);
        MPI_Isend(out + (size_t)i * LONG, LONG, MPI_BYTE, other, i, MPI_COMM_WORLD, &request[i]);
    }
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(in + (size_t)(MANY - 1 - i) * LONG, LONG, MPI_BYTE, other, MANY - 1 - i,
                  MPI_COMM_WORLD, &request[MANY + i]);
    MPI_Waitall(2 * MANY, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++)
        check(holds(in + (size_t)i * LONG, LONG, other + 3 * i), "one of many");
    free(out);
    free(in);
}

/* Every second int on one side, both, or the other. */
static void gaps(void)
{
    enum { INTS = 300000 };
    static int data[2 * INTS];
    MPI_Datatype every_second;
    MPI_Type_vector(INTS, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    for (int k = 1; k < 4; k++) {
        int mine = rank == 0 ? k & 1 : k >> 1;
        for (int i = 0; i < 2 * INTS; i++)
            data[i] = rank == 0 ? (mine ? i / 2 : i) + k : -1;
        if (rank == 0)
            MPI_Send(data, mine ? 1 : INTS, mine ? every_second : MPI_INT, size - 1, k,
                     MPI_COMM_WORLD);
        else
            MPI_Recv(data, mine ? 1 : INTS, mine ? every_second : MPI_INT, 0, k, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < INTS && rank; i++)
            check(data[mine ? 2 * i : i] == i + k && (!mine || data[2 * i + 1] == -1), "gaps");
    }
    MPI_Type_free(&every_second);
}

/* What has been offered and never is received. */
static void cancelled(void)
{
    static unsigned char data[LONG];
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;
    int gone, flag;
    for (int turn = 0; turn < 20; turn++) {
        if (rank == 0) {
            MPI_Isend(data, LONG, MPI_BYTE, size - 1, 2, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &gone);
            check(gone, "a cancelled send");
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank) {
            MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            check(!flag, "what is cancelled is gone");
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        fill(data, LONG, 5);
        MPI_Ssend(data, LONG, MPI_BYTE, size - 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(data, LONG, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        check(holds(data, LONG, 5), "what a probe found");
    }
}

static void leave(int signal)
{
    (void)signal;
    _exit(5);
}

/* Whether the other rank is lost: what has come before is right. */
static bool is_loss(int code)
{
    int class;
    MPI_Error_class(code, &class);
    check(!code || class == MPI_ERR_PROC_ABORTED, "the loss");
    return code != 0;
}

/* The last rank dies while both read from each other, however long that takes. */
static void die(void)
{
    enum { HUGE_BYTES = 1 << 28 };
    unsigned char *in = malloc(HUGE_BYTES), *out = calloc(1, HUGE_BYTES);
    struct itimerval soon = { .it_value.tv_usec = 30000 };
    MPI_Request request[2];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    signal(SIGALRM, leave);
    if (rank)
        setitimer(ITIMER_REAL, &soon, NULL);
    for (bool lost = false; !lost;) {
        int other = size - 1 - rank;
        lost |= is_loss(MPI_Irecv(in, HUGE_BYTES, MPI_BYTE, other, 1, MPI_COMM_WORLD,
                                  &request[0]));
        lost |= is_loss(MPI_Isend(out, HUGE_BYTES, MPI_BYTE, other, 1, MPI_COMM_WORLD,
                                  &request[1]));
        for (int i = 0; i < 2; i++)
            lost |= is_loss(MPI_Wait(&request[i], MPI_STATUS_IGNORE));
    }
    printf("rank %d goes on\n", rank);
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    signal(SIGUSR1, SIG_IGN);           /* Hydra tells of a death so, of one in `die` too */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 1 && !strcmp(argv[1], "short")) {
        all_short();
        MPI_Finalize();
        return 0;
    }
    lengths();
    many();
    gaps();
    cancelled();
    if (argc > 1 && !strcmp(argv[1], "die"))
        die();
    MPI_Finalize();
    return 0;
}
