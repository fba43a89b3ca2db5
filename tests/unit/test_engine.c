/* The engine: who steps a NIC and when; commands, service while the host is away, sleeping and waking, packets that make no sense. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include "engine.h"
#include "loop.h"

/* Each test for each way of progress, with membarrier and without. */
static const struct { enum nic_progress progress; bool fenced; } modes[] = {
    { NIC_PROGRESS_HOST, false }, { NIC_PROGRESS_AUTO, false }, { NIC_PROGRESS_THREAD, false },
    { NIC_PROGRESS_HOST, true }, { NIC_PROGRESS_AUTO, true }, { NIC_PROGRESS_THREAD, true },
};
enum { MODES = sizeof modes / sizeof *modes };

static void set_mode(int mode)
{
    if (modes[mode].fenced)
        setenv("NICEMU_MEMBARRIER", "off", 1);
    else
        unsetenv("NICEMU_MEMBARRIER");
}

/* -- a control program that counts; `inside` shows a second handler at the same time, the plain counters lost updates */

enum { THREADS = 4, CHANNELS = 4 };

struct counter {
    struct nic *nic;
    _Atomic int inside;
    unsigned long packets, advances;
    unsigned next[THREADS];                 /* command expected of each thread */
    unsigned long commands;
    int to_do;                              /* turns of work under way */
    _Atomic unsigned long handled;          /* as packets, for threads without the baton */
    _Atomic unsigned long worked;
    unsigned long channel[CHANNELS];        /* packets by match bits */
};

static void come_in(struct counter *c) { must(!atomic_fetch_add(&c->inside, 1)); }
static void go_out(struct counter *c) { atomic_fetch_sub(&c->inside, 1); }

static void count_packet(void *context, const struct nic_packet *p)
{
    struct counter *c = context;

    come_in(c);
    c->packets++;
    c->channel[p->match % CHANNELS]++;
    atomic_fetch_add(&c->handled, 1);
    go_out(c);
}

static void count_landed(void *context, void *cookie) { (void)context, (void)cookie; }

static void count_command(void *context, const struct nic_command *command)
{
    struct counter *c = context;

    come_in(c);
    must(command->op < THREADS);
    must(command->arg == c->next[command->op]);
    must(command->object == (void *)&c->next[command->op]);
    c->next[command->op]++;
    c->commands++;
    go_out(c);
}

static bool count_advance(void *context)
{
    struct counter *c = context;

    come_in(c);
    c->advances++;
    if (c->to_do && !--c->to_do)
        nic_active(c->nic, -1);
    atomic_fetch_add(&c->worked, 1);
    go_out(c);
    return true;
}

static const struct nic_program counting = { .name = "counter", .packet = count_packet, .landed = count_landed, .command = count_command,
                                             .advance = count_advance };

/* Rank 0 sends, rank 1 is looked at. */
static struct nic_job *job;
static struct counter sender, looked_at;

static void open_both(int mode)
{
    set_mode(mode);
    memset(&sender, 0, sizeof sender);
    memset(&looked_at, 0, sizeof looked_at);
    job = loop_job(2);
    sender.nic = loop_nic(job, 0, NIC_PROGRESS_HOST, &counting, &sender);
    looked_at.nic = loop_nic(job, 1, modes[mode].progress, &counting, &looked_at);
}

static void share(struct nic *nic)
{
    nic_enter(nic);
    nic_share(nic);
    nic_leave(nic);
}

static void close_both(void)
{
    nic_close(sender.nic);
    nic_close(looked_at.nic);
    nic_job_close(job);
    unsetenv("NICEMU_MEMBARRIER");
}

static int send_empty(uint64_t match, bool service)
{
    struct nic_message m = { .type = 1, .match = match };

    nic_enter(sender.nic);
    int rc = service ? nic_send_service(sender.nic, 1, &m) : nic_send(sender.nic, 1, &m);
    nic_leave(sender.nic);
    return rc;
}

static void run_threads(void *(*body)(void *), unsigned n, pthread_t *thread)
{
    for (uintptr_t i = 0; i < n; i++)
        must(!pthread_create(&thread[i], NULL, body, (void *)i));
}

static void join_threads(unsigned n, pthread_t *thread)
{
    for (unsigned i = 0; i < n; i++)
        must(!pthread_join(thread[i], NULL));
}

/* -- opening */

START_TEST(refused)
{
    struct nic_config good = { .job = loop_job(2), .rank = 1, .link = "loop", .program = &counting, .context = &looked_at }, bad;
    struct nic *nic = NULL, *again = NULL;

    bad = good;
    bad.link = "carrier pigeon";
    ck_assert_int_eq(nic_open(&bad, &nic), -EINVAL);
    bad = good;
    bad.rank = 2;
    ck_assert_int_eq(nic_open(&bad, &nic), -EINVAL);
    bad = good;
    bad.program = NULL;
    ck_assert_int_eq(nic_open(&bad, &nic), -EINVAL);
    bad = good;
    bad.job = NULL;
    ck_assert_int_eq(nic_open(&bad, &nic), -EINVAL);
    ck_assert_int_eq(nic_job_rank_state(good.job, 1), NIC_RANK_ABSENT);
    ck_assert_int_eq(nic_open(&good, &nic), 0);
    ck_assert_uint_eq(nic_rank(nic), 1);
    ck_assert_uint_eq(nic_ranks(nic), 2);
    ck_assert_int_eq(nic_open(&good, &again), -EBUSY);
    nic_close(nic);
    ck_assert_int_eq(nic_open(&good, &again), -EBUSY);      /* a rank lives once */
    ck_assert_ptr_null(again);
    nic_job_close(good.job);
}
END_TEST

START_TEST(crowded)
{
    for (unsigned ranks = 1; ranks <= 4; ranks++) {
        struct nic_job_config config = { .ranks = ranks, .cores = 2 };
        ck_assert_int_eq(nic_job_create(&config, &job), 0);
        struct nic *nic = loop_nic(job, 0, NIC_PROGRESS_HOST, &counting, &looked_at);
        ck_assert_int_eq(nic_oversubscribed(nic), ranks > 2);
        ck_assert(!nic_modelled(nic));
        nic_close(nic);
        nic_job_close(job);
    }
}
END_TEST

/* -- the baton */

enum { ENTRIES = 3000 };
static unsigned long entered;

static void *enters(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < ENTRIES; i++) {
        if (i % 8 == 7)
            while (!nic_try_enter(looked_at.nic))
                sched_yield();
        else
            nic_enter(looked_at.nic);
        come_in(&looked_at);
        entered++;
        go_out(&looked_at);
        if (i % 16 == 0)
            nic_step(looked_at.nic);
        nic_leave(looked_at.nic);
    }
    return NULL;
}

/* Host threads and the NIC's own exclude each other, while packets that need service keep the latter busy. */
START_TEST(one_at_a_time)
{
    pthread_t thread[THREADS];
    unsigned long sent = 0;

    open_both(_i);
    entered = 0;
    nic_enter(looked_at.nic);
    nic_share(looked_at.nic);
    nic_service(looked_at.nic, 1);
    nic_leave(looked_at.nic);
    run_threads(enters, THREADS, thread);
    for (; sent < 2000; sent++)
        while (send_empty(sent, true))
            sched_yield();
    join_threads(THREADS, thread);
    nic_enter(looked_at.nic);
    while (looked_at.packets < sent)
        nic_step(looked_at.nic);
    ck_assert_uint_eq(entered, THREADS * ENTRIES);
    nic_service(looked_at.nic, -1);
    nic_leave(looked_at.nic);
    ck_assert_uint_eq(looked_at.packets, sent);
    close_both();
}
END_TEST

/* -- commands */

enum { COMMANDS = 3000 };

static void *submits(void *argument)
{
    unsigned me = (unsigned)(uintptr_t)argument;

    for (unsigned i = 0; i < COMMANDS; i++) {
        struct nic_command c = { .op = me, .arg = i, .object = &looked_at.next[me] };
        nic_submit(looked_at.nic, &c);
    }
    return NULL;
}

/* Each command once, those of a thread in order; all of them by the time that the next host has been in. */
START_TEST(commands)
{
    pthread_t thread[THREADS];

    open_both(_i);
    share(looked_at.nic);
    run_threads(submits, THREADS, thread);
    join_threads(THREADS, thread);
    nic_enter(looked_at.nic);
    nic_step(looked_at.nic);
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_uint_eq(looked_at.next[i], COMMANDS);
    ck_assert_uint_eq(looked_at.commands, THREADS * COMMANDS);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

/* A command that finds the baton taken is executed by who has it, without another call. */
static void *submits_one(void *argument)
{
    struct nic_command c = { .op = 0, .arg = 0, .object = &looked_at.next[0] };

    nic_submit(looked_at.nic, &c);
    return argument;
}

START_TEST(command_left_behind)
{
    pthread_t thread;

    open_both(_i);
    share(looked_at.nic);
    nic_enter(looked_at.nic);
    run_threads(submits_one, 1, &thread);
    join_threads(1, &thread);               /* it does not wait for the baton */
    ck_assert_uint_eq(looked_at.commands, 0);
    nic_leave(looked_at.nic);
    nic_enter(looked_at.nic);
    ck_assert_uint_eq(looked_at.commands, 1);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

/* More commands than the ring has cells while the baton is taken: submitters wait, none is lost. */
START_TEST(commands_overflow)
{
    pthread_t thread[THREADS];

    open_both(_i);
    share(looked_at.nic);
    nic_enter(looked_at.nic);
    run_threads(submits, THREADS, thread);
    while (atomic_load(&looked_at.nic->cmdq.tail) < NIC_CMDQ_CELLS)
        usleep(100);
    ck_assert_uint_eq(looked_at.commands, 0);
    nic_leave(looked_at.nic);
    join_threads(THREADS, thread);
    nic_enter(looked_at.nic);
    nic_step(looked_at.nic);
    ck_assert_uint_eq(looked_at.commands, THREADS * COMMANDS);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

/* -- service while the host is away */

static void wait_for(const _Atomic unsigned long *value, unsigned long at_least)
{
    while (atomic_load(value) < at_least)
        usleep(100);
}

/* The host has left: what needs service is handled by the NIC thread alone, packet after packet. */
START_TEST(served_while_away)
{
    open_both(_i);
    nic_enter(looked_at.nic);
    nic_service(looked_at.nic, 1);
    nic_leave(looked_at.nic);
    for (unsigned long sent = 0; sent < 100; sent++) {
        ck_assert_int_eq(send_empty(0, true), 0);
        if (sent % 3)
            continue;
        wait_for(&looked_at.handled, sent + 1);
        if (sent % 2) {                     /* the host looks in, and goes again */
            nic_enter(looked_at.nic);
            nic_step(looked_at.nic);
            nic_leave(looked_at.nic);
        }
    }
    wait_for(&looked_at.handled, 100);
    nic_enter(looked_at.nic);
    nic_service(looked_at.nic, -1);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

/* What came while the host was inside, and what it left under way, goes on behind its back. */
START_TEST(left_behind)
{
    open_both(_i);
    nic_enter(looked_at.nic);
    nic_service(looked_at.nic, 1);
    ck_assert_int_eq(send_empty(0, true), 0);
    nic_leave(looked_at.nic);
    wait_for(&looked_at.handled, 1);
    nic_enter(looked_at.nic);
    looked_at.to_do = 50;
    nic_active(looked_at.nic, 1);
    nic_leave(looked_at.nic);
    wait_for(&looked_at.worked, 50);
    nic_enter(looked_at.nic);
    ck_assert_int_eq(looked_at.to_do, 0);
    nic_service(looked_at.nic, -1);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

/* With a thread that always runs, packets that ask for no service are handled too. */
START_TEST(always_served)
{
    open_both(_i);
    for (unsigned long sent = 1; sent <= 50; sent++) {
        ck_assert_int_eq(send_empty(0, false), 0);
        wait_for(&looked_at.handled, sent);
    }
    close_both();
}
END_TEST

/* Service comes and goes quickly: every packet sent in between is handled once. */
START_TEST(service_on_and_off)
{
    open_both(_i);
    for (unsigned long i = 1; i <= 300; i++) {
        nic_enter(looked_at.nic);
        nic_service(looked_at.nic, 1);
        nic_leave(looked_at.nic);
        ck_assert_int_eq(send_empty(0, true), 0);
        if (i % 4 == 0)
            wait_for(&looked_at.handled, i);
        nic_enter(looked_at.nic);
        nic_service(looked_at.nic, -1);
        while (looked_at.packets < i)
            nic_step(looked_at.nic);
        nic_leave(looked_at.nic);
    }
    ck_assert_uint_eq(looked_at.packets, 300);
    close_both();
}
END_TEST

/* -- sleeping */

static bool asleep(void)
{
    return atomic_load(&job->publics[1].attention) & NIC_PARKED;
}

static const char *what_for(void *argument, char *text, size_t size)
{
    snprintf(text, size, "packet number %lu", *(unsigned long *)argument);
    return text;
}

/* Waits for channel number `argument` to have had `ROUNDS` packets, one after the other. */
enum { ROUNDS = 12 };
static _Atomic unsigned long seen[CHANNELS];

static void *waits(void *argument)
{
    uintptr_t me = (uintptr_t)argument;

    nic_enter(looked_at.nic);
    for (unsigned long n = atomic_load(&seen[me]) + 1; n <= ROUNDS; n++) {
        struct nic_wait w = { .note = what_for, .argument = &n };
        while (looked_at.channel[me] < n)
            nic_wait_turn(looked_at.nic, &w);
        atomic_store(&seen[me], n);
    }
    nic_leave(looked_at.nic);
    return NULL;
}

/* Whether it still spins, is about to sleep or sleeps: a packet that needs no service ends the wait. */
START_TEST(woken)
{
    pthread_t thread;

    open_both(_i);
    atomic_store(&seen[0], 0);
    run_threads(waits, 1, &thread);
    for (unsigned long n = 1; n <= ROUNDS; n++) {
        if (n % 3)
            while (!asleep())
                usleep(100);
        ck_assert_int_eq(send_empty(0, false), 0);
        wait_for(&seen[0], n);
    }
    join_threads(1, &thread);
    ck_assert(!asleep());
    close_both();
}
END_TEST

/* Several host threads sleep on one NIC; each is woken for its own packet, whichever of them handles it. */
START_TEST(all_woken)
{
    pthread_t thread[CHANNELS];

    open_both(_i);
    share(looked_at.nic);
    for (unsigned i = 0; i < CHANNELS; i++)
        atomic_store(&seen[i], 0);
    run_threads(waits, CHANNELS, thread);
    for (unsigned long n = 1; n <= ROUNDS; n++) {
        if (n % 4 == 0)
            while (atomic_load(&looked_at.nic->parked) < CHANNELS)
                usleep(100);
        for (unsigned i = 0; i < CHANNELS; i++)
            ck_assert_int_eq(send_empty((i + n) % CHANNELS, n % 2), 0);
        for (unsigned i = 0; i < CHANNELS; i++)
            wait_for(&seen[i], n);
    }
    join_threads(CHANNELS, thread);
    ck_assert(!asleep());
    close_both();
}
END_TEST

/* Work that another host thread submits wakes a sleeper too. */
START_TEST(woken_by_command)
{
    pthread_t thread;

    open_both(_i);
    share(looked_at.nic);
    atomic_store(&seen[0], 0);
    run_threads(waits, 1, &thread);
    for (unsigned long n = 1; n <= ROUNDS; n++) {
        while (!asleep())
            usleep(100);
        nic_enter(looked_at.nic);           /* as a handler would, on behalf of the sleeper */
        looked_at.channel[0]++;
        atomic_fetch_add(&looked_at.nic->events, 1);
        nic_leave(looked_at.nic);
        wait_for(&seen[0], n);
    }
    join_threads(1, &thread);
    close_both();
}
END_TEST

/* A sleeper says what it waits for, and two sleepers stand still until something is sent. */
static void *waits_on_other(void *argument)
{
    struct nic_wait w = { .spins = 0 };

    nic_enter(sender.nic);
    while (!sender.packets)
        nic_wait_turn(sender.nic, &w);
    nic_leave(sender.nic);
    return argument;
}

START_TEST(standstill)
{
    pthread_t thread[2];
    char note[128];
    uint64_t still;
    struct nic_message m = { .type = 1 };

    open_both(_i);
    share(sender.nic);
    atomic_store(&seen[0], ROUNDS - 1);
    looked_at.channel[0] = ROUNDS - 1;
    run_threads(waits, 1, &thread[0]);
    run_threads(waits_on_other, 1, &thread[1]);
    do
        usleep(1000);
    while (!(still = nic_job_standstill(job)) || nic_job_standstill(job) != still);
    nic_job_rank_note(job, 1, note, sizeof note);
    ck_assert_str_eq(note, "packet number 12");
    ck_assert_uint_eq(nic_job_standstill(job), still);
    nic_enter(sender.nic);
    ck_assert_int_eq(nic_send(sender.nic, 1, &m), 0);
    ck_assert_int_eq(nic_send(sender.nic, 0, &m), 0);
    nic_leave(sender.nic);
    join_threads(2, thread);
    ck_assert_uint_ne(nic_job_standstill(job), still);
    close_both();
}
END_TEST

/* -- senders that wait for each other's room */

enum { FLOOD = 20000 };

static void *floods(void *argument)
{
    struct counter *me = argument ? &looked_at : &sender;
    struct nic_message m = { .type = 1, .data = loop_payload(0), .data_bytes = 40 };
    struct nic_wait w = { .spins = 0 };

    nic_enter(me->nic);
    for (unsigned sent = 0; sent < FLOOD; sent++)
        while (nic_send(me->nic, argument ? 0 : 1, &m) == -EAGAIN)
            nic_step(me->nic);
    while (me->packets < FLOOD)
        nic_wait_turn(me->nic, &w);
    nic_leave(me->nic);
    return NULL;
}

START_TEST(both_flood)
{
    pthread_t thread[2];

    loop_payload(0);
    open_both(_i);
    run_threads(floods, 2, thread);
    join_threads(2, thread);
    ck_assert_uint_eq(sender.packets, FLOOD);
    ck_assert_uint_eq(looked_at.packets, FLOOD);
    close_both();
}
END_TEST

/* -- packets that make no sense */

/* A header line as no sender writes it, straight into the ring. */
static void write_header(struct loop *l, uint8_t type, uint8_t flags, uint32_t length, uint64_t match)
{
    struct nic_ring *ring = nic_job_ring(l->job, 1);
    uint64_t seen_head = 0, pos;

    must(nic_ring_reserve(ring, 1, &seen_head, &pos));
    nic_ring_at(ring, pos)->match = match;
    memcpy(nic_ring_at(ring, pos)->head, loop_payload((unsigned)match), NIC_HEAD_BYTES);
    nic_ring_publish(ring, pos, nic_word0(pos, type, flags, length));
}

static void expect_sound(struct loop *l, uint64_t match)
{
    unsigned long before = l->catcher[1]->packets;
    uint32_t bytes = (uint32_t)(match * 37 % 3000);
    struct nic_message m = { .type = 7, .match = match, .data = loop_payload(bytes), .data_bytes = bytes };

    must(!loop_send(l->nic[0], 1, &m));
    loop_drain(l->nic[1]);
    must(l->catcher[1]->packets > before);
    must(l->catcher[1]->packet.type == 7 && l->catcher[1]->packet.match == match && l->catcher[1]->packet.length == bytes);
    must(loop_is_payload(l->catcher[1]->data, bytes, bytes));
}

/* Lengths beyond what any message has take their line and no more. */
START_TEST(impossible_lengths)
{
    struct loop l;
    uint64_t random = 99;

    loop_open(&l, 2);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t length = (uint32_t)loop_random(&random) >> loop_below(&random, 18);
        if (length <= NIC_MESSAGE_BYTES_MAX + 1024)
            length = UINT32_MAX - length % 64;
        write_header(&l, (uint8_t)loop_random(&random), (uint8_t)loop_random(&random), length, i);
        if (i % 8 == 0)
            expect_sound(&l, i);
    }
    loop_close(&l);
}
END_TEST

/* Any type and flags, the bit of event keys too, at any length: what is not sound is dropped whole, the next packet is right. */
START_TEST(random_flags)
{
    struct loop l;
    uint64_t random = 17;

    loop_open(&l, 2);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t bytes = loop_below(&random, loop_below(&random, 4) ? 80 : NIC_MESSAGE_BYTES_MAX);
        struct nic_message m = { .type = (uint8_t)loop_below(&random, NIC_HW_FIRST), .flags = (uint8_t)loop_random(&random), .match = loop_random(&random),
                                 .data = loop_payload(i), .data_bytes = bytes };
        must(!loop_send(l.nic[0], 1, &m));
        if (i % 8 == 0)
            expect_sound(&l, i);
        else if (i % 8 == 7)
            loop_drain(l.nic[1]);
    }
    loop_close(&l);
}
END_TEST

/* The same on the short way of receiving. */
START_TEST(garbage_and_take)
{
    struct loop l;
    struct nic_taken taken;
    static unsigned char data[LOOP_BYTES];

    loop_open(&l, 2);
    nic_enter(l.nic[1]);
    for (uint32_t bit = 15; bit < 32; bit++)
        for (uint8_t flags = 0; flags < 2; flags++) {
            write_header(&l, 7, flags ? NIC_FLAG_KEYED : 0, UINT32_C(1) << bit, 3);
            must(!nic_take(l.nic[1], 7, 0, UINT64_MAX, data, sizeof data, &taken));
            must(!nic_take(l.nic[1], 7, 0, UINT64_MAX, data, SIZE_MAX / 2, &taken));
            while (nic_step(l.nic[1]))
                ;
            must(nic_send_now(l.nic[0], 1, 7, 4, loop_payload(5), 100));
            must(nic_take(l.nic[1], 7, 4, 0, data, sizeof data, &taken));
            must(taken.length == 100 && loop_is_payload(data, 100, 5));
        }
    nic_leave(l.nic[1]);
    loop_close(&l);
}
END_TEST

/* -- suite: which modes a test runs in */

static void add_modes(TCase *tcase, const TTest *test, bool host, bool automatic, bool thread)
{
    for (int i = 0; i < MODES; i++)
        if (modes[i].progress == NIC_PROGRESS_HOST ? host : modes[i].progress == NIC_PROGRESS_AUTO ? automatic : thread)
            tcase_add_loop_test(tcase, test, i, i + 1);
}

int main(void)
{
    Suite *suite = suite_create("engine");
    TCase *tcase = tcase_create("engine");

    tcase_add_test(tcase, refused);
    tcase_add_test(tcase, crowded);
    add_modes(tcase, one_at_a_time, true, true, true);
    add_modes(tcase, commands, true, true, true);
    add_modes(tcase, command_left_behind, true, true, false);
    add_modes(tcase, commands_overflow, true, true, true);
    add_modes(tcase, served_while_away, false, true, true);
    add_modes(tcase, left_behind, false, true, true);
    add_modes(tcase, always_served, false, false, true);
    add_modes(tcase, service_on_and_off, false, true, true);
    add_modes(tcase, woken, true, true, true);
    add_modes(tcase, all_woken, true, true, true);
    add_modes(tcase, woken_by_command, true, true, true);
    add_modes(tcase, standstill, true, true, true);
    add_modes(tcase, both_flood, true, true, true);
    tcase_add_test(tcase, impossible_lengths);
    tcase_add_test(tcase, random_flags);
    tcase_add_test(tcase, garbage_and_take);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
