/* Receives that take what has come when they start (mpi_fw_start_receive): at once, by way of those
 * that are posted, and never past a message or a receive that comes before. */

#include "core/nic.h"
#include "fw/tuning.h"
#include "ranks.h"

static unsigned char in[2 * FW_RECEIVE_MOST + 1][LOOP_BYTES];

static struct fw_req *receive(int source, int tag, unsigned i, size_t capacity)
{
    nic_enter(at[1].nic);
    struct fw_req *r = new_request(1, FW_RECV, in[i], capacity);
    r->match = match_of(source, tag);
    r->mask = mask_of(source, tag);
    mpi_fw_start_receive(at[1].fw, r);
    nic_leave(at[1].nic);
    return r;
}

/* On its way when this returns: nobody has looked into the inbox. */
static void message(uint32_t tag, unsigned i, size_t bytes)
{
    finish_send(0, start_send(0, 1, tag, loop_payload(i), bytes));
}

static void in_inbox(uint32_t tag, unsigned i, size_t bytes)
{
    struct fw_req *send = start_send(0, 1, tag, loop_payload(i), bytes);
    must(fw_req_done(send));
    free_request(0, send);
}

static void came(struct fw_req *r, size_t capacity, uint32_t tag, unsigned i, size_t bytes)
{
    ck_assert(fw_req_done(r));
    finish_recv(1, r, capacity, 0, tag, loop_payload(i), bytes);
}

static const size_t sizes[] = { 0, 1, 8, 47, 48, 49, 112, 113, 500, EAGER_MAX };
enum { SIZES = sizeof sizes / sizeof *sizes };

/* It is done when its start returns, and was in no queue. */
START_TEST(nothing_posted)
{
    ranks_start(2);
    for (unsigned i = 0; i < SIZES; i++) {
        memset(in[0], 0xee, sizeof in[0]);
        in_inbox(7, i, sizes[i]);
        came(receive(_i ? ANY : 0, _i ? ANY : 7, 0, sizes[i]), sizes[i], 7, i, sizes[i]);
        must(in[0][sizes[i]] == 0xee);
    }
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, posted_queue_max), 0);
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, unexpected_queue_max), 0);
    ranks_end(0);
}
END_TEST

START_TEST(nothing_there)
{
    ranks_start(2);
    struct fw_req *r = receive(0, 7, 0, 100);
    ck_assert(!fw_req_done(r));
    ck_assert_uint_eq(fw_posted_count(at[1].fw), 1);
    message(7, 3, 10);
    finish_recv(1, r, 100, 0, 7, loop_payload(3), 10);
    ranks_end(0);
}
END_TEST

/* The error is that of any other receive. */
START_TEST(too_long)
{
    ranks_start(2);
    for (unsigned i = 2; i < SIZES; i++) {
        in_inbox(7, i, sizes[i]);
        struct fw_req *r = receive(0, 7, 0, sizes[i] - 1);
        finish_recv(1, r, sizes[i] - 1, 0, 7, loop_payload(i), sizes[i]);
    }
    ranks_end(0);
}
END_TEST

/* In the place of a request that ended otherwise: the last one freed, when all spare ones are. */
static void use_place(int how)
{
    enum { LONG = EAGER_MAX + 1 };
    struct fw_req *send, *r = start_recv(1, 0, 5, in[0], how == 1 ? 4 : LONG);
    switch (how) {
    case 0:
        nic_enter(at[1].nic);
        must(mpi_fw_cancel(at[1].fw, r) && r->cancelled);
        nic_leave(at[1].nic);
        free_request(1, r);
        return;
    case 1:
        send = start_send(0, 1, 5, loop_payload(2), 10);
        finish_recv(1, r, 4, 0, 5, loop_payload(2), 10);
        break;
    default:
        send = start_send(0, 1, 5, loop_payload(2), LONG);
        finish_recv(1, r, LONG, 0, 5, loop_payload(2), LONG);
    }
    finish_send(0, send);
}

START_TEST(nothing_is_left)
{
    ranks_start(2);
    for (int i = 0; i <= FW_SPARES; i++)
        use_place(_i);
    in_inbox(7, 3, 10);
    struct fw_req *r = receive(0, 7, 0, 100);
    ck_assert(fw_req_done(r));
    ck_assert(!r->cancelled && !r->error && !r->protocol);
    came(r, 100, 7, 3, 10);
    ranks_end(0);
}
END_TEST

START_TEST(another_envelope)
{
    ranks_start(2);
    in_inbox(8, 1, 10);
    struct fw_req *r = receive(0, 7, 0, 100);
    ck_assert(!fw_req_done(r));
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 0);    /* it was not taken out */
    in_inbox(7, 2, 20);
    finish_recv(1, r, 100, 0, 7, loop_payload(2), 20);
    came(receive(0, 8, 0, 100), 100, 8, 1, 10);
    ranks_end(0);
}
END_TEST

/* What is posted before gets its message first, and then this one is at the head. */
START_TEST(behind_posted_ones)
{
    ranks_start(2);
    struct fw_req *first = receive(0, 1, 0, 100), *second = receive(ANY, 2, 1, 1000);
    in_inbox(2, 2, 500);
    in_inbox(1, 1, 10);
    in_inbox(3, 3, 30);
    struct fw_req *third = receive(0, 3, 2, 100);
    came(first, 100, 1, 1, 10);
    came(second, 1000, 2, 2, 500);
    came(third, 100, 3, 3, 30);
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, posted_queue_max), 2);
    ranks_end(0);
}
END_TEST

/* The message in front waits for a receive that is posted later: nothing passes it. */
START_TEST(not_past_the_next)
{
    ranks_start(2);
    struct fw_req *first = receive(0, 1, 0, 100);
    in_inbox(2, 2, 20);
    in_inbox(1, 1, 10);
    in_inbox(3, 3, 30);
    struct fw_req *third = receive(0, 3, 2, 100);
    ck_assert(!fw_req_done(first) && !fw_req_done(third));
    struct fw_req *second = receive(0, 2, 1, 100);
    settle();
    came(first, 100, 1, 1, 10);
    came(second, 100, 2, 2, 20);
    came(third, 100, 3, 3, 30);
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, unexpected_queue_max), 0);
    ranks_end(0);
}
END_TEST

/* A wildcard that was posted before takes the message that the new one would match. */
START_TEST(not_past_a_wildcard)
{
    ranks_start(2);
    struct fw_req *any = receive(ANY, ANY, 0, 100);
    in_inbox(5, 1, 10);
    struct fw_req *five = receive(0, 5, 1, 100);
    came(any, 100, 5, 1, 10);
    ck_assert(!fw_req_done(five));
    in_inbox(5, 2, 20);
    finish_recv(1, five, 100, 0, 5, loop_payload(2), 20);
    ranks_end(0);
}
END_TEST

/* A message that was kept is older than what is still in the inbox. */
START_TEST(not_past_a_kept_one)
{
    ranks_start(2);
    message(5, 1, 10);
    settle();
    ck_assert_uint_eq(fw_unexpected_count(at[1].fw), 1);
    in_inbox(5, 2, 20);
    came(receive(0, 5, 0, 100), 100, 5, 1, 10);
    came(receive(0, 5, 1, 100), 100, 5, 2, 20);
    ranks_end(0);
}
END_TEST

/* One start moves so many messages and no more. */
START_TEST(bounded)
{
    enum { COUNT = 2 * FW_RECEIVE_MOST };
    struct fw_req *r[COUNT + 1];

    ranks_start(2);
    for (unsigned i = 0; i < COUNT; i++)
        r[i] = receive(0, 1, i, 100);
    for (unsigned i = 0; i < COUNT; i++)
        in_inbox(1, i, 1 + i);
    r[COUNT] = receive(0, 2, COUNT, 100);
    for (unsigned i = 0; i < COUNT; i++)
        ck_assert(fw_req_done(r[i]) == (i < FW_RECEIVE_MOST));
    settle();
    for (unsigned i = 0; i < COUNT; i++)
        came(r[i], 100, 1, i, 1 + i);
    in_inbox(2, 3, 30);
    finish_recv(1, r[COUNT], 100, 0, 2, loop_payload(3), 30);
    ranks_end(0);
}
END_TEST

/* One that may become a rendezvous takes a short message too, and its NIC need not serve it; one
 * for which a rendezvous comes is posted. */
START_TEST(long_receives)
{
    ranks_start(2);
    in_inbox(1, 1, 10);
    struct fw_req *r = receive(0, 1, 0, EAGER_MAX + 1);
    ck_assert_int_eq(at[1].nic->service, 0);
    came(r, EAGER_MAX + 1, 1, 1, 10);
    struct fw_req *send = start_send(0, 1, 1, loop_payload(4), EAGER_MAX + 1);
    r = receive(0, 1, 0, EAGER_MAX + 1);
    ck_assert(!fw_req_done(r));
    finish_recv(1, r, EAGER_MAX + 1, 0, 1, loop_payload(4), EAGER_MAX + 1);
    finish_send(0, send);
    ranks_end(0);
}
END_TEST

/* A synchronous one is acknowledged, so its packet goes the usual way. */
START_TEST(synchronous)
{
    ranks_start(2);
    struct fw_req *send = start_send_as(0, 1, 1, loop_payload(4), 10, true);
    struct fw_req *r = receive(0, 1, 0, 100);
    ck_assert(!fw_req_done(r) && !fw_req_done(send));
    finish_recv(1, r, 100, 0, 1, loop_payload(4), 10);
    finish_send(0, send);
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("at once");
    TCase *tcase = tcase_create("at once");

    tcase_add_loop_test(tcase, nothing_posted, 0, 2);
    tcase_add_test(tcase, nothing_there);
    tcase_add_test(tcase, too_long);
    tcase_add_loop_test(tcase, nothing_is_left, 0, 3);
    tcase_add_test(tcase, another_envelope);
    tcase_add_test(tcase, behind_posted_ones);
    tcase_add_test(tcase, not_past_the_next);
    tcase_add_test(tcase, not_past_a_wildcard);
    tcase_add_test(tcase, not_past_a_kept_one);
    tcase_add_test(tcase, bounded);
    tcase_add_test(tcase, long_receives);
    tcase_add_test(tcase, synchronous);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
