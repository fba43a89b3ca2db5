/* Credits of writers to a queue out of reach: errors that are
 * told once, and peers that do not keep to them. */
#include <errno.h>

#include "offload/queue_ring.h"
#include "offload/queues.h"
#include "offload.h"

static struct offload o;
static const uint64_t one = 1;

/* Rank 1 writes to rank 0 by packet. */
static uint64_t set_up(unsigned capacity)
{
    uint64_t queue;
    offload_open(&o, 2, NIC_PROGRESS_HOST, MIXED);
    must(AT(o.nic[0], nic_queue_create(o.nic[0], capacity, &queue)) == 0);
    return queue;
}

static int send_one(uint64_t queue)
{
    int rc = AT(o.nic[1], nic_queue_send(o.nic[1], 0, queue, &one, 1));
    settle(&o);
    return rc;
}

static void packet(unsigned from, unsigned to, enum nic_hw_type type, uint64_t match,
                   const uint64_t *words, unsigned count)
{
    nic_enter(o.nic[from]);
    nic_hw_send(o.nic[from], to, type, match, words, count * sizeof *words, NULL, 0);
    nic_leave(o.nic[from]);
    settle(&o);
}

/* That a message found no queue shows at the next one, which
 * does not leave; the one behind it does. */
START_TEST(told_once)
{
    uint64_t queue = set_up(2);
    struct nic_words m;
    ck_assert_int_eq(AT(o.nic[0], nic_queue_destroy(o.nic[0], queue)), 0);
    ck_assert_int_eq(send_one(queue), 0);
    ck_assert_int_eq(send_one(queue), -EINVAL);
    must(AT(o.nic[0], nic_queue_create(o.nic[0], 2, &queue)) == 0);
    ck_assert_int_eq(send_one(queue), 0);
    ck_assert_int_eq(AT(o.nic[0], nic_queue_receive(o.nic[0], queue, &m)), 0);
    ck_assert_int_eq(o.nic[1]->service, 0);
    offload_close(&o);
}
END_TEST

/* Nothing is under way, but for an error that waits to be told: there is no credit to give back. */
START_TEST(invented_credit)
{
    uint64_t queue = set_up(2), reply[2] = { 0, 0 }, dropped;
    ck_assert_int_eq(AT(o.nic[0], nic_queue_destroy(o.nic[0], queue)), 0);
    ck_assert_int_eq(send_one(queue), 0);
    dropped = o.nic[1]->counts.hw_dropped;
    packet(0, 1, NIC_HW_QUEUE_REPLY, queue, reply, 2);
    ck_assert_uint_eq(o.nic[1]->counts.hw_dropped, dropped + 1);
    ck_assert_int_eq(o.nic[1]->service, 0);
    ck_assert_int_eq(send_one(queue), -EINVAL);
    offload_close(&o);
}
END_TEST

/* A writer without manners cannot make the owner keep more than all credits there are.  What comes
 * then is refused for want of memory, and its writer hears of that. */
START_TEST(more_than_its_credits)
{
    enum { CAPACITY = 2, MOST = 2 * NIC_QUEUE_WINDOW };
    uint64_t queue = set_up(CAPACITY), message[2] = { 1, 7 };
    for (unsigned i = 0; i < CAPACITY + MOST + 10; i++)
        packet(1, 0, NIC_HW_QUEUE, queue, message, 2);
    ck_assert_uint_eq(nic_queue_own(o.nic[0], queue)->kept, MOST);
    ck_assert_int_eq(send_one(queue), 0);
    ck_assert_int_eq(send_one(queue), -ENOMEM);
    offload_close(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("credits");
    TCase *tcase = tcase_create("credits");

    tcase_add_test(tcase, told_once);
    tcase_add_test(tcase, invented_credit);
    tcase_add_test(tcase, more_than_its_credits);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
