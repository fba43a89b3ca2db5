/* Messages wait unexpected; random receives and probes must take
 * them in the order in which they were sent. */
#include "t.h"

enum { MESSAGES = 80, TAGS = 5, ROUNDS = 10, MOST = 40000 };

static int tags[MESSAGES], taken[MESSAGES];

static int count_of(int i) { return i % 9 == 4 ? MOST / (int)sizeof(int) : 1 + i % 25; }

/* The first waiting message that fits, as a plain list says. */
static int first_fit(int tag)
{
    for (int m = 0; m < MESSAGES; m++)
        if (!taken[m] && (tag == MPI_ANY_TAG || tags[m] == tag))
            return m;
    return -1;
}

static void check(const MPI_Status *status, int message)
{
    int count;

    SAME(status->MPI_SOURCE, t_prev());
    SAME(status->MPI_TAG, tags[message]);
    OK(MPI_Get_count(status, MPI_INT, &count));
    SAME(count, count_of(message));
}

static void receive_one(int source, int tag, int way)
{
    static int value[MOST / sizeof(int)];
    int message = first_fit(tag);
    MPI_Message handle;
    MPI_Status status;

    if (message < 0)
        return;
    if (way == 1) {
        OK(MPI_Probe(source, tag, MPI_COMM_WORLD, &status));
        check(&status, message);
    }
    if (way == 2) {
        OK(MPI_Mprobe(source, tag, MPI_COMM_WORLD, &handle, &status));
        check(&status, message);
        OK(MPI_Mrecv(value, MOST, MPI_BYTE, &handle, &status));
    } else {
        OK(MPI_Recv(value, MOST, MPI_BYTE, source, tag, MPI_COMM_WORLD, &status));
    }
    check(&status, message);
    SAME(value[0], message);
    taken[message] = 1;
}

static void one_round(uint32_t *state)
{
    static int out[MESSAGES][MOST / sizeof(int)];
    MPI_Request sends[MESSAGES];

    for (int m = 0; m < MESSAGES; m++) {
        tags[m] = (int)(t_random(state) % TAGS);
        taken[m] = 0;
        out[m][0] = m;
        OK(MPI_Isend(out[m], count_of(m), MPI_INT, t_next(), tags[m], MPI_COMM_WORLD, &sends[m]));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    while (first_fit(MPI_ANY_TAG) >= 0) {
        int source = t_random(state) % 2 ? t_prev() : MPI_ANY_SOURCE;
        int tag = t_random(state) % 4 ? (int)(t_random(state) % TAGS) : MPI_ANY_TAG;

        receive_one(source, tag, (int)(t_random(state) % 3));
    }
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    uint32_t state = 1999;

    t_start(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++)
        one_round(&state);
    return t_end();
}
