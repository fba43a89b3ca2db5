/* Lines that a peer wrote into the ring by itself, and what a host takes from there only if nothing
 * else is due. */
#include <errno.h>

#include "core/nic.h"
#include "model/state.h"
#include "modelled.h"

/* A header line that says `length`, with `lines` lines reserved for it. */
static void forge(struct nic_job *job, unsigned to, uint8_t flags, uint32_t length, unsigned lines,
                  const void *head)
{
    struct nic_ring *ring = nic_job_ring(job, to);
    uint64_t seen_head = 0, pos;
    must(nic_ring_reserve(ring, lines, &seen_head, &pos));
    nic_ring_at(ring, pos)->match = 1;
    memcpy(nic_ring_at(ring, pos)->head, head, NIC_HEADER_DATA);
    nic_ring_publish(ring, pos, nic_word0(pos, 7, flags, length, 0));
}

static uint64_t malformed(const struct nic *n)
{
    return n->stats.value[NIC_STAT_packets_malformed];
}

/* The bit says that an event key stands in front, and there is no room for one. */
START_TEST(short_of_a_key)
{
    static const unsigned char head[NIC_HEADER_DATA];
    struct loop l;
    loop_open(&l, 2);
    for (uint32_t length = 0; length < sizeof(struct nic_event_key); length++) {
        forge(l.job, 1, NIC_FLAG_KEYED, length, 1, head);
        loop_drain(l.nic[1]);
        ck_assert_uint_eq(malformed(l.nic[1]), length + 1);
    }
    ck_assert_uint_eq(l.catcher[1]->packets, 0);
    loop_close(&l);
}
END_TEST

START_TEST(longest)
{
    struct loop l;
    struct nic_tx m = { .type = 7, .data = loop_payload(1), .data_bytes = LOOP_BYTES };
    loop_open(&l, 2);
    ck_assert_int_eq(loop_send(l.nic[0], 1, &m), 0);
    loop_drain(l.nic[1]);
    ck_assert_uint_eq(l.catcher[1]->packet.length, LOOP_BYTES);
    m.data_bytes++;
    ck_assert_int_eq(loop_send(l.nic[0], 1, &m), -EMSGSIZE);
    loop_drain(l.nic[1]);
    ck_assert_uint_eq(l.catcher[1]->packets, 1);
    loop_close(&l);
}
END_TEST

/* Who has requests that need turns does not take the short way past them. */
START_TEST(requests_come_first)
{
    struct loop l;
    struct nic_received taken;
    struct nic_pgas *queue;
    unsigned char data[8];
    loop_open(&l, 2);
    must(nic_pgas_open(l.nic[1], &queue) == 0);
    must(nic_send_now(l.nic[0], 1, 7, 4, loop_payload(5), sizeof data));
    nic_enter(l.nic[1]);
    ck_assert(!nic_try_receive(l.nic[1], 7, 4, 0, data, sizeof data, &taken));
    nic_leave(l.nic[1]);
    nic_pgas_close(queue);
    loop_drain(l.nic[1]);
    must(nic_send_now(l.nic[0], 1, 7, 4, loop_payload(5), sizeof data));
    nic_enter(l.nic[1]);
    nic_hold_polling(l.nic[1], 1);
    ck_assert(!nic_try_receive(l.nic[1], 7, 4, 0, data, sizeof data, &taken));
    nic_hold_polling(l.nic[1], -1);
    ck_assert(nic_try_receive(l.nic[1], 7, 4, 0, data, sizeof data, &taken));
    ck_assert_uint_eq(taken.length, sizeof data);
    nic_leave(l.nic[1]);
    loop_close(&l);
}
END_TEST

/* -- on the model clock, where the ring has whole packets only */

static unsigned packets;

static void counted(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic, (void)context, (void)p;
    packets++;
}

static const struct nic_program counting_program = { .name = "counting", .packet = counted,
                                                     .landed = idle_landed,
                                                     .command = idle_command,
                                                         .advance = idle_advance };

static void expect_model(uint32_t length, unsigned lines, uint32_t source, unsigned delivered)
{
    struct nic_job *job = model_job(1, false, NULL);
    struct nic *n = loop_nic(job, 0, NIC_PROGRESS_AUTO, &counting_program, NULL);
    unsigned char head[NIC_HEADER_DATA] = { 0 };
    struct nic_event_key key = { .time = 1, .source = source };
    memcpy(head, &key, sizeof key);
    packets = 0;
    nic_enter(n);
    forge(job, 0, 0, length, lines, head);
    for (unsigned i = 0; i < 10; i++)
        nic_step(n);
    ck_assert_uint_eq(packets, delivered);
    ck_assert_uint_eq(malformed(n), !delivered);
    nic_leave(n);
    nic_close(n);
    nic_job_close(job);
}

START_TEST(modelled)
{
    enum { KEY = sizeof(struct nic_event_key) };
    expect_model(KEY + 8, 1, 0, 1);
    expect_model(KEY + 8, 1, 1, 0);                         /* from a rank that there is not */
    expect_model(KEY - 8, 1, 0, 0);
    expect_model(NIC_HEADER_DATA + 64, 2, 0, 1);
    expect_model(NIC_HEADER_DATA + 64, 1, 0, 0);            /* longer than what was reserved */
    expect_model(NIC_HEADER_DATA + 65, 2, 0, 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("forged");
    TCase *tcase = tcase_create("forged");

    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, short_of_a_key);
    tcase_add_test(tcase, longest);
    tcase_add_test(tcase, requests_come_first);
    tcase_add_test(tcase, modelled);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
