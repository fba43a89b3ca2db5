/* What machines send each other: frames, those that nobody should send, and their numbers. */
#include <errno.h>

#include "machines.h"
#include "wire/frame.h"
#include "wire/state.h"

/* -- frames */

/* What was there before does not leave in the bytes between packets. */
START_TEST(test_frame)
{
    static unsigned char frame[NIC_FRAME_BYTES];
    uint64_t head[2] = { 3, 4 };
    uint32_t end = 8, at = 8;
    memset(frame, 0xff, sizeof frame);
    for (unsigned i = 0; i < 60; i++) {
        struct nic_tx t = { .type = (uint8_t)i, .flags = 3, .match = i * 5, .head = head,
                            .head_bytes = i % 3 * 8, .data = loop_payload(i), .data_bytes = i * 7 };
        memcpy(nic_frame_add(frame, end, &t), t.data, t.data_bytes);
        end += nic_frame_room(t.head_bytes + t.data_bytes);
        ck_assert_uint_eq(end % 8, 0);
    }
    struct nic_packet p;
    for (unsigned i = 0; i < 60; i++) {
        uint32_t skip = i % 3 * 8;
        must(nic_frame_next(frame, end, &at, &p));
        must(p.type == i && p.flags == 3 && p.match == i * 5 && p.length == skip + i * 7);
        must(p.head_bytes == (p.length < NIC_HEAD_BYTES ? p.length : NIC_HEAD_BYTES));
        must(loop_is_payload((const char *)p.head + skip, p.length - skip, i));
        for (const unsigned char *b = (const unsigned char *)p.head + p.length; b < frame + at; b++)
            must(!*b);
    }
    must(!nic_frame_next(frame, end, &at, &p) && at == end);
}
END_TEST

/* Whatever stands in a frame, nothing behind its end is read, and it ends. */
START_TEST(test_garbage)
{
    uint64_t random = loop_seed(11);
    for (unsigned round = 0; round < 3000; round++) {
        uint32_t bytes = loop_below(&random, 300), at = 0, before = 0;
        unsigned char *frame = malloc(bytes + !bytes);
        for (uint32_t i = 0; i < bytes; i++)
            frame[i] = loop_below(&random, 3) ? 0 : (unsigned char)loop_random(&random);
        struct nic_packet p;
        while (nic_frame_next(frame, bytes, &at, &p)) {
            must(at > before && at <= bytes && p.length <= NIC_FRAME_PACKET_LONG);
            must(p.length <= NIC_LENGTH_MAX || p.type < NIC_HW_FIRST);
            must((const unsigned char *)p.head + p.length <= frame + bytes);
            before = at;
        }
        free(frame);
    }
}
END_TEST

/* The longest packets of the program's and of the hardware's, and longer ones. */
START_TEST(test_frame_limits)
{
    static const struct { uint8_t type; uint32_t length; bool sound; } cases[] = {
        { 5, NIC_LENGTH_MAX + 1, true }, { 5, NIC_FRAME_PACKET_LONG, true },
        { 5, NIC_FRAME_PACKET_LONG + 1, false }, { 5, UINT32_MAX, false },
        { 5, UINT32_MAX - 7, false }, { NIC_HW_FIRST, NIC_LENGTH_MAX, true },
        { NIC_HW_FIRST, NIC_LENGTH_MAX + 1, false },
    };
    static unsigned char frame[2 * NIC_FRAME_BYTES_LONG];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nic_frame_packet head = { .type = cases[i].type, .length = cases[i].length };
        struct nic_packet p;
        uint32_t at = 8;
        memcpy(frame + at, &head, sizeof head);
        must(nic_frame_next(frame, sizeof frame, &at, &p) == cases[i].sound);
        must(cases[i].sound ? p.length == cases[i].length : at == 8);
    }
    const struct nic_frame_packet keyed = { .type = 5, .flags = NIC_FLAG_KEYED };
    struct nic_packet p;
    uint32_t at = 8;
    memcpy(frame + at, &keyed, sizeof keyed);
    must(!nic_frame_next(frame, sizeof frame, &at, &p));    /* only the model clock sends that */
}
END_TEST

/* -- frames that nobody should send */

/* Of rank 2, whom nobody hears of otherwise, or of a source that cannot be. */
static uint32_t make_garbage(uint64_t *random, unsigned char *frame, uint32_t *sequence)
{
    static const uint16_t sources[] = { 0, 2, 2, 2, 2, 2, 2, 3, 65535 };
    uint32_t bytes = loop_below(random, 200);
    struct nic_frame_head head = { .kind = NIC_FRAME_PACKETS, .source = sources[loop_below(random,
                                                                                          9)] };
    for (uint32_t i = 0; i < bytes; i++)
        frame[i] = loop_below(random, 2) ? 0 : (unsigned char)loop_random(random);
    if (!loop_below(random, 8))
        head.kind = (uint16_t)loop_random(random);
    if (loop_below(random, 8))
        head.sequence = *sequence;
    else
        head.sequence = (uint32_t)loop_random(random);
    if (bytes >= sizeof head)
        memcpy(frame, &head, sizeof head);
    *sequence += bytes >= sizeof head && head.kind == NIC_FRAME_PACKETS && head.source == 2
                 && head.sequence == *sequence;
    return bytes;
}

START_TEST(test_hostile)
{
    enum { ROUNDS = LOOP_SANITIZED ? 300 : 1500 };
    struct machines m;
    uint64_t random = loop_seed(3), to;
    char why[256];
    struct nic_wire *wire;
    struct nic_wire_event events[8];
    const struct nic_wire_ops *ops = nic_wire_load(why, sizeof why);
    struct nic_wire_config config = { .frame_bytes = NIC_FRAME_BYTES,
                                      .provider = getenv("NICEMU_OFI_PROVIDER") };
    uint32_t sequence = 0;
    machines_open(&m, 3, 3, NIC_PROGRESS_HOST);
    must(ops->open(&config, &wire, why, sizeof why) == 0);
    must(ops->insert(wire, m.address[0], &to) == 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct nic_wire_frame *f;
        while (!(f = ops->frame(wire))) {
            ops->poll(wire, events, 8);
            machines_step(m.nic[0]);
        }
        f->bytes = make_garbage(&random, f->data, &sequence);
        while (ops->send(wire, to, f) == -EAGAIN) {
            ops->poll(wire, events, 8);
            machines_step(m.nic[0]);
        }
    }
    for (unsigned i = 0; i < 1000; i++) {
        ops->poll(wire, events, 8);
        machines_step(m.nic[0]);
    }
    must(m.nic[0]->stats.value[NIC_STAT_packets_malformed] > 0);
    unsigned long before = m.catcher[0]->packets;
    struct nic_tx t = { .type = 7, .data = loop_payload(4), .data_bytes = 3000 };
    machines_send(&m, 1, 0, &t);
    while (m.catcher[0]->packet.type != 7 || m.catcher[0]->packet.length != 3000)
        machines_await(&m, 0, ++before);
    must(loop_is_payload(m.catcher[0]->data, 3000, 4));
    ops->close(wire);
    machines_close(&m);
}
END_TEST

/* -- frames by their numbers: somebody says that he is rank 2 */

static struct { const struct nic_wire_ops *ops; struct nic_wire *wire; uint64_t to; } stranger;

static void open_stranger(struct machines *m)
{
    char why[256];
    struct nic_wire_config config = { .frame_bytes = NIC_FRAME_BYTES,
                                      .provider = getenv("NICEMU_OFI_PROVIDER") };
    stranger.ops = nic_wire_load(why, sizeof why);
    must(stranger.ops->open(&config, &stranger.wire, why, sizeof why) == 0);
    must(stranger.ops->insert(stranger.wire, m->address[0], &stranger.to) == 0);
}

static void turn_stranger(struct machines *m)
{
    struct nic_wire_event events[8];
    stranger.ops->poll(stranger.wire, events, 8);
    machines_step(m->nic[0]);
}

/* With a packet that has the frame's number in its match bits, and so many senseless bytes. */
static void send_numbered(struct machines *m, enum nic_frame_kind kind, uint32_t sequence,
                          uint32_t senseless)
{
    const struct nic_frame_head head = { .kind = (uint16_t)kind, .source = 2,
                                         .sequence = sequence };
    const struct nic_tx packet = { .type = 5, .match = sequence };
    struct nic_wire_frame *f;
    while (!(f = stranger.ops->frame(stranger.wire)))
        turn_stranger(m);
    memcpy(f->data, &head, sizeof head);
    nic_frame_add(f->data, sizeof head, &packet);
    f->bytes = (uint32_t)sizeof head + nic_frame_room(0);
    memset(f->data + f->bytes, 0xff, senseless);
    f->bytes += senseless;
    while (stranger.ops->send(stranger.wire, stranger.to, f) == -EAGAIN)
        turn_stranger(m);
}

static void count_up(struct catcher *c, const struct nic_packet *p)
{
    must(nic_packet_source(c->nic) == 2 && p->match == c->packets - 1);
}

/* Until so many packets have come, and so many frames and rests of frames been dropped. */
static void expect_came(struct machines *m, unsigned long packets, uint64_t dropped)
{
    const uint64_t *malformed = &m->nic[0]->stats.value[NIC_STAT_packets_malformed];
    while (m->catcher[0]->packets < packets || *malformed < dropped)
        turn_stranger(m);
    must(m->catcher[0]->packets == packets && *malformed == dropped);
}

/* What comes before its turn waits for it, however often that happens; what comes twice, or too
 * long before, is dropped, as is what makes no sense at the end of a frame, and all behind a
 * good-bye. */
START_TEST(test_numbers)
{
    enum { ROUNDS = NIC_WIRE_EARLY };
    struct machines m;
    uint32_t next = 0;
    machines_open(&m, 3, 3, NIC_PROGRESS_HOST);
    m.catcher[0]->caught = count_up;
    open_stranger(&m);
    for (unsigned i = 0; i < ROUNDS; i++, next += 3) {
        static const uint32_t order[] = { 2, 1, 2, 0 };
        for (unsigned k = 0; k < 4; k++)
            send_numbered(&m, NIC_FRAME_PACKETS, next + order[k], 0);
        expect_came(&m, next + 3, i + 1);
    }
    send_numbered(&m, NIC_FRAME_PACKETS, next + NIC_WIRE_EARLY + 1, 0);
    expect_came(&m, next, ROUNDS + 1);
    send_numbered(&m, NIC_FRAME_PACKETS, next, 4);
    expect_came(&m, ++next, ROUNDS + 2);
    ck_assert_int_ne(nic_job_rank_state(m.job[0], 2), NIC_RANK_CLOSED);
    send_numbered(&m, NIC_FRAME_BYE, next, 0);
    expect_came(&m, ++next, ROUNDS + 2);
    ck_assert_int_eq(nic_job_rank_state(m.job[0], 2), NIC_RANK_CLOSED);
    send_numbered(&m, NIC_FRAME_PACKETS, next, 0);
    expect_came(&m, next, ROUNDS + 3);
    stranger.ops->close(stranger.wire);
    machines_close(&m);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("wire frames");
    TCase *t = tcase_create("wire frames");
    tcase_add_test(t, test_frame);
    tcase_add_test(t, test_garbage);
    tcase_add_test(t, test_frame_limits);
    if (machines_possible()) {
        tcase_add_test(t, test_hostile);
        tcase_add_test(t, test_numbers);
    }
    suite_add_tcase(s, t);
    return loop_run(s);
}
