/* Packets in the ring that make no sense are dropped whole; what comes behind them is right. */
#include <sys/wait.h>
#include "core/nic.h"
#include "link/receive.h"
#include "loop.h"

/* A header line as no sender writes it, straight into the ring. */
static void write_header(struct loop *l, uint8_t type, uint8_t flags, uint32_t length,
                         uint64_t match)
{
    struct nic_ring *ring = nic_job_ring(l->job, 1);
    uint64_t seen_head = 0, pos;

    must(nic_ring_reserve(ring, 1, &seen_head, &pos));
    nic_ring_at(ring, pos)->match = match;
    memcpy(nic_ring_at(ring, pos)->head, loop_payload((unsigned)match), NIC_HEAD_BYTES);
    nic_ring_publish_header(ring, pos, nic_word0(pos, type, flags, length, 0));
}

static void expect_sound(struct loop *l, uint64_t match)
{
    unsigned long before = l->catcher[1]->packets;
    uint32_t bytes = (uint32_t)(match * 37 % 3000);
    struct nic_tx m = { .type = 7, .match = match, .data = loop_payload(bytes),
                             .data_bytes = bytes };

    must(!loop_send(l->nic[0], 1, &m));
    loop_drain(l->nic[1]);
    must(l->catcher[1]->packets > before);
    must(l->catcher[1]->packet.type == 7 && l->catcher[1]->packet.match == match
         && l->catcher[1]->packet.length == bytes);
    must(loop_is_payload(l->catcher[1]->data, bytes, bytes));
}

/* Lengths beyond what any message has take their line and no more. */
START_TEST(impossible_lengths)
{
    struct loop l;
    uint64_t random = 99;

    loop_open(&l, 2);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t length = NIC_LENGTH_MAX + 1 + loop_below(&random, UINT16_MAX - NIC_LENGTH_MAX);
        write_header(&l, (uint8_t)loop_random(&random), (uint8_t)loop_random(&random), length, i);
        if (i % 8 == 0)
            expect_sound(&l, i);
    }
    loop_close(&l);
}
END_TEST

/* Any type and flags, the bit of event keys too, at any length: what is not sound is dropped whole,
 * the next packet is right. */
START_TEST(random_flags)
{
    struct loop l;
    uint64_t random = 17;

    loop_open(&l, 2);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t bytes = loop_below(&random, loop_below(&random, 4) ? 80 : NIC_MESSAGE_BYTES_MAX);
        struct nic_tx m = { .type = (uint8_t)loop_below(&random, NIC_HW_FIRST),
                                 .flags = (uint8_t)loop_random(&random),
                                     .match = loop_random(&random),
                                 .data = loop_payload(i), .data_bytes = bytes };
        must(!loop_send(l.nic[0], 1, &m));
        if (i % 8 == 0)
            expect_sound(&l, i);
        else if (i % 8 == 7)
            loop_drain(l.nic[1]);
    }
    loop_close(&l);
}
END_TEST

/* The same on the short way of receiving. */
START_TEST(garbage_and_take)
{
    struct loop l;
    struct nic_received taken;
    static unsigned char data[LOOP_BYTES];

    loop_open(&l, 2);
    nic_enter(l.nic[1]);
    for (uint32_t length = NIC_LENGTH_MAX + 1; length <= UINT16_MAX; length += 777)
        for (uint8_t flags = 0; flags < 2; flags++) {
            write_header(&l, 7, flags ? NIC_FLAG_KEYED : 0, length, 3);
            must(!nic_try_receive(l.nic[1], 7, 0, UINT64_MAX, data, sizeof data, &taken));
            must(!nic_try_receive(l.nic[1], 7, 0, UINT64_MAX, data, SIZE_MAX / 2, &taken));
            while (nic_step(l.nic[1]))
                ;
            must(nic_send_now(l.nic[0], 1, 7, 4, loop_payload(5), 100));
            must(nic_try_receive(l.nic[1], 7, 4, 0, data, sizeof data, &taken));
            must(taken.length == 100 && loop_is_payload(data, 100, 5));
        }
    nic_leave(l.nic[1]);
    loop_close(&l);
}
END_TEST

/* -- a header line that somebody writes over between sender and receiver: debug builds end the job,
 * and say which inbox it was */

static void spoil_and(void (*receive)(struct loop *l), int fd, size_t at)
{
    struct loop l;

    dup2(fd, STDERR_FILENO);
    loop_open(&l, 2);
    must(nic_send_now(l.nic[0], 1, 7, 4, loop_payload(5), 40));
    ((unsigned char *)nic_ring_at(nic_job_ring(l.job, 1), 0))[at] ^= 4;
    nic_enter(l.nic[1]);
    receive(&l);
    _exit(0);
}

static void by_step(struct loop *l) { nic_step(l->nic[1]); }

static void by_take(struct loop *l)
{
    struct nic_received taken;
    unsigned char data[LOOP_BYTES];
    nic_try_receive(l->nic[1], 7, 4, UINT64_MAX, data, sizeof data, &taken);
}

/* Every byte behind the stamp, without which it is no line at all. */
START_TEST(overwritten_headers)
{
    char said[256];
    int status, ends[2];

    for (size_t at = 2; at < NIC_LINE_BYTES; at++) {
        must(!pipe(ends));
        pid_t child = fork();
        must(child >= 0);
        if (!child)
            spoil_and(at & 1 ? by_step : by_take, ends[1], at);
        close(ends[1]);
        must(waitpid(child, &status, 0) == child);
        ssize_t n = read(ends[0], said, sizeof said - 1);
        close(ends[0]);
        said[n > 0 ? n : 0] = 0;
        if (!NIC_DEBUG)     /* taken for whatever it says: but that ends, too */
            continue;
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
        ck_assert_ptr_nonnull(strstr(said,
                                     "rank 1: line 0 of its inbox is not what a sender wrote"));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("packet");
    TCase *tcase = tcase_create("packet");

    tcase_add_test(tcase, impossible_lengths);
    tcase_add_test(tcase, random_flags);
    tcase_add_test(tcase, garbage_and_take);
    tcase_add_test(tcase, overwritten_headers);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
