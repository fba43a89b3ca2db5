/* What the host itself does on the model clock comes behind all that is older, and before all that
 * is younger: rank 1 does something to rank 0's memory early, rank 0's host the same late, or the
 * other way round, and what each finds there tells the order.  No step comes in between that would
 * handle what has arrived. */
#include <pthread.h>

#include "loop.h"
#include "model/state.h"
#include "modelled.h"
#include "nicemu/counter.h"
#include "nicemu/queue.h"

enum { AREA = 4096, LATE = 100 * 1000 * 1000 };      /* ps: long after anything early has arrived */

struct worker {
    struct nic_job *job;
    struct nic *nic;
    unsigned rank, ends;
    bool first;                 /* rank 0's host comes first */
    void (*act)(struct worker *worker);
    uint64_t area, queue, counter, seen;
};

static void on_message(struct nic *nic, void *context, const struct nic_words *m)
{
    (void)nic;
    struct worker *w = context;
    (void)m;
    w->ends++;
}

static const struct nic_program program = { .name = "worker", IDLE_PROGRAM,
                                            .message = on_message };

/* -- what they do: each rank leaves a mark and rank 0 sees what was there before its own */

static void add(struct worker *w)
{
    uint64_t old = 0;
    struct nic_atomic a = { .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64, .operand = 1,
                            .result = &old, .counter = NIC_SPAD_NONE,
                            .target = { 0, NIC_KEY_SCRATCHPAD, w->area } };
    must(nic_atomic_wait(w->nic, &a) == 0);
    w->seen = old;
}

static void get_or_put(struct worker *w)
{
    static uint64_t mark = 1;
    struct nic_outcome outcome = { 0 };
    struct nic_transfer t = nic_transfer_of(w->rank ? &mark : &w->seen,
                                            (struct nic_address){ 0, NIC_KEY_SCRATCHPAD, w->area },
                                                8);
    must((w->rank ? nic_put : nic_get)(w->nic, &t, &outcome) == 0);
    must(nic_outcome_wait(w->nic, &outcome) == 0);
}

/* The host's own word comes last or is written over. */
static void store(struct worker *w)
{
    must(nic_store(w->nic, 0, w->area, w->rank ? 1 : 2, 8) == 0);
    if (!w->rank)
        w->seen = *(uint64_t *)nic_spad_at(w->nic, 0, w->area, 8);
    nic_compute(w->nic, 2 * (uint64_t)LATE);
    nic_step(w->nic);
    if (!w->rank)
        /* rank 1 came last: the host was first */
        w->seen = *(uint64_t *)nic_spad_at(w->nic, 0, w->area, 8) == 1 ? 0 : 1;
}

static void queue(struct worker *w)
{
    uint64_t word = w->rank;
    struct nic_words m;
    if (w->rank)
        must(nic_queue_send(w->nic, 0, w->queue, &word, 1) == 0);
    else
        w->seen = nic_queue_receive(w->nic, w->queue, &m) == 0;
    nic_compute(w->nic, 2 * (uint64_t)LATE);
    nic_step(w->nic);
}

/* The host sets it anew: what was counted before is gone. */
static void count(struct worker *w)
{
    int64_t value = 0;
    if (w->rank)
        must(nic_counter_add(w->nic, 0, w->counter, 1) == 0);
    else
        must(nic_counter_preset(w->nic, w->counter, 100) == 0);
    nic_compute(w->nic, 2 * (uint64_t)LATE);
    nic_step(w->nic);
    if (!w->rank)
        must(nic_counter_read(w->nic, w->counter, &value) == 0);
    w->seen = value == -100;
}

/* -- */

/* The same in both ranks, so that each knows where it is in the other. */
static void make(struct worker *w)
{
    must((w->area = nic_spad_alloc(w->nic, NIC_SPAD_USER, AREA, 64)) != NIC_SPAD_NONE);
    must(nic_counter_create(w->nic, &(struct nic_counter_config){ .bits = 64, .size = 1000 },
                            &w->counter) == 0);
    must(nic_queue_create(w->nic, 4, &w->queue) == 0);
    *(uint64_t *)nic_spad_at(w->nic, w->rank, w->area, 8) = 0;
}

static void *worker_main(void *argument)
{
    struct worker *w = argument;
    uint64_t end = 1;

    nic_enter(w->nic);
    make(w);
    nic_compute(w->nic, (w->rank == 0) == w->first ? 1000000 : LATE);
    w->act(w);
    for (unsigned r = 0; r < 2; r++)
        must(nic_message_send(w->nic, r, &end, 1) == 0);
    while (w->ends < 2)
        nic_wait_turn(w->nic, &(struct nic_wait){ 0 });
    nic_leave(w->nic);
    nic_close(w->nic);          /* else the other one would wait for what it may still send */
    return NULL;
}

static struct nic_model_result run(void (*act)(struct worker *worker), bool first, bool serial,
                                   uint64_t *seen)
{
    struct nic_model_config model = { .profile = test_profile(), .serial = serial };
    struct nic_job_config config = { .ranks = 2, .cores = 1, .model = &model };
    struct worker w[2];
    pthread_t thread[2];
    struct nic_model_result result;
    struct nic_job *job;

    must(nic_job_create(&config, &job) == 0);
    for (unsigned r = 0; r < 2; r++) {
        w[r] = (struct worker){ .job = job, .rank = r, .act = act, .first = first };
        w[r].nic = loop_nic(job, r, NIC_PROGRESS_AUTO, &program, &w[r]);
    }
    for (unsigned r = 0; r < 2; r++)
        must(pthread_create(&thread[r], NULL, worker_main, &w[r]) == 0);
    for (unsigned r = 0; r < 2; r++)
        must(pthread_join(thread[r], NULL) == 0);
    *seen = w[0].seen;
    must(nic_job_model_result(job, &result));
    nic_job_close(job);
    return result;
}

static const struct { const char *name; void (*act)(struct worker *worker); } acts[] = {
    { "atomic", add }, { "transfer", get_or_put }, { "store", store }, { "queue", queue },
    { "counter", count },
};

START_TEST(hosts_and_older_events)
{
    for (unsigned way = 0; way < 2; way++) {
        uint64_t seen, again, serial;
        struct nic_model_result a = run(acts[_i].act, way, false, &seen),
            b = run(acts[_i].act, way, false, &again), c = run(acts[_i].act, way, true, &serial);
        if (seen != !way)
            ck_abort_msg("%s: the host came %s and saw %lu", acts[_i].name, way ? "first" : "last",
                         (unsigned long)seen);
        ck_assert_uint_eq(again, seen);
        ck_assert_uint_eq(serial, seen);
        ck_assert_uint_eq(a.hash, b.hash);
        ck_assert_uint_eq(a.hash, c.hash);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model order");
    TCase *c = tcase_create("order");

    tcase_add_loop_test(c, hosts_and_older_events, 0, (int)(sizeof acts / sizeof *acts));
    suite_add_tcase(suite, c);
    return loop_run(suite);
}
