/* Whom a receiver takes for one that keeps up with a stream (NIC_STREAM_PACKETS), when a sender
 * that found no room goes on (NIC_RESUME_LINES), and that nothing of a stream is lost or out of
 * order, however it is taken. */
#include "core/nic.h"
#include "link/receive.h"
#include "link/send.h"
#include "loop.h"

enum { TYPE = 7 };

static struct loop l;
static unsigned got;

static void in_order(struct catcher *c, const struct nic_packet *p)
{
    (void)c;
    must(p->match == got && loop_is_payload(p->head, p->length, got));
    got++;
}

static void setup(void)
{
    loop_open(&l, 3);
    got = 0;
    l.catcher[2]->caught = in_order;
}

static void teardown(void) { loop_close(&l); }

static void send(unsigned from, unsigned to, uint64_t match, size_t bytes)
{
    struct nic_tx m = { .type = TYPE, .match = match, .data = loop_payload((unsigned)match),
                        .data_bytes = (uint32_t)bytes };
    must(!loop_send(l.nic[from], to, &m));
}

/* By the receiver's handlers, or by the short way, which takes packets of one rank. */
static void take(unsigned match, size_t bytes, bool short_way)
{
    unsigned char to[LOOP_BYTES];
    struct nic_received taken;
    if (!short_way) {
        loop_drain(l.nic[2]);
        return;
    }
    must(nic_try_receive(l.nic[2], TYPE, match, 0, to, sizeof to, &taken));
    must(taken.length == bytes && loop_is_payload(to, bytes, match));
    got++;
}

static void look(void) { must(!nic_inbox_poll(l.nic[2])); }

static unsigned in_a_row(void) { return l.nic[2]->in_a_row; }

START_TEST(counted)
{
    for (unsigned i = 0; i < NIC_STREAM_PACKETS - 1; i++) {
        send(0, 2, got, 8);
        take(got, 8, i % 2);
    }
    ck_assert_uint_eq(in_a_row(), NIC_STREAM_PACKETS - 1);
    look();
    ck_assert_uint_eq(in_a_row(), NIC_STREAM_PACKETS - 1);      /* too few for a pause */
    send(1, 2, got, 8);
    take(got, 8, false);
    ck_assert_uint_eq(in_a_row(), 1);                           /* another rank's */
    send(2, 0, 99, 8);
    ck_assert_uint_eq(in_a_row(), 0);                           /* it answers */
}
END_TEST

START_TEST(paused)
{
    for (unsigned i = 0; i < NIC_STREAM_PACKETS; i++)
        send(0, 2, i, 100);
    for (unsigned i = 0; i < NIC_STREAM_PACKETS; i++)
        take(i, 100, true);
    uint64_t before = nic_now();
    look();
    ck_assert_uint_ge(nic_now() - before, l.nic[2]->take_looks ? NIC_STREAM_PAUSE_NS : 0);
    ck_assert_uint_le(in_a_row(), NIC_STREAM_PACKETS - NIC_STREAM_AGAIN);
    send(0, 2, got, 100);
    take(got, 100, true);
    ck_assert_uint_eq(got, NIC_STREAM_PACKETS + 1);
}
END_TEST

static bool sends(unsigned from, bool short_way)
{
    struct nic_tx m = { .type = TYPE, .match = 0, .data = loop_payload(0), .data_bytes = 8 };
    return short_way ? nic_send_now(l.nic[from], 2, TYPE, 0, m.data, 8)
           : !loop_send(l.nic[from], 2, &m);
}

/* The receiver takes one line at a time; another sender, which was not refused, may go on. */
START_TEST(resumed)
{
    unsigned char to[8];
    struct nic_received taken;
    bool short_way = _i;
    l.catcher[2]->caught = NULL;
    for (unsigned lap = 0; lap < 3; lap++) {
        unsigned sent = 0;
        while (sends(0, short_way))
            sent++;
        for (unsigned free = 0; free < NIC_RESUME_LINES; free++) {
            must(!sends(0, short_way));
            must(nic_try_receive(l.nic[2], TYPE, 0, 0, to, sizeof to, &taken));
        }
        must(sends(1, short_way));
        must(!sends(0, short_way));
        for (unsigned i = 0; i < 2; i++)
            must(nic_try_receive(l.nic[2], TYPE, 0, 0, to, sizeof to, &taken));
        must(sends(0, short_way));
        for (unsigned left = sent - NIC_RESUME_LINES; left; left--)
            must(nic_try_receive(l.nic[2], TYPE, 0, 0, to, sizeof to, &taken));
        look();
    }
}
END_TEST

/* Another sender, which was not refused, fills each line that the receiver takes: so there is never
 * more than one free. */
START_TEST(crowded)
{
    unsigned char to[8];
    struct nic_received taken;
    bool short_way = _i;
    unsigned looks = 1;
    l.catcher[2]->caught = NULL;
    while (sends(0, short_way))
        ;
    for (;; looks++) {
        must(nic_try_receive(l.nic[2], TYPE, 0, 0, to, sizeof to, &taken));
        if (sends(0, short_way))
            break;
        must(looks < NIC_RESUME_LOOKS);
        must(sends(1, short_way));
    }
    must(looks == NIC_RESUME_LOOKS);
    while (nic_try_receive(l.nic[2], TYPE, 0, 0, to, sizeof to, &taken))
        ;
    must(sends(0, short_way));
    must(nic_try_receive(l.nic[2], TYPE, 0, 0, to, sizeof to, &taken));
}
END_TEST

/* Of all lengths up to several chunks, taken one by one, in heaps, and past the ring's end. */
START_TEST(whole_streams)
{
    uint64_t random = 5 + (uint64_t)_i;
    unsigned sent = 0;
    while (sent < 20000) {
        unsigned heap = 1 + loop_below(&random, 3) * loop_below(&random, 12), first = sent;
        size_t bytes[32];
        for (; sent < first + heap; sent++) {
            bytes[sent - first] = loop_below(&random, loop_below(&random, 9) ? 3000 : 9000);
            send(0, 2, sent, bytes[sent - first]);
        }
        while (got < sent)
            take(got, bytes[got - first], loop_below(&random, 2));
        look();
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stream");
    TCase *tcase = tcase_create("stream");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, counted);
    tcase_add_test(tcase, paused);
    tcase_add_loop_test(tcase, resumed, 0, 2);
    tcase_add_loop_test(tcase, crowded, 0, 2);
    tcase_add_loop_test(tcase, whole_streams, 0, 3);
    suite_add_tcase(suite, tcase);
    return suite_single(loop_run(suite));
}
