/* Where many ranks share a core, an eager message that others leave no room for is announced, and
 * read before it is matched: it is done whatever its receiver does, as any eager message. */
#include <errno.h>

#include "core/nic.h"
#include "job/ring.h"
#include "ranks.h"

enum { RECEIVER, SENDER, OTHER, RANKS };
enum { EAGER = 16384, BYTES = 8000, ROOM = 50, BODY = 4200 };
enum { LEFT = 128 };            /* lines of an inbox that are left for announcements */

static unsigned char source[4 * BYTES], sink[4 * BYTES];
static struct fw_req *others[ROOM];
static struct fw_req *singles[NIC_RING_LINES];
static unsigned filled, single;

/* As if `many` ranks shared each core, or none did. */
static void open_ranks(bool many)
{
    set("NICEMU_CROWDED", many ? "yes" : "no");
    ranks_start(RANKS);
    set("NICEMU_CROWDED", NULL);
    for (unsigned r = 0; r < RANKS; r++)
        at[r].fw->eager_max = EAGER;
}

/* One that does not leave says that the receiver's inbox is full. */
static void fill_by(unsigned rank)
{
    const uint64_t before = FW_FIGURE(at[rank].fw, sends_delayed);
    for (filled = 0; FW_FIGURE(at[rank].fw, sends_delayed) == before;) {
        must(filled < ROOM);
        others[filled++] = start_send(rank, RECEIVER, 9, loop_payload(3), BODY);
    }
}

/* So that so many lines are free. */
static void fill_but(unsigned lines)
{
    const unsigned each = nic_ring_lines_for(BODY);
    for (filled = 0; NIC_RING_LINES - filled * each >= lines + each;)
        others[filled++] = start_send(OTHER, RECEIVER, 9, loop_payload(3), BODY);
    for (unsigned i = NIC_RING_LINES - filled * each; i > lines; i--)
        singles[single++] = start_send(OTHER, RECEIVER, 8, loop_payload(4), 8);
}

static void take_those_of(unsigned rank)
{
    for (unsigned i = 0; i < filled; i++) {
        finish_recv(RECEIVER, start_recv(RECEIVER, (int)rank, 9, sink, BODY), BODY, rank, 9,
                    loop_payload(3), BODY);
        finish_send(rank, others[i]);
    }
    for (; single; single--) {
        finish_recv(RECEIVER, start_recv(RECEIVER, OTHER, 8, sink, 8), 8, OTHER, 8,
                    loop_payload(4), 8);
        finish_send(OTHER, singles[single - 1]);
    }
}

static uint64_t announced(void) { return FW_FIGURE(at[SENDER].fw, eager_announced); }

static struct fw_req *start(size_t bytes)
{
    return start_send(SENDER, RECEIVER, 1, source, bytes);
}

static void receive(size_t capacity, size_t full)
{
    memset(sink, 0, sizeof sink);
    finish_recv(RECEIVER, start_recv(RECEIVER, SENDER, 1, sink, capacity), capacity, SENDER, 1,
                source, full);
}

static const size_t lengths[] = { 4097, BYTES, EAGER };
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* The send is done without any receive, and its buffer may change before one comes. */
START_TEST(before_its_receive)
{
    const size_t bytes = lengths[_i];
    open_ranks(true);
    fill_by(OTHER);
    struct fw_req *send = start(bytes);
    ck_assert_uint_eq(announced(), 1);
    must(!fw_req_done(send));
    settle();
    must(fw_req_done(send));
    finish_send(SENDER, send);
    ck_assert_uint_ge(FW_FIGURE(at[RECEIVER].fw, unexpected_bytes), bytes);
    source[0] ^= 0xff;
    memset(sink, 0, sizeof sink);
    struct fw_req *recv = start_recv(RECEIVER, SENDER, 1, sink, bytes);
    wait_done(recv);
    source[0] ^= 0xff;
    finish_recv(RECEIVER, recv, bytes, SENDER, 1, source, bytes);
    take_those_of(OTHER);
    ck_assert_uint_eq(FW_FIGURE(at[RECEIVER].fw, unexpected_bytes), 0);
    ranks_end(0);
}
END_TEST

START_TEST(behind_its_receive)
{
    open_ranks(true);
    fill_by(OTHER);
    memset(sink, 0, sizeof sink);
    struct fw_req *recv = start_recv(RECEIVER, ANY, 1, sink, BYTES);
    struct fw_req *send = start(BYTES);
    ck_assert_uint_eq(announced(), 1);
    finish_recv(RECEIVER, recv, BYTES, SENDER, 1, source, BYTES);
    finish_send(SENDER, send);
    take_those_of(OTHER);
    ranks_end(0);
}
END_TEST

/* Announced, so that there is always room for that: its envelope is in the inbox at once. */
START_TEST(as_little_room_is_left)
{
    const unsigned lines = nic_ring_lines_for(BYTES) + LEFT;
    open_ranks(true);
    fill_but(lines - (_i == 0));
    struct fw_req *send = start(BYTES);
    ck_assert_uint_eq(announced(), _i == 0);
    ck_assert_uint_eq(FW_FIGURE(at[SENDER].fw, sends_delayed), 0);
    ck_assert_int_eq(fw_req_done(send), _i == 1);
    receive(BYTES, BYTES);
    finish_send(SENDER, send);
    take_those_of(OTHER);
    ranks_end(0);
}
END_TEST

START_TEST(truncated)
{
    open_ranks(true);
    fill_by(OTHER);
    struct fw_req *send = start(BYTES);
    settle();
    finish_send(SENDER, send);
    receive(100, BYTES);
    take_those_of(OTHER);
    ranks_end(0);
}
END_TEST

/* Two of the same envelope, with an eager one between and one behind them. */
START_TEST(in_order)
{
    open_ranks(true);
    fill_by(OTHER);
    struct fw_req *first = start_send(SENDER, RECEIVER, 1, source, BYTES),
                  *second = start_send(SENDER, RECEIVER, 1, source + 1, 10),
                  *third = start_send(SENDER, RECEIVER, 1, source + 2, BYTES);
    settle();
    struct fw_req *last = start_send(SENDER, RECEIVER, 1, source + 3, BYTES);
    receive(BYTES, BYTES);
    finish_recv(RECEIVER, start_recv(RECEIVER, SENDER, 1, sink, 10), 10, SENDER, 1, source + 1, 10);
    for (unsigned i = 2; i < 4; i++)
        finish_recv(RECEIVER, start_recv(RECEIVER, SENDER, 1, sink, BYTES), BYTES, SENDER, 1,
                    source + i, BYTES);
    finish_send(SENDER, first);
    finish_send(SENDER, second);
    finish_send(SENDER, third);
    finish_send(SENDER, last);
    take_those_of(OTHER);
    ranks_end(0);
}
END_TEST

static bool cancel(struct fw_req *send)
{
    nic_enter(at[SENDER].nic);
    bool cancelled = mpi_fw_cancel(at[SENDER].fw, send);
    nic_leave(at[SENDER].nic);
    return cancelled;
}

/* The receiver has not looked yet: nothing is read of it. */
START_TEST(cancelled_in_time)
{
    open_ranks(true);
    fill_by(OTHER);
    struct fw_req *send = start(BYTES);
    must(cancel(send) && send->cancelled);
    free_request(SENDER, send);
    take_those_of(OTHER);
    settle();
    ck_assert_uint_eq(FW_FIGURE(at[RECEIVER].fw, unexpected_bytes), 0);
    send = start_send(SENDER, RECEIVER, 1, source + 7, 50);
    finish_recv(RECEIVER, start_recv(RECEIVER, SENDER, 1, sink, BYTES), BYTES, SENDER, 1,
                source + 7, 50);
    finish_send(SENDER, send);
    ranks_end(0);
}
END_TEST

/* It is read, and its sender has not heard of that. */
START_TEST(cancelled_too_late)
{
    open_ranks(true);
    fill_by(OTHER);
    struct fw_req *send = start(BYTES);
    while (!FW_FIGURE(at[RECEIVER].fw, unexpected_messages)
           || FW_FIGURE(at[RECEIVER].fw, unexpected_bytes) % BODY == 0)
        must(step(RECEIVER));
    must(!cancel(send));
    settle();
    must(fw_req_done(send) && !send->cancelled);
    finish_send(SENDER, send);
    receive(BYTES, BYTES);
    take_those_of(OTHER);
    ranks_end(0);
}
END_TEST

static int fails_to_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    (void)n, (void)peer, (void)from, (void)to, (void)bytes;
    return -EFAULT;
}

/* Where it cannot be read, being too long or as the copy fails, it waits for its receive, and can
 * be cancelled until then. */
START_TEST(unreadable)
{
    const bool fails = _i & 1, cancels = _i & 2;
    open_ranks(true);
    fill_by(OTHER);
    struct fw_req *send = start(BYTES);
    ck_assert_uint_eq(announced(), 1);
    const struct nic_link_ops *sound = at[RECEIVER].nic->link;
    struct nic_link_ops failing = *sound;
    failing.read = fails_to_read;
    if (fails)
        at[RECEIVER].nic->link = &failing;
    else
        at[RECEIVER].fw->eager_max = BYTES - 1;
    settle();
    at[RECEIVER].nic->link = sound;
    must(!fw_req_done(send));
    ck_assert_int_eq(cancels && cancel(send), cancels);
    if (!cancels)
        receive(BYTES, BYTES);
    finish_send(SENDER, send);
    take_those_of(OTHER);
    ranks_end(0);
}
END_TEST

/* As long as nobody else sends there, what fills the inbox is one's own. */
START_TEST(own_stream)
{
    enum { MOST = 16, FEW = MOST - 1 };
    struct fw_req *send[MOST], *other = NULL;
    must(MOST * nic_ring_lines_for(BYTES) <= NIC_RING_LINES);
    open_ranks(true);
    for (unsigned i = 0; i < MOST; i++) {
        if (i == FEW && _i)
            other = start_send(OTHER, RECEIVER, 9, loop_payload(3), 8);
        send[i] = start(BYTES);
    }
    ck_assert_uint_eq(announced(), (uint64_t)_i);
    ck_assert_uint_eq(FW_FIGURE(at[SENDER].fw, sends_delayed), 0);
    for (unsigned i = 0; i < MOST; i++) {
        receive(BYTES, BYTES);
        finish_send(SENDER, send[i]);
    }
    if (other) {
        finish_recv(RECEIVER, start_recv(RECEIVER, OTHER, 9, sink, 8), 8, OTHER, 9,
                    loop_payload(3), 8);
        finish_send(OTHER, other);
    }
    ranks_end(0);
}
END_TEST

/* What is not announced, although there is no room: where few share a core; of one that has filled
 * the inbox by itself; a short one; a synchronous one; behind another that waits. */
START_TEST(others_are_not)
{
    open_ranks(_i != 0);
    fill_by(_i == 1 ? SENDER : OTHER);
    struct fw_req *send = _i == 3 ? start_send_as(SENDER, RECEIVER, 1, source, BYTES, true)
                                  : start(_i == 2 ? 4096 : _i == 4 ? 4000 : BYTES);
    struct fw_req *next = _i == 4 ? start_send(SENDER, RECEIVER, 2, source, BYTES) : NULL;
    ck_assert_uint_eq(announced(), 0);
    receive(BYTES, send->bytes);
    finish_send(SENDER, send);
    if (next) {
        finish_recv(RECEIVER, start_recv(RECEIVER, SENDER, 2, sink, BYTES), BYTES, SENDER, 2,
                    source, BYTES);
        finish_send(SENDER, next);
    }
    take_those_of(_i == 1 ? SENDER : OTHER);
    ranks_end(0);
}
END_TEST

/* Whom the job makes share a core: few share it below sixteen to each. */
START_TEST(who_shares_a_core)
{
    static const struct { unsigned ranks; bool shared, many; } cases[] = {
        { 2, false, false }, { 3, true, false }, { 31, true, false }, { 32, true, true },
    };
    set("NICEMU_CROWDED", NULL);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nic_job_config config = { .ranks = cases[i].ranks, .cores = 2 };
        struct nic_job *few;
        must(nic_job_create(&config, &few) == 0);
        struct nic *nic = loop_nic(few, 0, NIC_PROGRESS_HOST, &catcher_program, NULL);
        ck_assert_int_eq(nic->oversubscribed, cases[i].shared);
        ck_assert_int_eq(nic->crowded, cases[i].many);
        nic_close(nic);
        nic_job_close(few);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("announced");
    TCase *tcase = tcase_create("announced");

    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (unsigned char)(i * 13 + i / 251);
    tcase_add_loop_test(tcase, before_its_receive, 0, LENGTHS);
    tcase_add_test(tcase, behind_its_receive);
    tcase_add_loop_test(tcase, as_little_room_is_left, 0, 2);
    tcase_add_test(tcase, truncated);
    tcase_add_test(tcase, in_order);
    tcase_add_test(tcase, cancelled_in_time);
    tcase_add_test(tcase, cancelled_too_late);
    tcase_add_loop_test(tcase, unreadable, 0, 4);
    tcase_add_loop_test(tcase, own_stream, 0, 2);
    tcase_add_loop_test(tcase, others_are_not, 0, 5);
    tcase_add_test(tcase, who_shares_a_core);
    suite_add_tcase(suite, tcase);
    return suite_single(loop_run(suite));
}
