/* Ranks of several machines that look at the wire, leave it to its watch, sleep, or are away. */
#include <errno.h>
#include <pthread.h>

#include "core/baton.h"
#include "machines.h"
#include "nicemu/job.h"
#include "wire/peer.h"
#include "wire/send.h"
#include "wire/state.h"
#include "wire/watch.h"

/* -- a wire on which nothing happens */

/* What the kernel or the watch does late keeps it from rest for a little longer. */
static void settle_at_rest(struct machines *m, const struct nic_wires *w)
{
    do
        machines_settle(m);
    while (w->watch.started && !w->at_rest);
    ck_assert(w->at_rest == w->watch.started);
}

/* Where ranks share cores a wire on which nothing happens is left to the watch: what comes is
 * delivered all the same, and who sends looks again. */
START_TEST(test_at_rest)
{
    struct machines m;
    struct nic_tx t = { .type = 5, .match = 7 };
    setenv("NICEMU_CROWDED", "yes", 1);
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    unsetenv("NICEMU_CROWDED");
    struct nic_wires *w = m.nic[1]->wires;
    for (unsigned round = 1; round <= 20; round++) {
        settle_at_rest(&m, w);
        machines_send(&m, 0, 1, &t);
        ck_assert(!m.nic[0]->wires->at_rest);
        machines_await(&m, 1, round);
        settle_at_rest(&m, w);
        machines_send(&m, 1, 0, &t);
        ck_assert(!w->at_rest);
        machines_await(&m, 0, round);
    }
    machines_close(&m);
}
END_TEST

/* What is delivered last ends the turn: its host may answer before the wire is asked again. */
START_TEST(test_one_look)
{
    struct machines m;
    struct nic_tx t = { .type = 5, .match = 7 };
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    const struct nic_wires *w = m.nic[1]->wires;
    for (unsigned round = 1; round <= 20; round++) {
        uint32_t looks;
        machines_settle(&m);
        machines_send(&m, 0, 1, &t);
        do {
            machines_step(m.nic[0]);
            looks = w->look;
            machines_step(m.nic[1]);
        } while (m.catcher[1]->packets < round);
        ck_assert_uint_eq(m.catcher[1]->packets, round);
        ck_assert_uint_eq(w->look, looks + 1);
    }
    machines_close(&m);
}
END_TEST

static void open_crowded(struct machines *m)
{
    setenv("NICEMU_CROWDED", "yes", 1);
    machines_open(m, 2, 2, NIC_PROGRESS_HOST);
    unsetenv("NICEMU_CROWDED");
    machines_settle(m);
}

/* A launcher that doubts has all of them look, the wire too. */
START_TEST(test_nudged)
{
    struct machines m;
    open_crowded(&m);
    struct nic_wires *w = m.nic[1]->wires;
    settle_at_rest(&m, w);
    for (unsigned round = 0; round < 3; round++) {
        uint32_t looks = w->look;
        machines_step(m.nic[1]);
        ck_assert(!w->watch.started || w->look == looks);
        nic_job_nudge(m.job[1]);
        machines_step(m.nic[1]);
        ck_assert_uint_ne(w->look, looks);
        machines_settle(&m);
    }
    machines_close(&m);
}
END_TEST

/* Who says something without packets looks at the wire again, too: it may have to be said twice. */
START_TEST(test_says)
{
    struct machines m;
    struct nic_tx t = { .type = 5 };
    open_crowded(&m);
    machines_send(&m, 0, 1, &t);
    machines_await(&m, 1, 1);
    struct nic *nic = m.nic[0];
    settle_at_rest(&m, nic->wires);
    nic_enter(nic);
    ck_assert_int_eq(nic_wire_say(nic, nic_wire_peer(nic, 1), NIC_FRAME_PING), 0);
    ck_assert(!nic->wires->at_rest);
    nic_leave(nic);
    machines_settle(&m);
    machines_close(&m);
}
END_TEST

/* What no acknowledgment has come for is under way, for those who ask whether a job stands. */
START_TEST(test_under_way)
{
    struct machines m;
    struct nic_tx t = { .type = 5 };
    struct nic_rank_wire w = { 0 };
    setenv("NICEMU_FAULT", "drop=0%", 1);
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    unsetenv("NICEMU_FAULT");
    atomic_fetch_or(&m.nic[0]->own->attention, NIC_PARKED);
    machines_settle(&m);
    ck_assert_uint_ne(nic_job_standstill(m.job[0]), 0);
    for (unsigned i = 1; i <= 5; i++) {
        machines_send(&m, 0, 1, &t);
        for (unsigned k = 0; k < 100; k++)
            machines_step(m.nic[0]);
        ck_assert(nic_job_rank_wire(m.job[0], 0, &w));
        ck_assert_uint_eq(w.under_way, 1);
        ck_assert_uint_eq(nic_job_standstill(m.job[0]), 0);
        machines_await(&m, 1, i);
        while (nic_job_rank_wire(m.job[0], 0, &w) && w.under_way) {
            machines_step(m.nic[0]);
            machines_step(m.nic[1]);
        }
        ck_assert_uint_eq(w.sent, i);
        ck_assert(nic_job_rank_wire(m.job[1], 1, &w));
        ck_assert_uint_eq(w.came, i);
        ck_assert_uint_ne(nic_job_standstill(m.job[0]), 0);
    }
    /* what is not here is nobody's to tell */
    struct nic_rank_threads threads;
    ck_assert(!nic_job_rank_threads(m.job[0], 1, &threads));
    ck_assert(!nic_job_rank_wire(m.job[0], 1, &w));
    atomic_fetch_and(&m.nic[0]->own->attention, ~(uint32_t)NIC_PARKED);
    machines_close(&m);
}
END_TEST

/* A watch that is armed says nothing of what was taken in its place: what the wire has to do
 * meanwhile keeps a rank awake. */
static bool may_not_sleep(struct nic_wire *w)
{
    (void)w;
    return false;
}

START_TEST(test_armed_before)
{
    struct machines m;
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    struct nic_wires *w = m.nic[0]->wires;
    if (w->watch.started) {
        do
            machines_settle(&m);
        while (nic_wire_arm(m.nic[0]) != NIC_WILL_RING);
        struct nic_wire_ops busy = *w->ops;
        const struct nic_wire_ops *before = w->ops;
        busy.may_sleep = may_not_sleep;
        w->ops = &busy;
        ck_assert_int_eq(nic_wire_arm(m.nic[0]), NIC_HAS_COME);
        w->ops = before;
        while (nic_wire_arm(m.nic[0]) != NIC_WILL_RING)
            machines_settle(&m);
    }
    machines_close(&m);
}
END_TEST

/* Signals that a thread of this process keeps from itself, number 1 in the lowest bit. */
static unsigned long long blocked_by(int thread)
{
    char path[64], line[256];
    unsigned long long blocked = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/status", thread);
    FILE *f = fopen(path, "r");
    must(f);
    while (fgets(line, sizeof line, f) && sscanf(line, "SigBlk: %llx", &blocked) != 1)
        ;
    fclose(f);
    return blocked;
}

/* Signals are the program's: the watch takes none, and who starts it gets those that it got. */
START_TEST(test_signals)
{
    struct machines m;
    struct nic_rank_threads threads = { .watch = 0 };
    sigset_t none, before, after;
    sigemptyset(&none);
    must(!pthread_sigmask(SIG_SETMASK, &none, &before));
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    must(!pthread_sigmask(SIG_SETMASK, &before, &after));
    for (int s = 1; s < SIGRTMAX; s++)
        must(sigismember(&after, s) <= 0);
    if (m.nic[0]->wires->watch.started) {
        while (!threads.watch)
            must(nic_job_rank_threads(m.job[0], 0, &threads));
        const unsigned long long blocked = blocked_by(threads.watch);
        for (int s = 1; s < 32; s++)
            must(s == SIGKILL || s == SIGSTOP || blocked >> (s - 1) & 1);
    }
    machines_close(&m);
}
END_TEST

/* With a core for each the host looks itself, always. */
START_TEST(test_never_at_rest)
{
    struct machines m;
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    machines_settle(&m);
    ck_assert(!m.nic[0]->wires->at_rest && !m.nic[1]->wires->at_rest);
    machines_close(&m);
}
END_TEST

/* -- asleep */

struct sleeper { struct machines *all; unsigned rank; };

static bool has_packet(void *context) { return ((struct catcher *)context)->packets > 0; }

static void *sleep_until_packet(void *context)
{
    struct sleeper *s = context;
    struct nic *nic = s->all->nic[s->rank];
    struct catcher *c = s->all->catcher[s->rank];
    struct nic_wait w = { .ready = has_packet, .argument = c };
    nic_enter(nic);
    while (!c->packets)
        nic_wait_turn(nic, &w);
    nic_leave(nic);
    return NULL;
}

/* A host that sleeps is woken by what comes over the wire. */
START_TEST(test_woken)
{
    struct machines m;
    struct nic_tx t = { .type = 1, .data = loop_payload(1), .data_bytes = 100 };
    machines_open(&m, 2, 2, NIC_PROGRESS_AUTO);
    for (unsigned i = 0; i < 3; i++) {
        struct sleeper s = { &m, i % 2 };
        pthread_t thread;
        m.catcher[s.rank]->packets = 0;
        must(!pthread_create(&thread, NULL, sleep_until_packet, &s));
        while (!(atomic_load(&m.nic[s.rank]->own->attention) & NIC_PARKED))
            usleep(1000);
        usleep(5000);
        must(loop_send(m.nic[!s.rank], s.rank, &t) == 0);
        pthread_join(thread, NULL);
    }
    machines_close(&m);
}
END_TEST

/* One host of a rank sleeps, and another one takes the packet before the watch has seen it. */
START_TEST(test_taken_by_another)
{
    struct machines m;
    struct nic_tx t = { .type = 1, .data = loop_payload(1), .data_bytes = 100 };
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    struct sleeper s = { &m, 1 };
    struct nic *nic = m.nic[1];
    struct nic_wait w = { .most_ns = 1000 * 1000 };
    pthread_t thread;
    machines_send(&m, 0, 1, &t);
    machines_await(&m, 1, 1);
    machines_settle(&m);
    m.catcher[1]->packets = 0;
    nic_enter(nic);
    nic_share(nic);
    nic_leave(nic);
    must(!pthread_create(&thread, NULL, sleep_until_packet, &s));
    while (!(atomic_load(&nic->own->attention) & NIC_PARKED))
        usleep(1000);
    usleep(5000);
    atomic_store(&nic->wires->watch.armed, 0);
    must(loop_send(m.nic[0], 1, &t) == 0);
    for (unsigned i = 0; i < 20; i++) {
        machines_step(m.nic[0]);
        usleep(1000);
    }
    nic_enter(nic);
    while (!m.catcher[1]->packets)
        nic_wait_turn(nic, &w);
    nic_baton_give(nic);
    pthread_join(thread, NULL);
    nic_enter(nic);
    nic_leave(nic);
    machines_close(&m);
}
END_TEST

/* -- a wire that refuses, and who else wants the processor */

static struct {
    const struct nic_wire_ops *behind;
    struct nic_wire_ops ops;
    _Atomic bool closed;
} gate;

static int gate_send(struct nic_wire *w, uint64_t peer, struct nic_wire_frame *f)
{
    return atomic_load(&gate.closed) ? -EAGAIN : gate.behind->send(w, peer, f);
}

/* Rank 0 of two machines has sent a packet that waits before the gate, and its host has gone. */
static void wait_at_gate(struct machines *m)
{
    struct nic_tx t = { .type = 1, .data = loop_payload(1), .data_bytes = 100 };
    setenv("NICEMU_WIRE_PATIENCE", "600000", 1);    /* the gate may be closed for long */
    machines_open(m, 2, 2, NIC_PROGRESS_AUTO);
    unsetenv("NICEMU_WIRE_PATIENCE");
    struct nic_wires *w = m->nic[0]->wires;
    gate.behind = w->ops;
    gate.ops = *w->ops;
    gate.ops.send = gate_send;
    w->ops = &gate.ops;
    atomic_store(&gate.closed, true);
    must(loop_send(m->nic[0], 1, &t) == 0);
}

static void has_passed_gate(struct machines *m)
{
    struct sleeper s = { m, 1 };
    sleep_until_packet(&s);
    machines_close(m);
}

static uint64_t thread_sleeps(struct nic *n)
{
    return __atomic_load_n(&n->stats.value[NIC_STAT_thread_sleeps], __ATOMIC_RELAXED);
}

/* Somebody else may have to run until there is room: the thread that tries again sleeps between. */
START_TEST(test_refused)
{
    struct machines m;
    wait_at_gate(&m);
    while (thread_sleeps(m.nic[0]) < 5)
        usleep(1000);
    atomic_store(&gate.closed, false);
    has_passed_gate(&m);
}
END_TEST

/* Nobody rings for what the wire has refused. */
START_TEST(test_armed_when_refused)
{
    struct machines m;
    wait_at_gate(&m);
    nic_enter(m.nic[0]);
    ck_assert_int_eq(nic_wire_arm(m.nic[0]), NIC_NEVER_RINGS);
    nic_leave(m.nic[0]);
    atomic_store(&gate.closed, false);
    has_passed_gate(&m);
}
END_TEST

/* A thread that has work leaves it to a host that is about to have the baton, and sleeps until that
 * has gone: else the host might find it inside each time that it looks. */
START_TEST(test_host_enters)
{
    struct machines m;
    wait_at_gate(&m);
    struct nic *nic = m.nic[0];
    atomic_fetch_add(&nic->host_wants, 1);
    uint64_t sleeps = 0;
    for (unsigned same = 0; same < 20; usleep(1000)) {
        bool asleep = atomic_load(&nic->thread_asleep) && thread_sleeps(nic) == sleeps;
        same = asleep ? same + 1 : 0;
        sleeps = thread_sleeps(nic);
    }
    atomic_fetch_sub(&nic->host_wants, 1);
    atomic_store(&gate.closed, false);
    nic_enter(nic);
    nic_leave(nic);
    has_passed_gate(&m);
}
END_TEST

/* -- away */

/* A host that is away: its NIC's thread answers. */
START_TEST(test_away)
{
    struct machines m;
    struct nic_outcome outcome = { .done = NULL };
    uint64_t old = 1;
    machines_open(&m, 2, 2, NIC_PROGRESS_AUTO);
    nic_enter(m.nic[1]);
    uint64_t word = nic_spad_take(m.nic[1], 8, 8);
    nic_leave(m.nic[1]);
    struct nic_atomic add = { .target = { 1, NIC_KEY_SCRATCHPAD, word }, .op = NIC_ATOMIC_ADD,
                              .type = NIC_ATOMIC_UINT64, .operand = 5, .result = &old,
                              .counter = NIC_SPAD_NONE };
    for (unsigned i = 0; i < 20; i++) {
        nic_enter(m.nic[0]);
        must(nic_atomic(m.nic[0], &add, &outcome) == 0);
        must(nic_outcome_wait(m.nic[0], &outcome) == 0);
        nic_leave(m.nic[0]);
        must(old == 5 * i);
        usleep(i * 200);
    }
    machines_close(&m);
}
END_TEST

/* A rank that gets no processor for longer than a good-bye takes: all that was sent to it arrives,
 * though its sender is through with everything else. */
START_TEST(test_reads_late)
{
    enum { LATE_MS = 2500, BYTES = NIC_WIRE_LONG };
    static const unsigned char data[BYTES];
    struct machines m;
    struct nic_tx t = { .type = 5, .data = data, .data_bytes = BYTES };
    unsigned long sent = 0;
    setenv("NICEMU_FAULT", "drop=0%", 1);
    setenv("NICEMU_WIRE_PATIENCE", "600000", 1);
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    unsetenv("NICEMU_FAULT");
    unsetenv("NICEMU_WIRE_PATIENCE");
    while (loop_send(m.nic[0], 1, &t) == 0)
        sent++;
    ck_assert_uint_gt(sent, NIC_WIRE_IN_FLIGHT);
    machines_close_in_turn(&m, sent, LATE_MS * 1000);
}
END_TEST

int main(void)
{
    if (!machines_possible())
        return 77;
    Suite *s = suite_create("wire_sleep");
    TCase *t = tcase_create("wire_sleep");
    tcase_add_test(t, test_at_rest);
    tcase_add_test(t, test_one_look);
    tcase_add_test(t, test_nudged);
    tcase_add_test(t, test_says);
    tcase_add_test(t, test_under_way);
    tcase_add_test(t, test_never_at_rest);
    tcase_add_test(t, test_armed_before);
    tcase_add_test(t, test_signals);
    tcase_add_test(t, test_woken);
    tcase_add_test(t, test_taken_by_another);
    tcase_add_test(t, test_refused);
    tcase_add_test(t, test_armed_when_refused);
    tcase_add_test(t, test_host_enters);
    tcase_add_test(t, test_away);
    tcase_add_test(t, test_reads_late);
    suite_add_tcase(s, t);
    return loop_run(s);
}
