/* The model clock: what a rank promises the others, and who is awake where there are more ranks
 * than cores. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/engine.h"
#include "model/promise.h"
#include "model/state.h"
#include "modelled.h"

enum { HOST = 5000, LATE = 7000000 };

/* -- what is promised, against sums by hand */

static const struct nic_program idle = { .name = "idle", IDLE_PROGRAM };

static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* By the engine and the wire; by the shortest way of all. */
static uint64_t packet_leaves(void)
{
    const struct nic_profile *p = test_profile();
    uint64_t wire = nic_profile_bytes(p->link.byte, p->protocol.header);
    return p->link.latency + most(p->tx.start, wire);
}

static uint64_t anything_leaves(void)
{
    const struct nic_profile *p = test_profile();
    uint64_t other = least(p->rdma.setup + p->rdma.start, p->store.issue + p->store.latency);
    return least(packet_leaves(), p->link.latency + other);
}

static uint64_t command_crosses(void)
{
    const struct nic_profile *p = test_profile();
    return p->call.command + nic_profile_bytes(p->bus.pio_byte, p->bus.command_bytes)
           + p->bus.latency + nic_profile_bytes(p->bus.byte, p->bus.command_bytes);
}

static struct nic *open_one(struct nic_job **job, bool serial)
{
    *job = model_job(2, serial, NULL);
    struct nic *n = loop_nic(*job, 0, NIC_PROGRESS_AUTO, &idle, NULL);
    nic_enter(n);
    return n;
}

/* As it was opened, but for the events that the test has made up. */
static void close_one(struct nic_job *job, struct nic *n)
{
    while (n->model->events.count)
        nic_event_free(&n->model->events, nic_events_pop(&n->model->events));
    for (unsigned i = 0; i < NIC_RESOURCES; i++)
        n->model->clock.free_at[i] = 0;
    n->model->over = true;
    nic_leave(n);
    nic_close(n);
    nic_job_close(job);
}

START_TEST(host)
{
    struct nic_job *job;
    struct nic *n = open_one(&job, false);
    uint64_t command = HOST + command_crosses();

    ck_assert_uint_eq(nic_model_promise(n, NIC_NEVER), NIC_NEVER);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST + anything_leaves());
    nic_promise(n, NIC_SENDS_PACKETS);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST + packet_leaves());
    nic_promise(n, NIC_SENDS_PACKETS | NIC_SENDS_BY_COMMANDS);
    command += test_profile()->nic.command;
    ck_assert_uint_eq(nic_model_promise(n, HOST), command + packet_leaves());
    n->model->clock.free_at[NIC_RES_TX] = LATE;
    ck_assert_uint_eq(nic_model_promise(n, HOST), LATE + packet_leaves());
    n->model->clock.free_at[NIC_RES_PROCESSOR] = LATE;
    ck_assert_uint_eq(nic_model_promise(n, HOST),
                      LATE + test_profile()->nic.command + packet_leaves());
    nic_promise(n, NIC_SENDS_BY_COMMANDS);
    n->model->clock.free_at[NIC_RES_PROCESSOR] = 0;
    ck_assert_uint_eq(nic_model_promise(n, HOST), command + anything_leaves());
    nic_promise(n, 0);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST + anything_leaves());
    close_one(job, n);
}
END_TEST

/* Two ranks on other hardware, the first of them open. */
static struct nic *open_other(struct nic_job **job, const struct nic_profile *p)
{
    struct nic_model_config model = { .profile = p };
    struct nic_job_config config = { .ranks = 2, .cores = 1, .model = &model };
    must(nic_job_create(&config, job) == 0);
    struct nic *n = loop_nic(*job, 0, NIC_PROGRESS_AUTO, &idle, NULL);
    nic_enter(n);
    nic_promise(n, NIC_SENDS_PACKETS);
    return n;
}

/* Where packets are cut through the first byte may be there before the engine is done; what is
 * turned round in a NIC takes no wire; and a program that promises nothing may send by RDMA. */
START_TEST(shorter_ways)
{
    struct nic_profile p = *test_profile();
    struct nic_job *job;
    p.link.cut_through = 1;
    struct nic *n = open_other(&job, &p);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST + p.link.latency);
    close_one(job, n);
    p = *test_profile();
    p.node.ranks = 2;
    p.node.loop = p.link.latency / 2;
    p.tx.start = 1;
    p.protocol.header = 16;
    n = open_other(&job, &p);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST + p.node.loop + p.tx.start);
    close_one(job, n);
    p = *test_profile();
    p.rdma.setup = 3;
    p.rdma.start = 5;
    p.store.issue = p.store.latency = 7000;
    n = open_other(&job, &p);
    nic_promise(n, 0);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST + p.link.latency + 3 + 5);
    close_one(job, n);
}
END_TEST

/* Under flow control, from a unit and through routers packets leave in other ways: nothing but the
 * lookahead counts. */
START_TEST(other_ways)
{
    struct nic_profile p = *test_profile();
    struct nic_job *job;
    p.flow.streams = _i == 0 ? 2 : 0;
    p.pgas.unit = _i == 1;
    p.link.router = _i == 2 ? 30000 : 0;
    p.link.contention = _i == 2 ? NIC_CONTENTION_SHARED : NIC_CONTENTION_NONE;
    p.link.topology = _i == 2 ? NIC_TOPOLOGY_MESH : NIC_TOPOLOGY_CROSSBAR;
    struct nic *n = open_other(&job, &p);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST + n->model->governor->set.lookahead);
    ck_assert_uint_lt(n->model->governor->set.lookahead, packet_leaves());
    close_one(job, n);
}
END_TEST

START_TEST(one_rank_at_a_time)
{
    struct nic_job *job;
    struct nic *n = open_one(&job, true);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST);
    nic_model_event_at(n, NIC_EVENT_LATER, HOST - 1, NULL);
    ck_assert_uint_eq(nic_model_promise(n, HOST), HOST - 1);
    close_one(job, n);
}
END_TEST

/* The host goes on at the event's time at the earliest; what the event itself leads to is begun by
 * the processor, if it takes it in. */
static uint64_t by_hand(enum nic_event_kind kind, bool told, uint64_t time, uint64_t busy)
{
    const struct nic_profile *p = test_profile();
    uint64_t leaves = packet_leaves(),
        host = most(time + command_crosses(), busy) + p->nic.command + leaves;
    switch (kind) {
    case NIC_EVENT_PACKET: return least(host, most(time, busy) + p->nic.packet + leaves);
    case NIC_EVENT_ADVANCE: return least(host, most(time, busy) + p->nic.advance + leaves);
    case NIC_EVENT_LATER: return told ? host : time + leaves;
    default: return least(host, most(time, busy) + p->nic.command + leaves);
    }
}

START_TEST(events)
{
    static const enum nic_event_kind kinds[] = { NIC_EVENT_PACKET, NIC_EVENT_COMMAND,
                                                 NIC_EVENT_CALL, NIC_EVENT_LATER,
                                                     NIC_EVENT_ADVANCE, NIC_EVENT_TIMER };
    struct nic_job *job;
    struct nic *n = open_one(&job, false);
    uint64_t state = 4321, expected = NIC_NEVER;

    nic_promise(n, NIC_SENDS_PACKETS | NIC_SENDS_BY_COMMANDS);
    n->model->clock.free_at[NIC_RES_PROCESSOR] = _i ? LATE / 2 : 0;
    for (unsigned i = 0; i < 40; i++) {
        enum nic_event_kind kind = kinds[loop_below(&state, 6)];
        uint64_t time = LATE - loop_below(&state, LATE);
        bool told = loop_below(&state, 2);
        nic_model_event_at(n, kind, time, NULL)->told = told;
        expected = least(expected, by_hand(kind, told, time, _i ? LATE / 2 : 0));
        ck_assert_uint_eq(nic_model_promise(n, NIC_NEVER), expected);
    }
    /* of a great many not all are looked at: less may be promised, but not too little */
    for (unsigned i = 0; i < 4000; i++)
        nic_model_event_at(n, NIC_EVENT_ADVANCE, 100 + i, NULL);
    expected = least(expected, by_hand(NIC_EVENT_ADVANCE, false, 100, _i ? LATE / 2 : 0));
    ck_assert_uint_le(nic_model_promise(n, NIC_NEVER), expected);
    ck_assert_uint_gt(nic_model_promise(n, NIC_NEVER), nic_events_least(&n->model->events));
    close_one(job, n);
}
END_TEST

/* -- a promise that is broken */

START_TEST(broken)
{
    struct nic_job *job;
    struct nic *n = open_one(&job, false);
    int status;
    pid_t child = fork();
    must(child >= 0);
    if (!child) {
        n->model->promised = NIC_NEVER;
        nic_send(n, 1, &(struct nic_tx){ .type = 1 });
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child);
    must(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    close_one(job, n);
}
END_TEST

/* -- more ranks than cores */

enum { HOPS = 400 };

struct party { struct nic_job *job; struct nic *nic; unsigned rank, got; };

static _Atomic int done, is_outside;

static void hop(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct party *self = context;
    self->got++;
    if (p->match)
        must(!nic_send(nic, !self->rank, &(struct nic_tx){ .type = 1, .match = p->match - 1 }));
}

static const struct nic_program hopper = { .name = "hopper", .packet = hop, .landed = idle_landed,
                                           .command = idle_command, .advance = idle_advance };

static void begin_to_hop(void *argument)
{
    struct party *p = argument;
    must(!nic_send(p->nic, 1, &(struct nic_tx){ .type = 1, .match = HOPS }));
}

static void *hops(void *argument)
{
    struct party *p = argument;
    struct nic_wait wait = { 0 };
    while (!p->rank && !atomic_load(&is_outside))
        usleep(100);
    nic_enter(p->nic);
    if (!p->rank)
        nic_call(p->nic, begin_to_hop, p);
    while (p->got < HOPS / 2 + p->rank)
        nic_wait_turn(p->nic, &wait);
    nic_leave(p->nic);
    if (!p->rank)
        atomic_store(&done, 1);
    nic_close(p->nic);
    return NULL;
}

/* Far ahead in its own time, it waits for the others outside of any call. */
static void *stays_outside(void *argument)
{
    struct party *p = argument;
    struct nic_governed_rank *own = nic_governor_rank(nic_job_governor(p->job), p->rank);
    nic_enter(p->nic);
    nic_compute(p->nic, UINT64_C(1000000000000));
    nic_leave(p->nic);
    atomic_store(&is_outside, 1);
    while (!atomic_load(&done))
        usleep(100);
    must(atomic_load(&own->excused));
    nic_enter(p->nic);
    must(!atomic_load(&own->excused));
    nic_leave(p->nic);
    nic_close(p->nic);
    return NULL;
}

START_TEST(outside)
{
    void *(*const scripts[])(void *argument) = { hops, hops, stays_outside };
    static struct party p[3];
    pthread_t thread[3];
    struct nic_job *job = model_job(3, false, NULL);
    must(nic_job_governor(job)->set.cores == 1);
    for (unsigned r = 0; r < 3; r++) {
        p[r] = (struct party){ .job = job, .rank = r };
        p[r].nic = loop_nic(job, r, NIC_PROGRESS_AUTO, &hopper, &p[r]);
    }
    for (unsigned r = 0; r < 3; r++)
        must(!pthread_create(&thread[r], NULL, scripts[r], &p[r]));
    for (unsigned r = 0; r < 3; r++)
        must(!pthread_join(thread[r], NULL));
    must(!nic_job_governor(job)->shared->awake[0]);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model_promise");
    TCase *tcase = tcase_create("model_promise");

    tcase_add_test(tcase, host);
    tcase_add_test(tcase, shorter_ways);
    tcase_add_loop_test(tcase, other_ways, 0, 3);
    tcase_add_test(tcase, one_rank_at_a_time);
    tcase_add_loop_test(tcase, events, 0, 2);
    tcase_add_test(tcase, broken);
    tcase_add_test(tcase, outside);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
