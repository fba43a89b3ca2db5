/* Packets between NICs that no NIC sends: senseless ones, invented replies, and those whose memory
 * goes while they come in. */
#include "shapes.h"
#include "transfers.h"

enum { GUARD = 4096 };

struct wire { uint16_t source, what; uint32_t key; uint64_t offset, hull_offset, hull_bytes; };

static uint64_t near_edge(uint64_t *random, uint64_t size)
{
    switch (loop_below(random, 5)) {
    case 0: return loop_random(random);
    case 1: return size + loop_below(random, 9) - 4;
    case 2: return UINT64_MAX - loop_below(random, 20000);
    case 3: return loop_below(random, 20);
    default: return loop_below(random, (uint32_t)size);
    }
}

/* Past the program's door, which refuses such types. */
static void send_raw(const struct nic_tx *m)
{
    nic_enter(l.nic[0]);
    while (l.nic[0]->link->send(l.nic[0], 1, m, true)) {
        nic_leave(l.nic[0]);
        turn(1);
        turn(0);
        nic_enter(l.nic[0]);
    }
    nic_leave(l.nic[0]);
}

/* A list that is sound but for the places of some blocks. */
static void send_bad_list(uint64_t *random, uint32_t key, uint64_t size)
{
    struct { uint64_t counter, amount; struct nic_block block[20]; unsigned char data[2000];
             } body = { .counter = NIC_SPAD_NONE };
    bool put = loop_below(random, 2), last = put && loop_below(random, 2);
    unsigned count = 1 + loop_below(random, 20);
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; i++) {
        body.block[i] = (struct nic_block){ loop_below(random, (uint32_t)size - 100),
                                            1 + loop_below(random, 99) };
        if (loop_below(random, count) == 0)
            body.block[i].offset = near_edge(random, size);
        sum += body.block[i].bytes;
    }
    /* what is behind the blocks does not matter */
    memmove(&body.block[count], body.data, sum);
    struct wire w = { .source = 0,
                      .what = (uint16_t)(0x8000 | (last ? 0x4000 : 0) | (put ? 0 : sum)),
                          .key = key, .offset = count, .hull_bytes = size };
    unsigned char *from = last ? (unsigned char *)&body : (unsigned char *)body.block;
    struct nic_tx m = { .type = put ? NIC_HW_PUT : NIC_HW_GET, .head = &w,
                             .head_bytes = sizeof w, .data = from,
                             .data_bytes = (uint32_t)((last ? 16 : 0) + count * sizeof *body.block
                                                      + (put ? sum : 0)) };
    send_raw(&m);
}

/* A packet that is almost right, or not at all. */
static void send_garbage(uint64_t *random, const uint32_t *keys, unsigned count, uint64_t size)
{
    unsigned char data[1200];
    struct wire w = { .source = (uint16_t)(loop_below(random, 8) ? loop_below(random, 2)
                                           : loop_random(random)),
                                               .what = (uint16_t)loop_random(random),
                      .key = loop_below(random, 6) ? keys[loop_below(random, count)]
                          : (uint32_t)loop_random(random), .offset = near_edge(random, size),
                      .hull_offset = near_edge(random, size),
                          .hull_bytes = near_edge(random, size) };
    fill_random(data, sizeof data, random);
    if (loop_below(random, 2))
        for (unsigned i = 0; i < 40; i++) {
            struct nic_block b = { near_edge(random, size), near_edge(random, 60) };
            memcpy(data + i * sizeof b, &b, sizeof b);
        }
    if (loop_below(random, 3) == 0)
        w.offset = loop_below(random, 60);      /* as a number of blocks */
    if (loop_below(random, 2))
        w.hull_offset = 0, w.hull_bytes = size;
    struct nic_tx m =
        { .type = (uint8_t)(NIC_HW_FIRST + loop_below(random, NIC_HW_END - NIC_HW_FIRST + 2)),
          .match = loop_random(random) >> loop_below(random, 64),
                             .flags = loop_below(random, 4) ? 0 : (uint8_t)loop_random(random),
                                 .head = &w, .head_bytes = (uint16_t)(8 * loop_below(random, 5)),
                             .data = data,
                                 .data_bytes = loop_below(random,
                                                          loop_below(random, 2) ? 64
                                                              : sizeof data) };
    if (loop_below(random, 16) == 0)
        m.type = (uint8_t)(NIC_HW_FIRST + loop_below(random, 256 - NIC_HW_FIRST));
    send_raw(&m);
}

START_TEST(garbage)
{
    enum { BYTES = 5000, PACKETS = 60000 };
    static unsigned char fixed[BYTES], open_to_all[BYTES + 2 * GUARD], local[BYTES], copy[BYTES];
    uint64_t random = seed;
    struct nic_outcome o = { .done = NULL };
    begin_job(3);
    fill_random(fixed, BYTES, &random);
    memcpy(copy, fixed, BYTES);
    memset(open_to_all, 0xab, sizeof open_to_all);
    const uint32_t keys[] = { open_memory(1, fixed, BYTES, NIC_RIGHT_READ),
                              open_memory(1, open_to_all + GUARD, BYTES, NIC_RIGHT_ALL),
                                  NIC_KEY_HEAP };
    allow(2, NIC_PATH_STAGED);
    for (unsigned i = 0; i < PACKETS; i++) {
        send_garbage(&random, keys, 3, BYTES);
        if (i % 8 == 0)
            send_bad_list(&random, keys[loop_below(&random, 2)], BYTES);
        if (i % 16 == 0)
            settle();
        if (i % 1000 == 0) {        /* in between an honest rank gets what it asks for */
            struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, keys[0], 0 },
                                                    BYTES);
            must(begin(2, false, &t, &o) == 0 && finish(&o) == 0 && !memcmp(local, copy, BYTES));
        }
    }
    settle();
    must(!memcmp(fixed, copy, BYTES) && l.nic[1]->counts.hw_dropped > PACKETS / 4);
    for (unsigned i = 0; i < GUARD; i++)
        must(open_to_all[i] == 0xab && open_to_all[GUARD + BYTES + i] == 0xab);
    end_job();
}
END_TEST

/* Replies that nobody waits for, from the wrong rank, or to a NIC that this rank had before, whose
 * numbers began elsewhere, end nothing. */
START_TEST(invented_replies)
{
    static unsigned char memory[1000], local[1000];
    struct nic_outcome o = { .done = NULL };
    begin_job(3);
    uint32_t key = open_memory(1, memory, sizeof memory, NIC_RIGHT_ALL);
    allow(0, NIC_PATH_STAGED);
    struct nic_transfer t = nic_transfer_of(local, (struct nic_address){ 1, key, 0 }, sizeof local);
    must(begin(0, false, &t, &o) == 0);
    /* the request is out; its id is known here only because we look into the NIC */
    turn(0);
    uint64_t id = nic_pending_id(&l.nic[0]->remote->pending[0][0]);
    const uint64_t ids[] = { id, id, id + (UINT64_C(1) << 32), id + 1, (uint32_t)id };
    nic_enter(l.nic[2]);
    for (unsigned i = 0; i < 5; i++) {
        struct { uint32_t source; int32_t status; } reply = { i == 0 ? 2 : 1, -EIO };
        nic_hw_send(l.nic[2], 0, i == 1 ? NIC_HW_PUT_REPLY : NIC_HW_GET_REPLY, ids[i], &reply,
                    sizeof reply, NULL, 0);
    }
    nic_leave(l.nic[2]);
    while (turn(0))
        ;
    must(nic_outcome_status(&o) == -EINPROGRESS && l.nic[0]->counts.hw_dropped == 5);
    must(finish(&o) == 0);
    must(!close_memory(1, key));
    end_job();
}
END_TEST

/* Packets that waited for room are not overtaken: each
 * puts its number, and the numbers count up. */
START_TEST(order_of_queued)
{
    enum { BYTES = 8000, PACKETS = 200 };
    static uint32_t memory[BYTES / 4], data[BYTES / 4];
    uint64_t random = seed;
    uint32_t sent = 0, seen = 0;
    begin_job(2);
    uint32_t key = open_memory(1, memory, BYTES, NIC_RIGHT_WRITE);
    while (seen < PACKETS) {
        for (unsigned n = loop_below(&random, 30); n-- && sent < PACKETS;) {
            struct wire w = { .key = key, .hull_bytes = BYTES };
            sent++;
            for (unsigned i = 0; i < BYTES / 4; i++)
                data[i] = sent;
            nic_enter(l.nic[0]);
            nic_hw_send(l.nic[0], 1, NIC_HW_PUT, 0, &w, sizeof w, data, BYTES);
            nic_leave(l.nic[0]);
        }
        if (loop_below(&random, 2))
            turn(0);
        for (unsigned n = loop_below(&random, 12); n--;) {
            nic_enter(l.nic[1]);
            l.nic[1]->link->poll(l.nic[1]);     /* one packet */
            nic_leave(l.nic[1]);
            must(memory[0] == memory[BYTES / 4 - 1]
                 && (memory[0] == seen || memory[0] == seen + 1));
            seen = memory[0];
        }
    }
    must(l.nic[0]->counts.hw_waited > 10 && !l.nic[1]->counts.hw_dropped);
    must(!close_memory(1, key));
    end_job();
}
END_TEST

/* The first chunk of a packet is in the memory, the rest still on its way, when the memory's key
 * ends: the rest goes nowhere. */
START_TEST(deregister_in_a_packet)
{
    enum { BYTES = 12000 };
    static unsigned char memory[BYTES], data[BYTES];
    struct nic_ring *ring;
    uint64_t pos, head_seen = 0;
    begin_job(2);
    memset(data, 0xdd, BYTES);
    uint32_t key = open_memory(1, memory, BYTES, NIC_RIGHT_WRITE);
    const struct wire w = { .key = key, .hull_bytes = BYTES };
    ring = nic_job_ring(l.job, 1);
    must(nic_ring_reserve(ring, nic_ring_lines_for(sizeof w + BYTES), &head_seen, &pos));
    memcpy(nic_ring_at(ring, pos)->head, &w, sizeof w);
    memset(nic_ring_at(ring, pos)->head + sizeof w, 0xdd, NIC_HEADER_DATA - sizeof w);
    memset((void *)nic_ring_at(ring, pos + 1), 0xdd, NIC_INTERIOR_DATA);
    nic_ring_publish_header(ring, pos, nic_word0(pos, NIC_HW_PUT, 0, sizeof w + BYTES, 0));
    turn(1);
    must(l.nic[1]->landing.bytes && memory[NIC_INTERIOR_DATA] == 0xdd);
    must(!close_memory(1, key));
    memset(memory, 0, BYTES);
    for (uint32_t left = sizeof w + BYTES - NIC_HEADER_DATA - NIC_INTERIOR_DATA; left;) {
        uint32_t chunk = left < NIC_CONTINUATION_DATA + NIC_INTERIOR_DATA ? left
                         : NIC_CONTINUATION_DATA + NIC_INTERIOR_DATA;
        pos += NIC_CHUNK_LINES;
        memset(nic_ring_at(ring, pos)->body, 0xdd, NIC_CONTINUATION_DATA);
        if (chunk > NIC_CONTINUATION_DATA)
            memset((void *)nic_ring_at(ring, pos + 1), 0xdd, chunk - NIC_CONTINUATION_DATA);
        nic_ring_publish(ring, pos, nic_ring_stamp(pos));
        left -= chunk;
    }
    settle();
    must(!l.nic[1]->landing.bytes);
    for (unsigned i = 0; i < BYTES; i++)
        must(!memory[i]);
    end_job();
}
END_TEST

/* Types of the hardware are not for programs. */
START_TEST(types_are_reserved)
{
    begin_job(2);
    for (unsigned type = NIC_HW_FIRST; type < 256; type++) {
        struct nic_tx m = { .type = (uint8_t)type };
        must(loop_send(l.nic[0], 1, &m) == -EINVAL);
        nic_enter(l.nic[0]);
        must(nic_send_service(l.nic[0], 1, &m) == -EINVAL);
        nic_leave(l.nic[0]);
        must(!nic_send_now(l.nic[0], 1, (uint8_t)type, 0, NULL, 0));
    }
    settle();
    must(!l.catcher[1]->packets);
    end_job();
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("garbage");
    TCase *c = tcase_create("packets");
    suite_add_tcase(s, c);
    tcase_add_test(c, garbage);
    tcase_add_test(c, invented_replies);
    tcase_add_test(c, order_of_queued);
    tcase_add_test(c, deregister_in_a_packet);
    tcase_add_test(c, types_are_reserved);
    return s;
}

int main(void) { return transfers_run(suite()); }
