/* Who found a peer's inbox full and sleeps is rung when there is room, and does not sleep through
 * what has come at the last moment. */
#include "counting.h"
#include "core/room.h"

enum { RANKS = 6 };

static struct nic *nics[RANKS];
static struct counter counters[RANKS];

static void open_all(void)
{
    memset(counters, 0, sizeof counters);
    job = loop_job(RANKS);
    for (unsigned r = 0; r < RANKS; r++) {
        nics[r] = loop_nic(job, r, NIC_PROGRESS_HOST, &counting, &counters[r]);
        counters[r].nic = nics[r];
    }
}

static void close_all(void)
{
    for (unsigned r = 0; r < RANKS; r++)
        nic_close(nics[r]);
    nic_job_close(job);
}

/* Packets that rank 1 sends to rank 0 until there is no room. */
static unsigned long fill(void)
{
    struct nic_tx m = { .type = 1 };
    unsigned long sent = 0;
    nic_enter(nics[1]);
    while (!nic_send(nics[1], 0, &m))
        sent++;
    nic_leave(nics[1]);
    return sent;
}

static void drain(void)
{
    nic_enter(nics[0]);
    while (nic_step(nics[0]))
        ;
    nic_leave(nics[0]);
}

/* How often each rank has been rung since the last call. */
static uint32_t rings(unsigned rank)
{
    static uint32_t before[RANKS];
    uint32_t now = atomic_load(&nics[rank]->own->doorbell), n = now - before[rank];
    before[rank] = now;
    return n;
}

static unsigned rung_of_all(void)
{
    unsigned n = 0;
    for (unsigned r = 0; r < RANKS; r++)
        n += rings(r);
    return n;
}

static void tell(void)
{
    nic_enter(nics[0]);
    nic_room_tell(nics[0]);
    nic_leave(nics[0]);
}

static bool is_marked(void)
{
    return atomic_load(&nics[0]->own->attention) & NIC_ROOM_WANTED;
}

/* Who has not asked, has asked another one, or is awake again is left alone. */
START_TEST(only_who_asks_is_rung)
{
    open_all();
    rung_of_all();
    tell();
    nic_room_ask(nics[1], 0);
    nic_room_ask(nics[2], 3);
    nic_room_ask(nics[4], 0);
    nic_room_forget(nics[4]);
    tell();
    ck_assert_uint_eq(rings(1), 1);
    ck_assert_uint_eq(rung_of_all(), 0);
    ck_assert_uint_eq(nic_stat_read(nics[0], NIC_STAT_bells_room), 1);
    ck_assert(!is_marked());
    nic_room_ask(nics[5], 0);
    tell();
    ck_assert_uint_eq(rings(5), 1);
    ck_assert_uint_eq(rung_of_all(), 0);
    tell();
    ck_assert_uint_eq(rung_of_all(), 0);
    close_all();
}
END_TEST

/* Each has its turn, a few at a time: those that ask again come behind the others. */
START_TEST(each_has_its_turn)
{
    unsigned told = 0, rung[RANKS] = { 0 };
    open_all();
    rung_of_all();
    for (unsigned r = 1; r < RANKS; r++)
        nic_room_ask(nics[r], 0);
    for (unsigned turn = 0; turn < 2 * RANKS; turn++) {
        unsigned now = 0;
        tell();
        for (unsigned r = 1; r < RANKS; r++) {
            unsigned n = rings(r);
            rung[r] += n;
            now += n;
            if (n)
                nic_room_ask(nics[r], 0);
        }
        ck_assert_uint_ge(now, 1);
        ck_assert_uint_lt(now, RANKS - 1);
        told += now;
    }
    for (unsigned r = 1; r < RANKS; r++) {
        ck_assert_uint_ge(rung[r], told / (RANKS - 1));
        ck_assert_uint_le(rung[r], told / (RANKS - 1) + 1);
    }
    close_all();
}
END_TEST

/* Nobody is left out where more ask than are rung at once. */
START_TEST(all_are_rung)
{
    open_all();
    rung_of_all();
    for (unsigned r = 1; r < RANKS; r++)
        nic_room_ask(nics[r], 0);
    for (unsigned turn = 0; turn < RANKS && is_marked(); turn++)
        tell();
    for (unsigned r = 1; r < RANKS; r++)
        ck_assert_uint_eq(rings(r), 1);
    ck_assert(!is_marked());
    close_all();
}
END_TEST

/* The last looks: between being refused and going to sleep. */
static bool drained;

static const char *drain_at_last(void *argument, char *text, size_t room)
{
    (void)argument, (void)room;
    drain();
    drained = true;
    return text;
}

START_TEST(room_at_last)
{
    struct nic_wait w = { .note = drain_at_last, .polled = true };
    open_all();
    ck_assert_uint_gt(fill(), 0);
    drained = false;
    nic_enter(nics[1]);
    while (!drained)
        nic_wait_turn(nics[1], &w);
    nic_leave(nics[1]);
    ck_assert_uint_eq(nic_stat_read(nics[1], NIC_STAT_host_sleeps), 0);
    ck_assert_uint_eq(atomic_load(&nics[1]->own->wants_room), 0);
    ck_assert(!(atomic_load(&nics[1]->own->attention) & NIC_PARKED));
    close_all();
}
END_TEST

/* As much as the packet that was refused waits for: more of a long one. */
START_TEST(room_for_what_was_refused)
{
    static const unsigned char data[NIC_MESSAGE_BYTES_MAX];
    struct nic_tx m = { .type = 1 };
    unsigned long lines;
    open_all();
    ck_assert_uint_gt(lines = fill(), 0);
    ck_assert_uint_eq(nics[1]->refused.by, 1);
    const struct nic_refusal empty = nics[1]->refused;
    m.data = data;
    m.data_bytes = sizeof data;
    nic_enter(nics[2]);
    ck_assert_int_eq(nic_send(nics[2], 0, &m), -EAGAIN);
    nic_leave(nics[2]);
    const struct nic_refusal longest = nics[2]->refused;
    ck_assert_uint_gt(longest.lines, empty.lines);
    ck_assert_uint_lt(longest.lines, lines);
    for (unsigned long free = 0; !nic_room_is_there(nics[2], &longest);) {
        const struct nic_ring *r = nics[0]->inbox;
        must(nic_room_is_there(nics[1], &empty) == (free >= empty.lines));
        nic_enter(nics[0]);
        nic_step(nics[0]);
        nic_leave(nics[0]);
        free = lines - (atomic_load(&r->tail) - atomic_load(&r->head));
        must(nic_room_is_there(nics[2], &longest) == (free >= longest.lines));
    }
    nic_enter(nics[2]);
    ck_assert_int_eq(nic_send(nics[2], 0, &m), 0);
    nic_leave(nics[2]);
    close_all();
}
END_TEST

/* Who has not been refused does not ask. */
static bool stop;
static bool may_stop(void *argument) { (void)argument; return stop; }

static const char *stop_soon(void *argument, char *text, size_t room)
{
    (void)argument, (void)room;
    stop = true;
    return text;
}

static void expect_asked(bool full)
{
    struct nic_wait w = { .note = stop_soon, .ready = may_stop, .polled = true };
    open_all();
    if (full)
        ck_assert_uint_gt(fill(), 0);
    stop = false;
    nic_enter(nics[1]);
    while (!stop)
        nic_wait_turn(nics[1], &w);
    nic_leave(nics[1]);
    ck_assert_int_eq(is_marked(), full);
    ck_assert_uint_eq(atomic_load(&nics[1]->own->wants_room), 0);
    close_all();
}

START_TEST(who_was_refused_asks) { expect_asked(true); } END_TEST
START_TEST(who_was_not_does_not) { expect_asked(false); } END_TEST

/* A sender that sleeps each time, and the owner of the inbox in its own wait. */
static atomic_bool enough;

static void *send_all(void *argument)
{
    struct nic_tx m = { .type = 1 };
    struct nic_wait w = { .polled = true };
    nic_enter(nics[1]);
    while (!atomic_load(&enough))
        if (nic_send(nics[1], 0, &m))
            nic_wait_turn(nics[1], &w);
    nic_leave(nics[1]);
    return argument;
}

static bool is_wanted(void)
{
    return is_marked() && atomic_load(&nics[1]->own->wants_room) == 1;
}

/* Naps end by themselves too: until it was a ring. */
START_TEST(sleeper_is_rung)
{
    pthread_t thread;
    struct nic_wait w = { .polled = true };
    open_all();
    atomic_store(&enough, false);
    must(!pthread_create(&thread, NULL, send_all, NULL));
    while (!nic_stat_read(nics[0], NIC_STAT_bells_room)) {
        while (!is_wanted())
            usleep(50);
        nic_enter(nics[0]);
        for (unsigned long yields = nics[0]->stats.value[NIC_STAT_host_yields];
             nics[0]->stats.value[NIC_STAT_host_yields] == yields;)
            nic_wait_turn(nics[0], &w);
        nic_leave(nics[0]);
    }
    atomic_store(&enough, true);
    drain();
    must(!pthread_join(thread, NULL));
    close_all();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("room");
    TCase *tcase = tcase_create("room");
    tcase_add_test(tcase, only_who_asks_is_rung);
    tcase_add_test(tcase, each_has_its_turn);
    tcase_add_test(tcase, all_are_rung);
    tcase_add_test(tcase, room_at_last);
    tcase_add_test(tcase, room_for_what_was_refused);
    tcase_add_test(tcase, who_was_refused_asks);
    tcase_add_test(tcase, who_was_not_does_not);
    tcase_add_test(tcase, sleeper_is_rung);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
