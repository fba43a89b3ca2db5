/* The last moments before a host sleeps and after it woke: what comes there is not slept
 * through.  Each is brought about in the only thread: what another host or a sender does, it
 * does in note(), which a wait calls just before it parks, or, through the stand-in for
 * atomic_fetch_and below, between two instructions of core/wait.c itself. */
#include "counting.h"

static void before_fetch_and(void);
#undef atomic_fetch_and
#define atomic_fetch_and(object, operand) \
    (before_fetch_and(), atomic_fetch_and_explicit(object, operand, memory_order_seq_cst))
#include "core/wait.c"

/* -- what comes before the sleep */

static struct { void (*come)(void); bool came, there; } last;

/* The wait is about to park. */
static const char *at_last(void *argument, char *text, size_t room)
{
    (void)argument, (void)room;
    if (!last.came)
        last.come();
    last.came = true;
    return text;
}

static bool is_there(void *argument)
{
    (void)argument;
    return last.there;
}

/* Somebody stores the word, and looked for sleepers before that. */
static void raise_flag(void) { last.there = true; }

/* A sender publishes a line; the bit is not set yet, so no bell is rung. */
static void publish_line(void) { must(!send_empty(0, false)); }

/* Another host finds the baton taken, and leaves its command. */
static void leave_command(void)
{
    const struct nic_command c = { .op = 0, .arg = 0, .object = &looked_at.next[0] };
    nic_submit(looked_at.nic, &c);
    must(!looked_at.commands);
}

/* Another host does what is waited for. */
static void do_it(void)
{
    looked_at.channel[1]++;
    atomic_fetch_add(&looked_at.nic->events, 1);
}

static bool has_ended(void)
{
    return last.there || looked_at.packets || looked_at.commands || looked_at.channel[1];
}

/* It waits with a limit, so that one which sleeps all the same comes back and is found out by
 * the count of sleeps. */
static void wait_without_sleep(int mode, void (*come)(void))
{
    struct nic_wait w = { .note = at_last, .polled = true };

    open_both(mode);
    share(looked_at.nic);
    last.come = come;
    last.came = last.there = false;
    if (come == raise_flag)
        w.ready = is_there;
    nic_enter(looked_at.nic);
    while (!has_ended() || !last.came)
        nic_wait_turn(looked_at.nic, &w);
    ck_assert_uint_eq(nic_stat_read(looked_at.nic, NIC_STAT_host_sleeps), 0);
    nic_leave(looked_at.nic);
    ck_assert(!(atomic_load(&looked_at.nic->own->attention) & NIC_PARKED));
    close_both();
}

START_TEST(flag_at_last) { wait_without_sleep(_i, raise_flag); } END_TEST
START_TEST(line_at_last) { wait_without_sleep(_i, publish_line); } END_TEST
START_TEST(command_at_last) { wait_without_sleep(_i, leave_command); } END_TEST
START_TEST(event_at_last) { wait_without_sleep(_i, do_it); } END_TEST

/* -- after the sleep */

static struct { bool due; uint32_t doorbell; } other;

/* The last host up has counted itself off and not taken the bit away yet: here another one goes
 * to sleep. */
static void before_fetch_and(void)
{
    struct nic *n = looked_at.nic;

    if (!other.due)
        return;
    other.due = false;
    must(atomic_load(&n->parked) == 0);
    atomic_fetch_add(&n->parked, 1);
    atomic_fetch_or(&n->own->attention, NIC_PARKED);
    other.doorbell = atomic_load(&n->own->doorbell);
}

/* Its bit is given back, and it is rung to look again: a sender may have found no bit in
 * between. */
START_TEST(other_sleeper_armed_again)
{
    struct nic_wait w = { .note = at_last, .ready = is_there, .polled = true };

    open_both(_i);
    share(looked_at.nic);
    last.come = raise_flag;
    last.came = last.there = false;
    other.due = true;
    nic_enter(looked_at.nic);
    while (!last.came)
        nic_wait_turn(looked_at.nic, &w);
    must(!other.due);
    ck_assert(atomic_load(&looked_at.nic->own->attention) & NIC_PARKED);
    ck_assert_uint_ne(atomic_load(&looked_at.nic->own->doorbell), other.doorbell);
    nic_leave(looked_at.nic);
    unpark(looked_at.nic);
    ck_assert(!(atomic_load(&looked_at.nic->own->attention) & NIC_PARKED));
    close_both();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unpark");
    TCase *tcase = tcase_create("unpark");

    add_modes(tcase, flag_at_last, true, true, false);
    add_modes(tcase, line_at_last, true, true, false);
    add_modes(tcase, command_at_last, true, true, false);
    add_modes(tcase, event_at_last, true, true, false);
    add_modes(tcase, other_sleeper_armed_again, true, true, false);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
