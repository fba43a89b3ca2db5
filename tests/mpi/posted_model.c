/* Random receives, wildcards among them, are posted before random messages arrive: each message
 * must go to the first receive in posting order that fits, as a plain list says. */
#include "t.h"

enum { RECEIVES = 60, MESSAGES = 70, TAGS = 4, ROUNDS = 12, MOST = 40000 };

struct receive { int source, tag, message, value[MOST / sizeof(int)]; MPI_Request request; };

static struct receive receives[RECEIVES];
static int tags[MESSAGES], taken[MESSAGES];

static int count_of(int i) { return i % 7 == 3 ? MOST / (int)sizeof(int) : 1 + i % 30; }

/* Draws the same numbers on the sender and the receiver of a round. */
static void draw(uint32_t *state)
{
    for (int i = 0; i < RECEIVES; i++) {
        receives[i].source = t_random(state) % 3 ? 1 : MPI_ANY_SOURCE;
        receives[i].tag = t_random(state) % 3 ? (int)(t_random(state) % TAGS) : MPI_ANY_TAG;
        receives[i].message = -1;
    }
    for (int i = 0; i < MESSAGES; i++)
        tags[i] = (int)(t_random(state) % TAGS);
}

static void predict(void)
{
    for (int m = 0; m < MESSAGES; m++) {
        taken[m] = 0;
        for (int r = 0; r < RECEIVES && !taken[m]; r++)
            if (receives[r].message < 0
                && (receives[r].tag == MPI_ANY_TAG || receives[r].tag == tags[m])) {
                receives[r].message = m;
                taken[m] = 1;
            }
    }
}

static void post(void)
{
    for (int i = 0; i < RECEIVES; i++)
        OK(MPI_Irecv(receives[i].value, MOST, MPI_BYTE,
                     receives[i].source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : t_prev(),
                         receives[i].tag, MPI_COMM_WORLD,
                     &receives[i].request));
}

static void finish_receive(struct receive *r)
{
    MPI_Status status;
    int cancelled, count;

    if (r->message < 0)
        OK(MPI_Cancel(&r->request));
    OK(MPI_Wait(&r->request, &status));
    OK(MPI_Test_cancelled(&status, &cancelled));
    SAME(cancelled, r->message < 0);
    if (cancelled)
        return;
    SAME(r->value[0], r->message);
    SAME(status.MPI_TAG, tags[r->message]);
    SAME(status.MPI_SOURCE, t_prev());
    OK(MPI_Get_count(&status, MPI_INT, &count));
    SAME(count, count_of(r->message));
}

static void receive_rest(void)
{
    static int value[MOST / sizeof(int)];

    for (int m = 0; m < MESSAGES; m++)
        if (!taken[m]) {
            OK(MPI_Recv(value, MOST, MPI_BYTE, t_prev(), MPI_ANY_TAG, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
            SAME(value[0], m);
        }
}

static void one_round(uint32_t *state)
{
    static int out[MESSAGES][MOST / sizeof(int)];
    MPI_Request sends[MESSAGES];

    draw(state);
    predict();
    post();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int m = 0; m < MESSAGES; m++) {
        out[m][0] = m;
        OK(MPI_Isend(out[m], count_of(m), MPI_INT, t_next(), tags[m], MPI_COMM_WORLD, &sends[m]));
    }
    for (int i = 0; i < RECEIVES; i++)
        if (receives[i].message >= 0)
            finish_receive(&receives[i]);
    for (int i = 0; i < RECEIVES; i++)
        if (receives[i].message < 0)
            finish_receive(&receives[i]);
    receive_rest();
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    uint32_t state = 20070;

    t_start(&argc, &argv);
    for (int round = 0; round < ROUNDS; round++)
        one_round(&state);
    return t_end();
}
