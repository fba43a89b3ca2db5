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

static void on_message(struct nic *nic, void *context, const struct nic_words *m)
{
    (void)nic;
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

/* -- what counting costs: rank 0 puts into rank 1's memory, and counters of both are added to */

enum { COUNTING = 7000 };

struct counting {
    struct nic *nic;
    struct nic_job *job;
    unsigned rank, puts, bytes;
    uint64_t end;                       /* host's time when its counter was there */
    unsigned char buffer[LONGEST];
};

static const struct nic_program no_program = { .name = "none", IDLE_PROGRAM };

static void put_all(struct counting *c, uint64_t area, uint64_t counter)
{
    struct nic_address there = { .rank = 1, .key = NIC_KEY_SCRATCHPAD, .offset = area };
    for (unsigned i = 0; i < c->puts; i++) {
        struct nic_outcome outcome = { 0 };
        struct nic_transfer t = nic_transfer_of(c->buffer, there, c->bytes);
        t.local_counter = t.remote_counter = counter;
        t.local_amount = t.remote_amount = c->bytes;
        must(nic_put(c->nic, &t, &outcome) == 0);
        must(nic_outcome_wait(c->nic, &outcome) == 0);
    }
}

/* Both ranks have the same in their scratchpads, so each knows the other's places. */
static void *counting_main(void *argument)
{
    struct counting *c = argument;
    struct nic_counter_config config = { .bits = 64, .size = (uint64_t)c->puts * c->bytes };
    uint64_t counter;

    c->nic = loop_nic(c->job, c->rank, NIC_PROGRESS_AUTO, &no_program, NULL);
    nic_enter(c->nic);
    uint64_t area = nic_spad_alloc(c->nic, NIC_SPAD_USER, AREA, 64);
    must(area != NIC_SPAD_NONE && nic_counter_create(c->nic, &config, &counter) == 0);
    nic_compute(c->nic, c->rank ? 0 : 1000000);         /* the other one's counter is there */
    if (!c->rank)
        put_all(c, area, counter);
    must(nic_counter_wait(c->nic, counter) == 0);
    c->end = nic_time(c->nic);
    nic_leave(c->nic);
    nic_close(c->nic);
    return NULL;
}

static void count_with(uint64_t price, unsigned puts, unsigned bytes, uint64_t end[2])
{
    struct nic_profile profile = *test_profile();
    struct nic_model_config model = { .profile = &profile };
    struct nic_job_config config = { .ranks = 2, .cores = 1, .model = &model };
    struct nic_job *job = NULL;
    struct counting *c = calloc(2, sizeof *c);
    pthread_t thread[2];

    profile.counter.local = price;
    must(c && nic_job_create(&config, &job) == 0);
    for (unsigned r = 0; r < 2; r++) {
        c[r] = (struct counting){ .job = job, .rank = r, .puts = puts, .bytes = bytes };
        must(pthread_create(&thread[r], NULL, counting_main, &c[r]) == 0);
    }
    for (unsigned r = 0; r < 2; r++) {
        must(pthread_join(thread[r], NULL) == 0);
        end[r] = c[r].end;
    }
    nic_job_close(job);
    free(c);
}

/* Each put costs one addition at its target and one at its initiator, whatever number of packets it
 * takes; so a transfer that is made of several puts costs that for each.  A host sees the count
 * when the handler that adds begins, and what comes behind that handler is later by the addition:
 * the answer of the target, and the next put.  So the last addition is seen by nobody, and rank 1
 * sees neither of the last put's. */
static void expect_counting(unsigned puts, unsigned bytes)
{
    uint64_t free_of_charge[2], end[2];

    count_with(0, puts, bytes, free_of_charge);
    count_with(COUNTING, puts, bytes, end);
    ck_assert_uint_eq(end[0] - free_of_charge[0], (puts * 2 - 1) * COUNTING);
    ck_assert_uint_eq(end[1] - free_of_charge[1], (puts - 1) * 2 * COUNTING);
}

START_TEST(counting_costs)
{
    expect_counting(1, 8);
    expect_counting(1, LONGEST);        /* three packets */
    expect_counting(4, 8);
    expect_counting(3, LONGEST);
}
END_TEST

/* -- what interrupts a host that computes: a peer that asks for service, and no answer */

enum { PUT, GET, MESSAGE, QUEUE, ATOMIC, ASKS };

struct asked {
    struct nic *nic;
    struct nic_job *job;
    unsigned rank, what, came;
    uint64_t interrupts;
};

static int by_host(struct nic *nic, void *context)
{
    (void)context;
    nic_host_runs_handlers(nic, false);
    return 0;
}

static void message_came(struct nic *nic, void *context, const struct nic_words *m)
{
    (void)nic, (void)m;
    ((struct asked *)context)->came++;
}

static const struct nic_program by_host_program = { .name = "by host", IDLE_PROGRAM,
                                                    .attach = by_host,
                                                    .message = message_came };

static void ask(struct asked *a, uint64_t area, uint64_t queue)
{
    struct nic_address there = { .rank = 1, .key = NIC_KEY_SCRATCHPAD, .offset = area };
    struct nic_atomic add = { .target = there, .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64,
                              .counter = NIC_SPAD_NONE };
    struct nic_outcome outcome = { 0 };
    uint64_t word = 0;
    struct nic_transfer t = nic_transfer_of(&word, there, sizeof word);

    add.result = &word;
    switch (a->what) {
    case PUT: must(nic_put(a->nic, &t, &outcome) == 0); break;
    case GET: must(nic_get(a->nic, &t, &outcome) == 0); break;
    case MESSAGE: must(nic_message_send(a->nic, 1, &word, 1) == 0); return;
    case QUEUE: must(nic_queue_send(a->nic, 1, queue, &word, 1) == 0); return;
    default: must(nic_atomic_wait(a->nic, &add) == 0); return;
    }
    must(nic_outcome_wait(a->nic, &outcome) == 0);
}

/* Rank 0 asks, and both compute until all is over; then it says so. */
static void *asked_main(void *argument)
{
    struct asked *a = argument;
    uint64_t queue;

    a->nic = loop_nic(a->job, a->rank, NIC_PROGRESS_AUTO, &by_host_program, a);
    nic_enter(a->nic);
    uint64_t area = nic_spad_alloc(a->nic, NIC_SPAD_USER, AREA, 64);
    must(area != NIC_SPAD_NONE && nic_queue_create(a->nic, 4, &queue) == 0);
    nic_compute(a->nic, 1000000);
    if (!a->rank)
        ask(a, area, queue);
    nic_compute(a->nic, 100000000);
    a->interrupts = a->nic->clock->charged[NIC_COST_INTERRUPT];
    if (!a->rank)
        must(nic_message_send(a->nic, 1, &(uint64_t){ 0 }, 1) == 0);
    while (a->rank && a->came < (a->what == MESSAGE ? 2 : 1))
        nic_wait_turn(a->nic, &(struct nic_wait){ 0 });
    nic_leave(a->nic);
    nic_close(a->nic);
    return NULL;
}

START_TEST(requests_interrupt)
{
    struct nic_profile profile = *test_profile();
    struct nic_model_config model = { .profile = &profile };
    struct nic_job_config config = { .ranks = 2, .cores = 1, .model = &model };
    struct asked a[2];
    pthread_t thread[2];
    struct nic_job *job;

    profile.completion.kind = _i / ASKS ? NIC_COMPLETION_SIGNAL : NIC_COMPLETION_BLOCKING;
    must(nic_job_create(&config, &job) == 0);
    for (unsigned r = 0; r < 2; r++) {
        a[r] = (struct asked){ .job = job, .rank = r, .what = (unsigned)_i % ASKS };
        must(pthread_create(&thread[r], NULL, asked_main, &a[r]) == 0);
    }
    for (unsigned r = 0; r < 2; r++)
        must(pthread_join(thread[r], NULL) == 0);
    ck_assert_uint_eq(a[0].interrupts, 0);
    ck_assert_uint_eq(a[1].interrupts, 1);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model remote");
    TCase *c = tcase_create("random");

    tcase_add_test(c, random_programs);
    tcase_add_test(c, counting_costs);
    tcase_add_loop_test(c, requests_interrupt, 0, 2 * ASKS);
    suite_add_tcase(suite, c);
    return loop_run(suite);
}
