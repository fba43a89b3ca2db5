/* Sleeping on the doorbell of a NIC, being woken, and standing still. */
#include "core/doorbell.h"
#include "counting.h"

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

/* Whether it still spins, is about to sleep or sleeps: a
 * packet that needs no service ends the wait. */
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

/* Several host threads sleep on one NIC; each is woken for
 * its own packet, whichever of them handles it. */
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

static _Atomic unsigned going_down;

static void *sleeps(void *argument)
{
    uint32_t before = atomic_load((_Atomic uint32_t *)argument);
    going_down++;
    nic_doorbell_sleep(looked_at.nic->own, before, NIC_BELL_HOST, 0);
    return NULL;
}

/* A ring wakes all that sleep; one that is not there yet does not go to sleep. */
START_TEST(one_ring_for_all)
{
    pthread_t thread[CHANNELS];
    open_both(_i);
    struct nic_public *own = looked_at.nic->own;
    _Atomic uint32_t before = atomic_load(&own->doorbell);
    going_down = 0;
    for (unsigned i = 0; i < CHANNELS; i++)
        must(!pthread_create(&thread[i], NULL, sleeps, &before));
    while (going_down < CHANNELS)
        sched_yield();
    usleep(20000);      /* they sleep by now, most of the time */
    nic_doorbell_ring(own, NIC_BELL_HOST);
    join_threads(CHANNELS, thread);
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
    struct nic_tx m = { .type = 1 };

    open_both(_i);
    share(sender.nic);
    atomic_store(&seen[0], ROUNDS - 1);
    looked_at.channel[0] = ROUNDS - 1;
    run_threads(waits, 1, &thread[0]);
    run_threads(waits_on_other, 1, &thread[1]);
    /* each is parked for a moment before it counts as waiting: from then on nothing changes */
    while (atomic_load(&looked_at.nic->hosts->waiting)
           + atomic_load(&sender.nic->hosts->waiting) < 2)
        usleep(100);
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

int main(void)
{
    Suite *suite = suite_create("sleep");
    TCase *tcase = tcase_create("sleep");

    add_modes(tcase, woken, true, true, true);
    add_modes(tcase, all_woken, true, true, true);
    add_modes(tcase, woken_by_command, true, true, true);
    tcase_add_test(tcase, one_ring_for_all);
    add_modes(tcase, standstill, true, true, true);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
