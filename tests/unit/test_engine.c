/* The engine: who steps a NIC and when; commands, service while the host is away, senders that wait
 * for each other. */
#include "counting.h"

/* -- opening */

START_TEST(refused)
{
    struct nic_config good = { .job = loop_job(2), .rank = 1, .link = "loop", .program = &counting,
                               .context = &looked_at }, bad;
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

/* Host threads and the NIC's own exclude each other, while packets
 * that need service keep the latter busy. */
START_TEST(one_at_a_time)
{
    pthread_t thread[THREADS];
    unsigned long sent = 0;

    open_both(_i);
    entered = 0;
    nic_enter(looked_at.nic);
    nic_share(looked_at.nic);
    nic_hold_service(looked_at.nic, 1);
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
    nic_hold_service(looked_at.nic, -1);
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

/* Each command once, those of a thread in order; all of them
 * by the time that the next host has been in. */
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
    ck_assert_uint_eq(looked_at.commands, 1);
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

/* The host has left: what needs service is handled by the NIC thread alone, packet after packet. */
START_TEST(served_while_away)
{
    open_both(_i);
    nic_enter(looked_at.nic);
    nic_hold_service(looked_at.nic, 1);
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
    nic_hold_service(looked_at.nic, -1);
    nic_leave(looked_at.nic);
    close_both();
}
END_TEST

/* What came while the host was inside, and what it left under way, goes on behind its back. */
START_TEST(left_behind)
{
    open_both(_i);
    nic_enter(looked_at.nic);
    nic_hold_service(looked_at.nic, 1);
    ck_assert_int_eq(send_empty(0, true), 0);
    nic_leave(looked_at.nic);
    wait_for(&looked_at.handled, 1);
    nic_enter(looked_at.nic);
    looked_at.to_do = 50;
    nic_hold_polling(looked_at.nic, 1);
    nic_leave(looked_at.nic);
    wait_for(&looked_at.worked, 50);
    nic_enter(looked_at.nic);
    ck_assert_int_eq(looked_at.to_do, 0);
    nic_hold_service(looked_at.nic, -1);
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
        nic_hold_service(looked_at.nic, 1);
        nic_leave(looked_at.nic);
        ck_assert_int_eq(send_empty(0, true), 0);
        if (i % 4 == 0)
            wait_for(&looked_at.handled, i);
        nic_enter(looked_at.nic);
        nic_hold_service(looked_at.nic, -1);
        while (looked_at.packets < i)
            nic_step(looked_at.nic);
        nic_leave(looked_at.nic);
    }
    ck_assert_uint_eq(looked_at.packets, 300);
    close_both();
}
END_TEST

/* -- senders that wait for each other's room */

enum { FLOOD = 20000 };

static void *floods(void *argument)
{
    struct counter *me = argument ? &looked_at : &sender;
    struct nic_tx m = { .type = 1, .data = loop_payload(0), .data_bytes = 40 };
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

    open_both(_i);
    run_threads(floods, 2, thread);
    join_threads(2, thread);
    ck_assert_uint_eq(sender.packets, FLOOD);
    ck_assert_uint_eq(looked_at.packets, FLOOD);
    close_both();
}
END_TEST

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
    add_modes(tcase, both_flood, true, true, true);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
