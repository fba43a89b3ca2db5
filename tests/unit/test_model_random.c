/* On the model clock nothing but the program decides what happens: many NICs on several threads,
 * random programs of packets, commands, timers and polls, run in parallel, one at a time, and with
 * delays thrown in; and ranks that stand still. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "model/state.h"
#include "modelled.h"

enum { RANKS_MOST = 20 };

struct party {
    struct nic *nic;
    struct nic_job *job;
    unsigned rank, ranks, ends, got;
    uint64_t state, sum;
    bool jitter;
    unsigned char data[LOOP_BYTES];
    struct nic_packet packet;
    int busy;
};

enum { TYPE_HOP = 1, TYPE_END = 2, OP_SEND = 1, OP_TIMER = 2, OP_LATER = 3, HOPS = 6 };

/* Real time that has nothing to do with virtual time. */
static void lose_time(const struct party *p)
{
    static _Atomic unsigned dice;
    if (!p->jitter)
        return;
    unsigned d = atomic_fetch_add(&dice, 7919) % 97;
    if (d < 10)
        sched_yield();
    else if (d == 10)
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
}

static void send_hop(struct party *p, unsigned hops)
{
    uint32_t bytes = loop_below(&p->state, 4) ? loop_below(&p->state, 100)
                     : loop_below(&p->state, NIC_MESSAGE_BYTES_MAX);
    struct nic_tx m = { .type = TYPE_HOP, .match = hops, .data = loop_payload(bytes),
                             .data_bytes = bytes };
    must(nic_send(p->nic, loop_below(&p->state, p->ranks), &m) == 0);
}

static void party_deliver(struct party *p)
{
    const struct nic_packet *q = &p->packet;
    p->got++;
    p->sum = p->sum * 31 + q->time + q->length;
    p->state ^= q->time;
    if (q->type == TYPE_END) {
        p->ends++;
        return;
    }
    must(loop_is_payload(p->data, q->length, q->length));
    lose_time(p);
    if (q->match)
        send_hop(p, (unsigned)q->match - 1);
    switch (loop_below(&p->state, 8)) {
    case 0: nic_timer(p->nic, loop_below(&p->state, 1000000),
                      &(struct nic_command){ .op = OP_TIMER }); break;
    case 1: nic_later(p->nic, &(struct nic_command){ .op = OP_LATER }); break;
    case 2:
        if (p->busy < 5)
            nic_hold_polling(p->nic, 1), p->busy++;
        break;
    }
}

static void party_packet(struct nic *nic, void *context, const struct nic_packet *q)
{
    (void)nic;
    struct party *p = context;
    p->packet = *q;
    memcpy(p->data, q->head, q->head_bytes);
    if (q->length > q->head_bytes)
        nic_receive_body(p->nic, p->data + q->head_bytes, sizeof p->data, p);
    else
        party_deliver(p);
}

static void party_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    must(context == cookie);
    party_deliver(context);
}

static void party_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)nic;
    struct party *p = context;
    lose_time(p);
    p->sum = p->sum * 31 + c->op;
    if (c->op == OP_SEND)
        send_hop(p, c->arg);
}

/* Requests under way: each takes some turns. */
static bool party_advance(struct nic *nic, void *context)
{
    (void)nic;
    struct party *p = context;
    p->sum = p->sum * 31 + 5;
    if (!p->busy || loop_below(&p->state, 3))
        return p->busy;
    p->busy--;
    nic_hold_polling(p->nic, -1);
    return true;
}

static const struct nic_program party_program = { .name = "party", .packet = party_packet,
                                                  .landed = party_landed, .command = party_command,
                                                  .advance = party_advance };

static void call_inside(void *argument)
{
    struct party *p = argument;
    p->sum = p->sum * 31 + p->got;
}

static void one_action(struct party *p)
{
    struct nic *n = p->nic;
    struct nic_wait w = { 0 };
    unsigned got = p->got;

    switch (loop_below(&p->state, 7)) {
    case 0: case 1:
        nic_submit(n, &(struct nic_command){ .op = OP_SEND, .arg = loop_below(&p->state, HOPS) });
        break;
    case 2:
        nic_compute(n, loop_below(&p->state, 3000000));
        break;
    case 3:
        nic_enter(n);
        nic_step(n);
        p->sum = p->sum * 31 + p->got;
        nic_leave(n);
        break;
    case 4:     /* waits for a packet, which it makes sure will come */
        nic_enter(n);
        must(nic_send(n, p->rank, &(struct nic_tx){ .type = TYPE_HOP, .data_bytes = 0 }) == 0);
        while (p->got == got)
            nic_wait_turn(n, &w);
        nic_leave(n);
        break;
    case 5:
        nic_enter(n);
        nic_call(n, call_inside, p);
        nic_leave(n);
        break;
    default:
        p->sum = p->sum * 31 + nic_time(n);
    }
}

static void *party_main(void *argument)
{
    struct party *p = argument;
    struct nic_wait w = { 0 };

    p->nic = loop_nic(p->job, p->rank, NIC_PROGRESS_AUTO, &party_program, p);
    for (unsigned i = 0; i < (LOOP_SANITIZED ? 60u : 200u); i++) {
        lose_time(p);
        one_action(p);
    }
    nic_enter(p->nic);
    for (unsigned r = 0; r < p->ranks; r++)
        must(nic_send(p->nic, r, &(struct nic_tx){ .type = TYPE_END }) == 0);
    while (p->ends < p->ranks)
        nic_wait_turn(p->nic, &w);
    nic_hold_polling(p->nic, -p->busy);
    nic_leave(p->nic);
    lose_time(p);
    nic_close(p->nic);
    return NULL;
}

static struct came run_party_on(unsigned cores, uint64_t seed, unsigned ranks, bool serial,
                                bool jitter, const char *log)
{
    struct nic_job *j = model_job_on(cores, ranks, serial, log);
    must(nic_job_governor(j)->set.groups == (ranks > cores ? cores : 0));
    struct party *p = calloc(ranks, sizeof *p);
    pthread_t thread[RANKS_MOST];
    struct came came = { .sum = 0 };

    must(p);
    for (unsigned r = 0; r < ranks; r++) {
        p[r] = (struct party){ .job = j, .rank = r, .ranks = ranks,
                               .state = seed * 77 + r * 1001 + 1, .jitter = jitter };
        must(pthread_create(&thread[r], NULL, party_main, &p[r]) == 0);
    }
    for (unsigned r = 0; r < ranks; r++) {
        must(pthread_join(thread[r], NULL) == 0);
        came.sum = came.sum * 1000003 + p[r].sum;
    }
    must(nic_job_model_result(j, &came.result));
    nic_job_close(j);
    free(p);
    return came;
}

static struct came run_party(uint64_t seed, unsigned ranks, bool serial, bool jitter,
                             const char *log)
{
    return run_party_on(1, seed, ranks, serial, jitter, log);
}

START_TEST(random_programs)
{
    unsigned rounds = LOOP_SANITIZED ? 4 : 12;

    for (unsigned i = 0; i < rounds; i++) {
        uint64_t seed = 1000 + i;
        unsigned ranks = 1 + (unsigned)(seed * 2654435761u >> 7) % 12;
        printf("seed %lu, %u ranks\n", (unsigned long)seed, ranks);
        struct came parallel = run_party(seed, ranks, false, false, NULL),
            serial = run_party(seed, ranks, true, false, NULL);
        struct came shaken = run_party(seed, ranks, false, true, NULL),
            shaken_serial = run_party(seed, ranks, true, true, NULL);
        must(parallel.result.events > 100);
        expect_same(seed, &parallel, &serial);
        expect_same(seed, &parallel, &shaken);
        expect_same(seed, &parallel, &shaken_serial);
    }
}
END_TEST

static void expect_same_on(unsigned cores, unsigned ranks)
{
    struct came serial = run_party(cores, ranks, true, false, NULL),
        parallel = run_party_on(cores, cores, ranks, false, false, NULL),
        shaken = run_party_on(cores, cores, ranks, false, true, NULL);
    printf("%u ranks on %u cores\n", ranks, cores);
    expect_same(cores, &serial, &parallel);
    expect_same(cores, &serial, &shaken);
}

/* Ranks in groups, each with a core: as many as there may be, also not a power of two of them; one
 * group of more than one; and none, as each has a core. */
START_TEST(groups)
{
    for (unsigned cores = 1; cores <= 4; cores++) {
        expect_same_on(cores, RANKS_MOST - cores % 3);
        expect_same_on(cores, cores + 1);
        expect_same_on(cores, cores);
    }
}
END_TEST

/* Other programs do other things: the hash can tell. */
START_TEST(hashes_differ)
{
    struct came a = run_party(1, 3, false, false, NULL), b = run_party(2, 3, false, false, NULL);

    ck_assert(a.result.hash != b.result.hash);
}
END_TEST

START_TEST(logs)
{
    char name[] = "/tmp/nicemu-log-XXXXXX", line[200];
    unsigned long long last = 0, lines = 0;
    int fd = mkstemp(name);

    must(fd >= 0);
    close(fd);
    struct came without = run_party(5, 4, false, false, NULL),
        with = run_party(5, 4, false, false, name);
    expect_same(5, &without, &with);
    ck_assert_int_eq(nic_model_log_merge(name, 4, 1), 0);
    FILE *f = fopen(name, "r");
    must(f);
    while (fgets(line, sizeof line, f)) {
        unsigned long long time;
        if (*line == '#')
            continue;
        must(sscanf(line, "%llu", &time) == 1 && time >= last);
        last = time;
        lines++;
    }
    fclose(f);
    unlink(name);
    ck_assert_uint_eq(lines, with.result.events);
}
END_TEST

/* Nothing is lost where far more is sent than a ring holds, to a rank that does not look. */
static void *flood_main(void *argument)
{
    struct party *p = argument;
    struct nic_wait w = { 0 };

    p->nic = loop_nic(p->job, p->rank, NIC_PROGRESS_AUTO, &party_program, p);
    nic_enter(p->nic);
    for (unsigned i = 0; i < 5000; i++)
        must(nic_send(p->nic, 1 - p->rank, &(struct nic_tx){ .type = TYPE_HOP }) == 0);
    must(nic_send(p->nic, 1 - p->rank, &(struct nic_tx){ .type = TYPE_END }) == 0);
    while (!p->ends)
        nic_wait_turn(p->nic, &w);
    nic_hold_polling(p->nic, -p->busy);
    nic_leave(p->nic);
    nic_close(p->nic);
    return NULL;
}

START_TEST(full_rings)
{
    struct party *p = calloc(2, sizeof *p);
    struct nic_job *j = model_job(2, false, NULL);
    pthread_t thread[2];

    must(p);
    for (unsigned r = 0; r < 2; r++) {
        p[r] = (struct party){ .job = j, .rank = r, .ranks = 2, .state = r + 1 };
        must(pthread_create(&thread[r], NULL, flood_main, &p[r]) == 0);
    }
    for (unsigned r = 0; r < 2; r++)
        must(pthread_join(thread[r], NULL) == 0);
    ck_assert_uint_eq(p[0].got, 5001);
    ck_assert_uint_eq(p[1].got, 5001);
    nic_job_close(j);
    free(p);
}
END_TEST

/* Who sleeps, since what comes to it is not safe yet, is woken to empty its ring. */
static void *flooded_main(void *argument)
{
    struct party *p = argument;
    nic_enter(p->nic);
    while (!p->ends)
        nic_wait_turn(p->nic, &(struct nic_wait){ 0 });
    nic_hold_polling(p->nic, -p->busy);
    nic_leave(p->nic);
    nic_close(p->nic);
    return NULL;
}

static bool is_asleep(struct nic_job *j, unsigned rank)
{
    struct nic_governor *g = nic_job_governor(j);
    nic_governor_lock(g);
    bool asleep = nic_governor_rank(g, rank)->state == NIC_GOVERNED_ASLEEP;
    nic_governor_unlock(g);
    return asleep;
}

static void flood_sleeper(struct party *p)
{
    while (!is_asleep(p->job, 1))
        sched_yield();
    nic_enter(p->nic);
    for (unsigned i = 0; i < 20000; i++)
        must(nic_send(p->nic, 1, &(struct nic_tx){ .type = TYPE_HOP }) == 0);
    must(nic_send(p->nic, 1, &(struct nic_tx){ .type = TYPE_END }) == 0);
    nic_hold_polling(p->nic, -p->busy);
    nic_leave(p->nic);
    nic_close(p->nic);
}

START_TEST(full_ring_of_a_sleeper)
{
    struct party *p = calloc(2, sizeof *p);
    struct nic_job *j = model_job(2, false, NULL);
    pthread_t thread;

    must(p);
    for (unsigned r = 0; r < 2; r++) {
        p[r] = (struct party){ .job = j, .rank = r, .ranks = 2, .state = r + 1 };
        p[r].nic = loop_nic(j, r, NIC_PROGRESS_AUTO, &party_program, &p[r]);
    }
    must(pthread_create(&thread, NULL, flooded_main, &p[1]) == 0);
    flood_sleeper(&p[0]);
    must(pthread_join(thread, NULL) == 0);
    ck_assert_uint_eq(p[1].got, 20001);
    nic_job_close(j);
    free(p);
}
END_TEST

/* -- standstill, and ranks that never come */

static void *wait_for_ever(void *argument)
{
    struct party *p = argument;
    p->nic = loop_nic(p->job, p->rank, NIC_PROGRESS_AUTO, &party_program, p);
    nic_enter(p->nic);
    for (;;)
        nic_wait_turn(p->nic, &(struct nic_wait){ 0 });
    return NULL;
}

static void stand(void)
{
    static struct party p[3];
    struct nic_job *j = model_job(4, false, NULL);
    pthread_t thread;

    for (unsigned r = 0; r < 3; r++) {
        p[r] = (struct party){ .job = j, .rank = r, .ranks = 4, .state = r + 1 };
        must(pthread_create(&thread, NULL, wait_for_ever, &p[r]) == 0);
    }
    struct party last = { .job = j, .rank = 3, .ranks = 4, .state = 9 };
    last.nic = loop_nic(j, 3, NIC_PROGRESS_AUTO, &party_program, &last);
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    must(!nic_job_stands(j));       /* the last one may still send */
    nic_close(last.nic);
    while (!nic_job_stands(j))
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

START_TEST(standstill)
{
    int status;
    pid_t child = fork();

    if (!child) {
        suite_limit();
        stand();
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child);
    ck_assert_int_eq(status, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model_random");
    TCase *tcase = tcase_create("model_random");

    tcase_add_test(tcase, random_programs);
    tcase_add_test(tcase, groups);
    tcase_add_test(tcase, hashes_differ);
    tcase_add_test(tcase, logs);
    tcase_add_test(tcase, full_rings);
    tcase_add_test(tcase, full_ring_of_a_sleeper);
    tcase_add_test(tcase, standstill);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
