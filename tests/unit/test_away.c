/* What the NIC's thread does while its host is outside of any call. */
#include "core/callers.h"
#include "core/doorbell.h"
#include "core/nic.h"
#include "loop.h"

enum { IDLE_TURNS = 200 };      /* of the thread, before it sleeps: see thread.c */

static struct nic *nic;
static _Atomic bool may_move, moved;
static void (*on_packet)(void);

static void away_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
    (void)context, (void)p;
    on_packet();
}

static _Atomic unsigned commands;
static _Atomic bool begins_request;

static void away_command(struct nic *nic, void *context, const struct nic_command *c)
{
    (void)context, (void)c;
    if (atomic_load(&begins_request)) {
        atomic_store(&may_move, true);
        nic_hold_polling(nic, 1);
    }
    atomic_fetch_add(&commands, 1);
}

/* A request that needs looking at: nobody rings when it can go on. */
static bool away_advance(struct nic *nic, void *context)
{
    (void)context;
    if (!atomic_load(&may_move) || atomic_load(&moved))
        return false;
    nic_hold_polling(nic, -1);
    atomic_store(&moved, true);
    return true;
}

static const struct nic_program away_program = { .name = "away", .packet = away_packet,
                                                 .command = away_command,
                                                 .advance = away_advance };

/* The host leaves with something due. */
static void leave_with(int requests)
{
    atomic_store(&may_move, false);
    atomic_store(&moved, false);
    nic_enter(nic);
    nic_hold_service(nic, 1);
    if (requests)
        nic_hold_polling(nic, requests);
    nic_leave(nic);
}

static void until_asleep(void)
{
    while (!atomic_load(&nic->thread_asleep))
        usleep(100);
}

START_TEST(comes_back_to_a_request)
{
    struct nic_job *job = loop_job(1);
    nic = loop_nic(job, 0, NIC_PROGRESS_AUTO, &away_program, NULL);
    leave_with(1);
    until_asleep();
    usleep(1000);
    atomic_store(&may_move, true);
    while (!atomic_load(&moved))
        usleep(100);
    nic_close(nic);
    nic_job_close(job);
}
END_TEST

/* As a host that leaves work at a moment when the thread is
 * awake does: it counts, and does not ring. */
static void another_departs(void) { atomic_fetch_add(&nic->departures, 1); }

static struct nic_job *job;
static struct nic *sender;
static const struct nic_link_ops *sound;
static struct nic_link_ops counting;

/* Rank 0 with a thread, and with a copy of its link to be bent; rank 1 sends. */
static void open_pair(void (*packet)(void))
{
    static struct catcher catcher;
    job = loop_job(2);
    sender = loop_nic(job, 1, NIC_PROGRESS_HOST, &catcher_program, &catcher);
    nic = loop_nic(job, 0, NIC_PROGRESS_AUTO, &away_program, NULL);
    sound = nic->link;
    counting = *sound;
    nic->link = &counting;
    on_packet = packet;
}

static void close_pair(void)
{
    nic_close(nic);
    nic_close(sender);
    nic_job_close(job);
}

static void send_service(void)
{
    struct nic_tx m = { .type = 7 };
    nic_enter(sender);
    must(nic_send_service(sender, 0, &m) == 0);
    nic_leave(sender);
}

static _Atomic unsigned turns;

static bool poll_and_count(struct nic *n)
{
    atomic_fetch_add(&turns, 1);
    return sound->poll(n);
}

START_TEST(looks_again_after_a_departure)
{
    open_pair(another_departs);
    counting.poll = poll_and_count;
    leave_with(0);
    until_asleep();
    usleep(1000);
    unsigned before = atomic_load(&turns);
    send_service();
    while (atomic_load(&turns) < before + 2 * IDLE_TURNS)
        usleep(100);
    close_pair();
}
END_TEST

static void nothing(void) {}
static _Atomic bool may_leave;

/* The last look of whoever is about to give the baton back: a host that finds it taken leaves a
 * command just behind that. */
static bool ready_and_leave(const struct nic *n)
{
    bool ready = sound->ready(n);
    if (atomic_exchange(&may_leave, false)) {
        must(nic_cmdq_push(&nic->cmdq, &(struct nic_command){ .op = 1 }));
        __atomic_store_n(&nic->fast_path.queued, 1, __ATOMIC_RELAXED);
    }
    return ready;
}

/* The thread takes such a command itself, and a host of several does; the thread goes on with what
 * that begins. */
START_TEST(takes_what_was_left)
{
    open_pair(nothing);
    counting.ready = ready_and_leave;
    atomic_store(&commands, 0);
    atomic_store(&begins_request, _i == 2);
    leave_with(0);
    until_asleep();
    if (_i) {
        nic_enter(nic);
        nic_share(nic);
        atomic_store(&may_leave, true);
        nic_leave(nic);
    } else {
        atomic_store(&may_leave, true);
        send_service();
    }
    while (!atomic_load(&commands) || (_i == 2 && !atomic_load(&moved)))
        usleep(100);
    close_pair();
}
END_TEST

static uint64_t sleeps(void)
{
    return __atomic_load_n(&nic->stats.value[NIC_STAT_thread_sleeps], __ATOMIC_RELAXED);
}

/* A thread that is awake has not counted its next sleep yet, one that sleeps is woken. */
static void ring_until_asleep(void)
{
    uint64_t before = sleeps();
    nic_doorbell_ring(nic->own, NIC_BELL_THREAD);
    while (sleeps() == before)
        usleep(100);
}

/* A host that yields in a wait does the work itself when its turn comes. */
START_TEST(leaves_it_to_a_host_that_yields)
{
    open_pair(nothing);
    counting.poll = poll_and_count;
    atomic_store(&turns, 0);
    atomic_store(&nic->yielding, 1);
    leave_with(0);
    for (unsigned i = 0; i < 3; i++)
        ring_until_asleep();
    must(!atomic_load(&turns));
    atomic_store(&nic->yielding, 0);
    ring_until_asleep();
    ring_until_asleep();            /* the first may have been that of before */
    must(atomic_load(&turns));
    close_pair();
}
END_TEST

/* Who yields leaves a core of its own to others; where ranks share cores it takes its part. */
START_TEST(yielding_hosts_need_their_cores)
{
    struct nic *n[2];
    job = loop_job(2);
    for (unsigned r = 0; r < 2; r++)
        n[r] = loop_nic(job, r, NIC_PROGRESS_HOST, &away_program, NULL);
    job->layout.cores = 2;
    must(nic_hosts_need_all(n[0]));
    n[0]->oversubscribed = false;
    do
        nic_hosts_rest(n[1], nic_now());        /* a moment ago: until that is so */
    while (nic_hosts_need_all(n[0]));
    n[0]->oversubscribed = true;
    for (unsigned i = 0; i < 1000; i++) {
        nic_hosts_rest(n[1], nic_now());
        must(nic_hosts_need_all(n[0]));
    }
    nic_hosts_sleep(n[1]);
    must(!nic_hosts_need_all(n[0]));
    nic_hosts_wake(n[1]);
    must(nic_hosts_need_all(n[0]));
    for (unsigned r = 0; r < 2; r++)
        nic_close(n[r]);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("away");
    TCase *tcase = tcase_create("away");

    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, comes_back_to_a_request);
    tcase_add_test(tcase, looks_again_after_a_departure);
    tcase_add_loop_test(tcase, takes_what_was_left, 0, 3);
    tcase_add_test(tcase, leaves_it_to_a_host_that_yields);
    tcase_add_test(tcase, yielding_hosts_need_their_cores);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
