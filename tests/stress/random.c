/* Random traffic: every rank sends messages of 0 bytes to 64 MiB, mostly small, to random ranks;
 * every byte is checked. Receives are posted early or late, blocking or not, probed or not.  All
 * ranks draw the whole plan from one seed, so a failure can be repeated: random.t SEED [ROUNDS]. */
#include "t.h"
#include <time.h>

enum { MESSAGES = 40, LARGEST = 64 << 20, BUDGET = 32 << 20 };

struct message { int from, to, tag, late; size_t bytes; unsigned seed; };

static struct message plan[MESSAGES];
static uint32_t state;

/* Sizes spread over all magnitudes; the budget of a round keeps
 * a small machine from running out of memory. */
static size_t draw_size(size_t *budget)
{
    unsigned magnitude = t_random(&state) % 28;
    size_t bytes = magnitude == 0 ? 0 : t_random(&state) % ((size_t)1 << (magnitude - 1));

    if (bytes > *budget)
        bytes = bytes % 4096;
    *budget -= bytes;
    return bytes;
}

static void draw_plan(void)
{
    size_t budget = BUDGET;

    for (int i = 0; i < MESSAGES; i++) {
        plan[i].from = (int)(t_random(&state) % (unsigned)t_size);
        plan[i].to = (int)(t_random(&state) % (unsigned)t_size);
        plan[i].tag = (int)(t_random(&state) % 3);
        plan[i].late = (int)(t_random(&state) % 3);
        plan[i].bytes = draw_size(&budget);
        plan[i].seed = t_random(&state);
    }
}

/* Once in a while the largest of all, alone with what little else the plan has. */
static void draw_largest(int round)
{
    if (round % 12 == 0)
        plan[t_random(&state) % MESSAGES].bytes = LARGEST;
}

/* Messages of one pair and tag arrive in the order of the plan,
 * so posting in that order says which is which. */
static void post(unsigned char **in, MPI_Request *requests, int late)
{
    for (int i = 0; i < MESSAGES; i++)
        if (plan[i].to == t_rank && !!plan[i].late == late) {
            in[i] = t_alloc(plan[i].bytes);
            OK(MPI_Irecv(in[i], (int)plan[i].bytes, MPI_BYTE, plan[i].from, plan[i].tag + 3 * late,
                         MPI_COMM_WORLD,
                         &requests[i]));
        }
}

static void start_sends(unsigned char **out, MPI_Request *requests)
{
    for (int i = 0; i < MESSAGES; i++) {
        const struct message *m = &plan[i];

        if (m->from != t_rank)
            continue;
        out[i] = t_alloc(m->bytes);
        t_fill(out[i], m->bytes, m->seed);
        if (m->seed % 4 == 0)
            OK(MPI_Issend(out[i], (int)m->bytes, MPI_BYTE, m->to, m->tag + 3 * !!m->late,
                          MPI_COMM_WORLD,
                          &requests[i]));
        else
            OK(MPI_Isend(out[i], (int)m->bytes, MPI_BYTE, m->to, m->tag + 3 * !!m->late,
                         MPI_COMM_WORLD,
                         &requests[i]));
    }
}

static void finish(MPI_Request *requests)
{
    int index, flag = 0;

    if (t_random(&(uint32_t){plan[0].seed + (uint32_t)t_rank}) % 2) {
        do
            OK(MPI_Waitany(MESSAGES, requests, &index, MPI_STATUS_IGNORE));
        while (index != MPI_UNDEFINED);
    } else {
        while (!flag)
            OK(MPI_Testall(MESSAGES, requests, &flag, MPI_STATUSES_IGNORE));
    }
}

static void one_round(int round)
{
    unsigned char *in[MESSAGES] = {NULL}, *out[MESSAGES] = {NULL};
    MPI_Request receives[MESSAGES], sends[MESSAGES];

    for (int i = 0; i < MESSAGES; i++)
        receives[i] = sends[i] = MPI_REQUEST_NULL;
    draw_plan();
    draw_largest(round);
    post(in, receives, 0);
    start_sends(out, sends);
    post(in, receives, 1);
    finish(receives);
    OK(MPI_Waitall(MESSAGES, sends, MPI_STATUSES_IGNORE));
    for (int i = 0; i < MESSAGES; i++) {
        if (in[i])
            DATA(in[i], plan[i].bytes, plan[i].seed);
        free(in[i]);
        free(out[i]);
    }
}

int main(int argc, char **argv)
{
    const char *scale = getenv("TEST_TIMEOUT_SCALE");
    int rounds = scale && atoi(scale) > 1 ? 8 : 24;
    unsigned seed = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : (unsigned)time(NULL);

    t_start(&argc, &argv);
    if (argc > 2)
        rounds = atoi(argv[2]);
    OK(MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD));
    if (t_rank == 0)
        printf("seed %u, %d rounds of %d messages\n", seed, rounds, MESSAGES);
    fflush(stdout);
    state = seed;
    for (int round = 0; round < rounds; round++)
        one_round(round);
    return t_end();
}
