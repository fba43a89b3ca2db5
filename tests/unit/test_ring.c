/* The inbox ring through the NIC's doors: sizes, laps, the end of the ring, a full ring, stamps in
 * the payload, many senders. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include "loop.h"
#include "job/segment.h"
#include "link/receive.h"
#include "link/send.h"

/* Both ends of the inbox of `rank` at position `pos`, as if that many lines had passed; before the
 * NIC is opened. */
static void start_at(struct nic_job *job, unsigned rank, uint64_t pos)
{
    struct nic_ring *ring = nic_job_ring(job, rank);

    atomic_store(&ring->tail, pos);
    atomic_store(&ring->head, pos);
}

static void open_at(struct loop *l, uint64_t pos)
{
    struct nic_job *job = loop_job(2);

    start_at(job, 1, pos);
    loop_open_in(l, job, NIC_PROGRESS_HOST);
}

/* So that packets lie anywhere in it. */
static void never_restart(struct loop *l) { l->nic[1]->restart_lines = NIC_RING_LINES; }

static uint64_t tail_of(const struct loop *l, unsigned rank)
{
    return atomic_load(&nic_job_ring(l->job, rank)->tail);
}

/* A message with `head` bytes of head in front of `bytes` of
 * data, all of it one window of the payload. */
static int send_payload_from(struct loop *l, unsigned rank, unsigned head, uint32_t bytes,
                             unsigned seed)
{
    struct nic_tx m = { .type = (uint8_t)(1 + seed % 190), .flags = seed & 0x7f,
                             .head_bytes = (uint16_t)head, .data_bytes = bytes,
                             .match = ~(uint64_t)seed, .head = loop_payload(seed),
                                 .data = loop_payload(seed) + head };
    return loop_send(l->nic[rank], 1, &m);
}

static int send_payload(struct loop *l, unsigned head, uint32_t bytes, unsigned seed)
{
    return send_payload_from(l, 0, head, bytes, seed);
}

static void expect_payload(const struct loop *l, unsigned long packets, uint32_t length,
                           unsigned seed)
{
    const struct catcher *c = l->catcher[1];

    must(c->packets == packets);
    must(c->packet.length == length);
    must(c->packet.type == 1 + seed % 190);
    must(c->packet.flags == (seed & 0x7f));
    must(c->packet.match == ~(uint64_t)seed);
    must(loop_is_payload(c->data, length, seed));
}

/* Every size, so every boundary between lines and chunks, each at another place of the ring. */
START_TEST(all_sizes)
{
    struct loop l;

    loop_open(&l, 2);
    never_restart(&l);
    for (uint32_t bytes = 0; bytes <= NIC_MESSAGE_BYTES_MAX; bytes++) {
        must(send_payload(&l, 0, bytes, bytes) == 0);
        loop_drain(l.nic[1]);
        expect_payload(&l, bytes + 1, bytes, bytes);
    }
    loop_close(&l);
}
END_TEST

START_TEST(heads)
{
    struct loop l;
    unsigned n = 0;

    loop_open(&l, 2);
    never_restart(&l);
    for (unsigned head = 0; head <= 40; head += 8)
        for (uint32_t bytes = 0; bytes <= NIC_MESSAGE_BYTES_MAX; bytes += bytes < 2300
             || bytes > NIC_MESSAGE_BYTES_MAX - 130 ? 1 : 127) {
            must(send_payload(&l, head, bytes, n++) == 0);
            loop_drain(l.nic[1]);
            expect_payload(&l, n, head + bytes, n - 1);
        }
    loop_close(&l);
}
END_TEST

START_TEST(too_long)
{
    struct loop l;
    static unsigned char data[2 * LOOP_BYTES];
    struct nic_tx m = { .type = 1, .data = data };
    uint32_t lengths[] = { NIC_MESSAGE_BYTES_MAX + 1024, sizeof data };

    loop_open(&l, 2);
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        m.data_bytes = lengths[i];
        must(loop_send(l.nic[0], 1, &m) == -EMSGSIZE);
        must(!nic_send_now(l.nic[0], 1, 1, 0, data, lengths[i]));
    }
    m.head_bytes = 8;
    m.head = data;
    m.data_bytes = UINT32_MAX;      /* with its head it would be 7 */
    must(loop_send(l.nic[0], 1, &m) == -EMSGSIZE);
    must(tail_of(&l, 1) == 0);
    loop_close(&l);
}
END_TEST

/* Random sizes and random pauses of the receiver.  The laps on the way include those where the
 * stamp, 16 bits of the lap's number, comes round. */
static const uint64_t first_laps[] = { 0, 1, 32765, 65531, 65535, 131066, UINT64_C(1) << 32,
                                       UINT64_C(1) << 48 };

static unsigned sent_sizes[4096];
static unsigned received;

static void check_in_order(struct catcher *c, const struct nic_packet *p)
{
    must(p->length == sent_sizes[received % 4096]);
    must(p->match == received);
    must(loop_is_payload(c->data, p->length, received));
    received++;
}

START_TEST(laps)
{
    struct loop l;
    uint64_t random = 1 + (uint64_t)_i, first = first_laps[_i] * NIC_RING_LINES;
    unsigned sent = 0;

    open_at(&l, first);
    if (_i % 2)
        never_restart(&l);
    l.catcher[1]->caught = check_in_order;
    received = 0;
    while (tail_of(&l, 1) < first + 8 * NIC_RING_LINES) {
        unsigned seed = sent, kind = loop_below(&random, 8);
        uint32_t bytes = kind < 4 ? loop_below(&random, 60) : kind < 7 ? loop_below(&random, 1200)
                         : loop_below(&random, NIC_MESSAGE_BYTES_MAX + 1);
        struct nic_tx m = { .type = kind ? (uint8_t)kind : 0, .match = sent,
                                 .data = loop_payload(seed), .data_bytes = bytes };
        if (sent - received < 4096 && !loop_send(l.nic[0], 1, &m)) {
            sent_sizes[sent++ % 4096] = bytes;
        } else {
            loop_drain(l.nic[1]);
            must(received == sent);
        }
        if (!loop_below(&random, 30))
            loop_drain(l.nic[1]);
    }
    loop_drain(l.nic[1]);
    must(received == sent);
    loop_close(&l);
}
END_TEST

/* The end of the ring falls between each two lines of a longest packet. */
START_TEST(end_inside_packet)
{
    struct loop l;
    unsigned lines = nic_ring_lines_for(NIC_MESSAGE_BYTES_MAX);
    unsigned long n = 0;

    loop_open(&l, 2);
    never_restart(&l);
    for (unsigned before = 0; before <= lines; before++) {
        while (tail_of(&l, 1) % NIC_RING_LINES != NIC_RING_LINES - before - 1) {
            must(send_payload(&l, 0, 0, 0) == 0);
            n++;
            if (n % 512 == 0)
                loop_drain(l.nic[1]);
        }
        loop_drain(l.nic[1]);
        must(send_payload(&l, 0, NIC_MESSAGE_BYTES_MAX - before % 3, before) == 0);
        loop_drain(l.nic[1]);
        expect_payload(&l, ++n, NIC_MESSAGE_BYTES_MAX - before % 3, before);
    }
    loop_close(&l);
}
END_TEST

/* -- restarts */

static void send_and_drain(struct loop *l, unsigned count)
{
    while (count--)
        must(send_payload(l, 0, 8, count) == 0);
    loop_drain(l->nic[1]);
}

static uint64_t head_of(const struct loop *l, unsigned rank)
{
    return atomic_load(&nic_job_ring(l->job, rank)->head);
}

/* An empty ring goes on with its first line, once enough of it has been used; all its lines are
 * there as before. */
START_TEST(restart)
{
    struct loop l;

    loop_open(&l, 2);
    send_and_drain(&l, NIC_RESTART_LINES - 1);
    must(tail_of(&l, 1) == NIC_RESTART_LINES - 1);
    send_and_drain(&l, 1);
    must(tail_of(&l, 1) == NIC_RING_LINES && head_of(&l, 1) == NIC_RING_LINES);
    loop_drain(l.nic[1]);               /* not once more */
    must(tail_of(&l, 1) == NIC_RING_LINES);
    for (unsigned i = 0; i < NIC_RING_LINES; i++)
        must(send_payload(&l, 0, 8, i) == 0);
    must(send_payload(&l, 0, 8, 0) == -EAGAIN);
    loop_drain(l.nic[1]);
    expect_payload(&l, NIC_RESTART_LINES + NIC_RING_LINES, 8, NIC_RING_LINES - 1);
    must(tail_of(&l, 1) == 2 * NIC_RING_LINES);         /* at its end there is nothing to do */
    loop_close(&l);
}
END_TEST

/* Whoever takes packets one by one restarts it too. */
START_TEST(restart_by_taking)
{
    struct loop l;
    struct nic_received taken;
    uint64_t data = 0;

    loop_open(&l, 2);
    nic_enter(l.nic[1]);
    for (unsigned i = 0; i < NIC_RESTART_LINES; i++) {
        must(nic_send_now(l.nic[0], 1, 3, 5, &data, sizeof data));
        must(nic_try_receive(l.nic[1], 3, 5, 0, &data, sizeof data, &taken));
    }
    must(tail_of(&l, 1) == NIC_RESTART_LINES);
    must(!nic_try_receive(l.nic[1], 3, 5, 0, &data, sizeof data, &taken));
    must(tail_of(&l, 1) == NIC_RING_LINES && head_of(&l, 1) == NIC_RING_LINES);
    nic_leave(l.nic[1]);
    loop_close(&l);
}
END_TEST

/* Not while somebody has reserved lines, and not published them. */
START_TEST(no_restart)
{
    struct loop l;
    uint64_t seen = 0, pos;
    struct nic_ring *ring;

    loop_open(&l, 2);
    ring = nic_job_ring(l.job, 1);
    for (unsigned i = 0; i < NIC_RESTART_LINES; i++)
        must(send_payload(&l, 0, 8, i) == 0);
    must(nic_ring_reserve(ring, 1, &seen, &pos));
    loop_drain(l.nic[1]);
    must(tail_of(&l, 1) == NIC_RESTART_LINES + 1 && head_of(&l, 1) == NIC_RESTART_LINES);
    nic_ring_at(ring, pos)->match = 9;
    nic_ring_publish_header(ring, pos, nic_word0(pos, 7, 0, 0, 0));
    loop_drain(l.nic[1]);
    must(l.catcher[1]->packets == NIC_RESTART_LINES + 1 && l.catcher[1]->packet.match == 9);
    must(head_of(&l, 1) == NIC_RING_LINES);
    loop_close(&l);
}
END_TEST

/* So many restarts that stamps come round: what a burst has left on lines that nobody has used
 * since is not taken for packets. */
START_TEST(stamps_come_round)
{
    enum { LAPS = 1 << 15 };
    struct loop l;
    unsigned long sent = NIC_RING_LINES - 1;

    loop_open(&l, 2);
    send_and_drain(&l, NIC_RING_LINES - 1);
    for (unsigned i = 0; i < LAPS; i++, sent += NIC_RESTART_LINES) {
        must(tail_of(&l, 1) == (i + 1) * (uint64_t)NIC_RING_LINES);
        send_and_drain(&l, NIC_RESTART_LINES);
        must(l.catcher[1]->packets == sent + NIC_RESTART_LINES);
    }
    loop_close(&l);
}
END_TEST

static void step(struct nic *n)
{
    nic_enter(n);
    must(nic_step(n));
    nic_leave(n);
}

/* A full ring refuses, without harm to what it holds, and takes more as soon as there is room for
 * who has been refused. */
START_TEST(full)
{
    struct loop l;
    unsigned long sent = 0;

    loop_open(&l, 2);
    for (int round = 0; round < 3; round++) {
        unsigned long before = sent;
        while (!send_payload(&l, 0, 8, (unsigned)sent))
            sent++;
        must(sent - before == NIC_RING_LINES);
        must(send_payload(&l, 0, 0, 0) == -EAGAIN);
        must(send_payload(&l, 0, NIC_MESSAGE_BYTES_MAX, 0) == -EAGAIN);
        must(!nic_send_now(l.nic[0], 1, 1, 0, NULL, 0));
        while (tail_of(&l, 1) - head_of(&l, 1) + 1 + NIC_RESUME_LINES > NIC_RING_LINES) {
            must(send_payload(&l, 0, 8, 0) == -EAGAIN);
            step(l.nic[1]);
        }
        must(l.catcher[1]->packets > before);
        must(send_payload(&l, 0, 8, (unsigned)sent++) == 0);
        loop_drain(l.nic[1]);
        expect_payload(&l, sent, 8, (unsigned)sent - 1);
    }
    loop_close(&l);
}
END_TEST

/* A long packet that does not fit leaves the room to a short one of another sender. */
START_TEST(nearly_full)
{
    struct loop l;
    unsigned lines = nic_ring_lines_for(NIC_MESSAGE_BYTES_MAX);
    unsigned long sent = 0;

    loop_open(&l, 3);
    for (; tail_of(&l, 1) + lines <= NIC_RING_LINES; sent++)
        must(send_payload(&l, 0, NIC_MESSAGE_BYTES_MAX, (unsigned)sent) == 0);
    must(send_payload(&l, 0, NIC_MESSAGE_BYTES_MAX, 0) == -EAGAIN);
    while (!send_payload_from(&l, 2, 0, 1, (unsigned)sent))
        sent++;
    must(tail_of(&l, 1) == NIC_RING_LINES);
    loop_drain(l.nic[1]);
    expect_payload(&l, sent, 1, (unsigned)sent - 1);
    must(send_payload(&l, 0, NIC_MESSAGE_BYTES_MAX, (unsigned)sent) == 0);
    loop_drain(l.nic[1]);
    expect_payload(&l, sent + 1, NIC_MESSAGE_BYTES_MAX, (unsigned)sent);
    loop_close(&l);
}
END_TEST

/* Payload whose words are what word 0 of a header would be, of this lap, the next ones and the
 * last: after each packet, and a lap later, nothing is found where it lay. */
START_TEST(payload_like_stamps)
{
    enum { WORDS = NIC_MESSAGE_BYTES_MAX / 8 };
    static uint64_t words[WORDS];
    struct loop l;
    uint64_t random = 7 + (uint64_t)_i, first = first_laps[_i] * NIC_RING_LINES;
    unsigned long sent = 0;

    open_at(&l, first);
    while (tail_of(&l, 1) < first + 12 * NIC_RING_LINES) {
        uint32_t bytes = 8 * loop_below(&random, loop_below(&random, 4) ? 200 : WORDS + 1);
        uint64_t pos = tail_of(&l, 1) + loop_below(&random,
                3) * NIC_RING_LINES - (loop_below(&random, 4) ? 0 : NIC_RING_LINES);
        for (uint32_t i = 0; i < bytes / 8; i++)
            words[i] = nic_word0(pos, (uint8_t)(i % 5), 0,
                                 i % 7 ? 8 * (i % 7) : NIC_MESSAGE_BYTES_MAX, 0);
        struct nic_tx m = { .type = 1, .match = nic_word0(pos, 1, 0, 1, 0), .data = words,
                                 .data_bytes = bytes };
        must(loop_send(l.nic[0], 1, &m) == 0);
        loop_drain(l.nic[1]);
        sent++;
        must(l.catcher[1]->packets == sent);
        must(l.catcher[1]->packet.length == bytes);
        must(!memcmp(l.catcher[1]->data, words, bytes));
        nic_enter(l.nic[1]);
        must(!nic_step(l.nic[1]));
        nic_leave(l.nic[1]);
    }
    loop_close(&l);
}
END_TEST

/* -- many senders to one */

enum { SENDERS = 4, EACH = 4000 };

static struct loop flood;
static unsigned next_of[SENDERS + 1];

/* Size of the n-th message of a sender. */
static uint32_t flood_bytes(unsigned sender, unsigned n)
{
    uint64_t random = (uint64_t)sender << 32 | (n * 2654435761u | 1);

    loop_random(&random);
    return n % 50 == 0 ? loop_below(&random, NIC_MESSAGE_BYTES_MAX + 1)
           : loop_below(&random, n % 3 ? 49 : 1100);
}

static void check_flood(struct catcher *c, const struct nic_packet *p)
{
    unsigned sender = (unsigned)(p->match >> 32), n = (unsigned)p->match;

    must(sender >= 1);
    must(sender <= SENDERS);
    must(n == next_of[sender]);
    must(p->length == flood_bytes(sender, n));
    must(loop_is_payload(c->data, p->length, sender * 1000 + n));
    next_of[sender]++;
}

static void *flood_sender(void *argument)
{
    unsigned rank = (unsigned)(uintptr_t)argument;
    struct nic *nic = flood.nic[rank];

    for (unsigned n = 0; n < EACH;) {
        const unsigned char *data = loop_payload(rank * 1000 + n);
        uint64_t match = (uint64_t)rank << 32 | n;
        struct nic_tx m = { .type = 9, .match = match, .data = data,
                                 .data_bytes = flood_bytes(rank, n) };
        bool sent = n % 2 ? nic_send_now(nic, 0, 9, match, data, m.data_bytes)
                    : !loop_send(nic, 0, &m);
        if (sent)
            n++;
        else
            sched_yield();
    }
    return NULL;
}

START_TEST(many_senders)
{
    pthread_t thread[SENDERS];

    memset(next_of, 0, sizeof next_of);
    loop_open(&flood, SENDERS + 1);
    flood.catcher[0]->caught = check_flood;
    for (uintptr_t i = 0; i < SENDERS; i++)
        must(pthread_create(&thread[i], NULL, flood_sender, (void *)(i + 1)) == 0);
    while (flood.catcher[0]->packets < SENDERS * EACH) {
        loop_drain(flood.nic[0]);
        sched_yield();
    }
    for (unsigned i = 0; i < SENDERS; i++)
        pthread_join(thread[i], NULL);
    loop_drain(flood.nic[0]);
    for (unsigned i = 1; i <= SENDERS; i++)
        must(next_of[i] == EACH);
    loop_close(&flood);
}
END_TEST

/* -- the short ways */

START_TEST(take)
{
    struct loop l;
    struct nic_received taken;
    unsigned char data[LOOP_BYTES];

    loop_open(&l, 2);
    never_restart(&l);
    for (uint32_t bytes = 0; bytes <= NIC_MESSAGE_BYTES_MAX; bytes += bytes < 2100 ? 1 : 61) {
        must(nic_send_now(l.nic[0], 1, 3, 0xab00 + bytes, loop_payload(bytes), bytes));
        nic_enter(l.nic[1]);
        must(nic_try_receive(l.nic[1], 3, 0xab00, 0xffff, data, bytes + bytes % 3, &taken));
        nic_leave(l.nic[1]);
        must(taken.match == 0xab00 + bytes);
        must(taken.length == bytes);
        must(loop_is_payload(data, bytes, bytes));
    }
    must(l.catcher[1]->packets == 0);
    loop_close(&l);
}
END_TEST

/* Of two lines, or of more, with bytes that would pass for a header: behind the message there is
 * nothing, on whatever line of the ring it lay and whatever lay there before. */
START_TEST(take_clears)
{
    enum { TURNS = 3, WORDS = 50 };
    struct loop l;
    struct nic_received taken;
    uint64_t data[WORDS], noise[WORDS];

    loop_open(&l, 2);
    never_restart(&l);
    nic_enter(l.nic[1]);
    for (uint64_t used = 0, step = 0; used < TURNS * NIC_RING_LINES; step++) {
        uint32_t bytes = _i ? 113 + (uint32_t)(step % 280) : 49 + (uint32_t)(step % 64);
        /* one line: from here on the others fall on odd lines where they fell on even ones */
        if (step % 1009 == 0)
            bytes = 8;
        for (unsigned i = 0; i < WORDS; i++)    /* stamps of the next lap: type 3, 48 bytes */
            noise[i] = UINT64_C(48) << 32 | 3 << 16 | nic_ring_stamp(used + NIC_RING_LINES);
        must(nic_send_now(l.nic[0], 1, 3, 5, noise, bytes));
        must(nic_try_receive(l.nic[1], 3, 5, 0, data, sizeof data, &taken));
        must(taken.length == bytes && !memcmp(data, noise, bytes));
        used += bytes > 48 ? 1 + (bytes - 48 + 63) / 64 : 1;
        for (unsigned i = 0; i < 3; i++)
            must(!nic_step(l.nic[1]));
    }
    must(l.catcher[1]->packets == 0);
    nic_leave(l.nic[1]);
    loop_close(&l);
}
END_TEST

/* What is not asked for stays, and goes the usual way. */
START_TEST(take_refuses)
{
    struct loop l;
    struct nic_received taken;
    unsigned char data[4096];
    struct nic_tx flagged = { .type = 3, .flags = 1, .match = 5 };

    loop_open(&l, 2);
    nic_enter(l.nic[1]);
    must(!nic_try_receive(l.nic[1], 3, 5, 0, data, sizeof data, &taken));
    must(nic_send_now(l.nic[0], 1, 3, 5, loop_payload(1), 2000));
    must(!nic_try_receive(l.nic[1], 4, 5, 0, data, sizeof data, &taken));
    must(!nic_try_receive(l.nic[1], 3, 6, 0, data, sizeof data, &taken));
    must(!nic_try_receive(l.nic[1], 3, 5, 0, data, 1999, &taken));
    must(nic_step(l.nic[1]));
    must(l.catcher[1]->packets == 1);
    must(loop_is_payload(l.catcher[1]->data, 2000, 1));
    nic_enter(l.nic[0]);
    must(nic_send(l.nic[0], 1, &flagged) == 0);
    nic_leave(l.nic[0]);
    must(!nic_try_receive(l.nic[1], 3, 5, 0, data, sizeof data, &taken));
    nic_step(l.nic[1]);
    must(l.catcher[1]->packets == 2);
    nic_leave(l.nic[1]);
    loop_close(&l);
}
END_TEST

/* A sink smaller than the packet gets its start, none gets
 * nothing; either way the next packet is whole. */
static size_t sink_room;
static unsigned char sunk[LOOP_BYTES];
static struct nic *sink_nic;
static unsigned sink_landed;

static void sink_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    (void)nic;
    (void)context;
    if (p->length > p->head_bytes && sink_room)
        nic_receive_body(sink_nic, sunk, sink_room, &sunk);
}

static void sink_has_landed(struct nic *nic, void *context, void *cookie)
{
    (void)nic;
    (void)context;
    must(cookie == &sunk);
    sink_landed++;
}

START_TEST(small_sinks)
{
    static const struct nic_program program = { .name = "sink", .packet = sink_packet,
            .landed = sink_has_landed, .command = catcher_command,
                                                .advance = catcher_advance };
    struct nic_job *job = loop_job(2);
    struct nic *sender = loop_nic(job, 0, NIC_PROGRESS_HOST, &program, NULL);
    unsigned wanted = 0;

    sink_nic = loop_nic(job, 1, NIC_PROGRESS_HOST, &program, NULL);
    sink_landed = 0;
    for (uint32_t bytes = 49; bytes < NIC_MESSAGE_BYTES_MAX; bytes += 97)
        for (sink_room = 0; sink_room < bytes; sink_room = sink_room * 3 + 7) {
            struct nic_tx m = { .type = 1, .data = loop_payload(bytes), .data_bytes = bytes };
            memset(sunk, 0, sizeof sunk);
            must(loop_send(sender, 1, &m) == 0);
            loop_drain(sink_nic);
            size_t kept = sink_room < bytes - NIC_HEAD_BYTES ? sink_room : bytes - NIC_HEAD_BYTES;
            must(!memcmp(sunk, loop_payload(bytes) + NIC_HEAD_BYTES, kept));
            must(sunk[kept] == 0);
            wanted += sink_room > 0;
            must(sink_landed == wanted);
        }
    nic_close(sender);
    nic_close(sink_nic);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ring");
    TCase *tcase = tcase_create("ring");
    int laps_count = sizeof first_laps / sizeof *first_laps;

    tcase_add_test(tcase, all_sizes);
    tcase_add_test(tcase, heads);
    tcase_add_test(tcase, too_long);
    tcase_add_loop_test(tcase, laps, 0, laps_count);
    tcase_add_test(tcase, end_inside_packet);
    tcase_add_test(tcase, restart);
    tcase_add_test(tcase, restart_by_taking);
    tcase_add_test(tcase, no_restart);
    tcase_add_test(tcase, stamps_come_round);
    tcase_add_test(tcase, full);
    tcase_add_test(tcase, nearly_full);
    tcase_add_loop_test(tcase, payload_like_stamps, 0, laps_count);
    tcase_add_test(tcase, many_senders);
    tcase_add_test(tcase, take);
    tcase_add_loop_test(tcase, take_clears, 0, 2);
    tcase_add_test(tcase, take_refuses);
    tcase_add_test(tcase, small_sinks);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
