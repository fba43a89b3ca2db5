/* Remote operations on the model clock: what NICs do for each other takes its place in the order of
 * events, so that all that a random program sees (old values of atomics, what it got, which word it
 * found) is the same in parallel, one rank at a time, and in each run. */
#include <pthread.h>

#include "loop.h"
#include "model/state.h"
#include "modelled.h"

enum { RANKS_MOST = 6, WORDS = 16, AREA = 64 * 1024, LONGEST = 40000 };

struct worker {
    struct nic *nic;
    struct nic_job *job;
    unsigned rank, ranks, ends;
    uint64_t state, sum, counter;
    /* offset in each rank's scratchpad: words, then room for bytes */
    uint64_t area;
    unsigned char buffer[LONGEST];
};

static void see(struct worker *w, uint64_t x)
{
    w->sum = (w->sum ^ x) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static void on_message(void *context, const struct nic_words *m)
{
    struct worker *w = context;
    see(w, m->source * 1000 + m->word[0]);
    w->ends += m->word[0] == 1;
}

static const struct nic_program program = { .name = "worker", IDLE_PROGRAM,
                                            .message = on_message };

static struct nic_address somewhere(struct worker *w, uint64_t offset)
{
    return (struct nic_address){ .rank = loop_below(&w->state, w->ranks),
                                 .key = NIC_KEY_SCRATCHPAD, .offset = w->area + offset };
}

static void atomic(struct worker *w)
{
    uint64_t old = 0;
    struct nic_atomic a = { .op = loop_below(&w->state, 2) ? NIC_ATOMIC_ADD : NIC_ATOMIC_COMPARE,
                            .type = NIC_ATOMIC_UINT64, .operand = loop_below(&w->state, 9),
                            .compare = loop_below(&w->state, 9), .result = &old,
                                .counter = NIC_SPAD_NONE };
    a.target = somewhere(w, 8 * loop_below(&w->state, WORDS));
    must(nic_atomic_wait(w->nic, &a) == 0);
    see(w, old);
}

static void transfer(struct worker *w, bool put)
{
    struct nic_outcome outcome = { 0 };
    uint32_t bytes = loop_below(&w->state, LONGEST);
    struct nic_transfer t = nic_transfer_of(w->buffer, somewhere(w, 8 * WORDS), bytes);

    if (put)
        memset(w->buffer, (int)(w->state & 255), bytes);
    must((put ? nic_put : nic_get)(w->nic, &t, &outcome) == 0);
    must(nic_outcome_wait(w->nic, &outcome) == 0);
    see(w, nic_time(w->nic));
    if (!put && bytes)
        see(w, w->buffer[0] + (unsigned)w->buffer[bytes - 1]);
}

static void one_action(struct worker *w)
{
    uint64_t word = 2;

    switch (loop_below(&w->state, 6)) {
    case 0: case 1: atomic(w); break;
    case 2: transfer(w, true); break;
    case 3: transfer(w, false); break;
    case 4: must(nic_message_send(w->nic, loop_below(&w->state, w->ranks), &word, 1) == 0); break;
    default: nic_compute(w->nic, loop_below(&w->state, 5000000));
    }
    nic_step(w->nic);
    const uint64_t *own = nic_spad_at(w->nic, w->rank, w->area, 8 * WORDS);
    see(w, own[loop_below(&w->state, WORDS)]);
}

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    uint64_t end = 1;

    w->nic = loop_nic(w->job, w->rank, NIC_PROGRESS_AUTO, &program, w);
    nic_enter(w->nic);
    w->area = nic_spad_alloc(w->nic, NIC_SPAD_USER, AREA, 64);
    must(w->area != NIC_SPAD_NONE);
    for (unsigned i = 0; i < 80; i++)
        one_action(w);
    for (unsigned r = 0; r < w->ranks; r++)
        must(nic_message_send(w->nic, r, &end, 1) == 0);
    while (w->ends < w->ranks)
        nic_wait_turn(w->nic, &(struct nic_wait){ 0 });
    nic_spad_free(w->nic, w->area);
    nic_leave(w->nic);
    nic_close(w->nic);
    return NULL;
}

static struct came run(uint64_t seed, unsigned ranks, bool serial)
{
    struct nic_job *job = model_job(ranks, serial, NULL);
    struct worker *w = calloc(ranks, sizeof *w);
    pthread_t thread[RANKS_MOST];
    struct came came = { .sum = 0 };

    must(w);
    for (unsigned r = 0; r < ranks; r++) {
        w[r] = (struct worker){ .job = job, .rank = r, .ranks = ranks,
                                .state = seed * 977 + r * 13 + 1 };
        must(pthread_create(&thread[r], NULL, worker_main, &w[r]) == 0);
    }
    for (unsigned r = 0; r < ranks; r++) {
        must(pthread_join(thread[r], NULL) == 0);
        came.sum = came.sum * 1000003 + w[r].sum;
    }
    must(nic_job_model_result(job, &came.result));
    nic_job_close(job);
    free(w);
    return came;
}

START_TEST(random_programs)
{
    for (uint64_t seed = 1; seed <= (LOOP_SANITIZED ? 3u : 10u); seed++) {
        unsigned ranks = 1 + (unsigned)seed % RANKS_MOST;
        printf("seed %lu, %u ranks\n", (unsigned long)seed, ranks);
        struct came first = run(seed, ranks, false);
        must(first.result.events > 0);
        struct came again = run(seed, ranks, false), serial = run(seed, ranks, true);
        expect_same(seed, &first, &again);
        expect_same(seed, &first, &serial);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model remote");
    TCase *c = tcase_create("random");

    tcase_add_test(c, random_programs);
    suite_add_tcase(suite, c);
    return loop_run(suite);
}
