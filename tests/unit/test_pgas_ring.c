/* The command queue for one-sided operations, on its way to the NIC: bits of commands; the ring of
 * lines against a model, by one thread and by two. */
#include <errno.h>
#include <pthread.h>
#include "core/nic.h"
#include "loop.h"
#include "offload/pgas_ring.h"

static uint64_t seed;

/* -- commands */

static struct nic_pgas_command any_command(uint64_t *random)
{
    static const unsigned ops[] = { NIC_PGAS_PUT, NIC_PGAS_GET, NIC_PGAS_ADD, NIC_PGAS_AND,
                                    NIC_PGAS_OR, NIC_PGAS_XOR, NIC_PGAS_FETCH_ADD, NIC_PGAS_SWAP,
                                    NIC_PGAS_COMPARE_SWAP };
    struct nic_pgas_command c = {
        .op = ops[loop_below(random, sizeof ops / sizeof *ops)], .size = loop_below(random, 8),
            .count = 1 + loop_below(random, 65535),
        .nid = loop_below(random, 65536), .pid = loop_below(random, 65536),
            .address = loop_random(random) % NIC_PGAS_PLACES,
        .stride = loop_below(random, 65536),
    };
    if (c.op != NIC_PGAS_PUT && c.op != NIC_PGAS_GET)
        c.size = 2 + c.size % 2;
    if (c.op == NIC_PGAS_GET || c.op >= NIC_PGAS_FETCH_ADD)
        c.local = loop_random(random) % NIC_PGAS_PLACES;
    return c;
}

START_TEST(bits)
{
    uint64_t random = seed;
    unsigned char bytes[NIC_PGAS_COMMAND_BYTES];
    struct nic_pgas_command back;

    for (unsigned i = 0; i < 100000; i++) {
        struct nic_pgas_command c = any_command(&random);
        size_t n = nic_pgas_encode(&c, bytes);
        must(n == (c.op == NIC_PGAS_GET || c.op >= NIC_PGAS_FETCH_ADD ? 24 : 16)
             && nic_pgas_command_bytes(bytes) == n);
        must(!nic_pgas_decode(bytes, &back));
        must(back.op == c.op && back.size == c.size && back.count == c.count && back.nid == c.nid
             && back.pid == c.pid && back.address == c.address
             && back.stride == c.stride && back.local == c.local);
    }
}
END_TEST

/* 111 and 149 bits mean something; all others are 0, or it is garbage. */
START_TEST(bits_to_spare)
{
    unsigned char bytes[NIC_PGAS_COMMAND_BYTES];
    struct nic_pgas_command put = { .op = NIC_PGAS_PUT, .size = 3, .count = 1, .stride = 1 },
        get = put, back;
    unsigned spare_put = 0, spare_get = 0;

    get.op = NIC_PGAS_GET;
    nic_pgas_encode(&put, bytes);
    for (unsigned bit = 25; bit < 128; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        spare_put += nic_pgas_decode(bytes, &back) != 0;
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    nic_pgas_encode(&get, bytes);
    for (unsigned bit = 25; bit < 192; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        spare_get += nic_pgas_decode(bytes, &back) != 0;
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    ck_assert_uint_eq(128 - spare_put, 111);
    ck_assert_uint_eq(192 - spare_get, 149);
}
END_TEST

START_TEST(fields_out_of_range)
{
    unsigned char bytes[NIC_PGAS_COMMAND_BYTES] = { 0 };
    const struct nic_pgas_command good = { .op = NIC_PGAS_PUT, .size = 3, .count = 1, .stride = 1 };
    struct nic_pgas_command wrong[] = { good, good, good, good, good, good, good, good, good, good,
                                        good };

    ck_assert_uint_eq(nic_pgas_encode(&good, bytes), 16);
    wrong[0].op = NIC_PGAS_NONE;
    wrong[1].op = NIC_PGAS_OP_COUNT;
    wrong[2].op = 32 + NIC_PGAS_PUT;
    wrong[3].size = 8;
    wrong[4].count = 0;
    wrong[5].count = 65536;
    wrong[6].nid = 65536;
    wrong[7].pid = 65536;
    wrong[8].address = NIC_PGAS_PLACES;
    wrong[9].stride = 65536;
    wrong[10].local = 8;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_uint_eq(nic_pgas_encode(&wrong[i], bytes), 0);
    struct nic_pgas_command add = good;
    add.op = NIC_PGAS_ADD;
    for (add.size = 0; add.size < 8; add.size++)
        ck_assert_uint_eq(nic_pgas_encode(&add, bytes), add.size == 2 || add.size == 3 ? 16 : 0);
    memset(bytes, 0, sizeof bytes);
    ck_assert_uint_eq(nic_pgas_command_bytes(bytes), 0);
    memset(bytes, 0xff, sizeof bytes);
    ck_assert_uint_eq(nic_pgas_command_bytes(bytes), 0);
}
END_TEST

/* -- the ring */

static _Alignas(64) struct nic_pgas_line ring[NIC_PGAS_LINES];
static struct nic_pgas_writer w;
static struct nic_pgas_reader r;
enum { STREAM = NIC_PGAS_LINES * NIC_PGAS_LINE_DATA,
       PER_UPDATE = NIC_PGAS_UPDATE_LINES * NIC_PGAS_LINE_DATA };

static void ring_start(void)
{
    memset(ring, 0x5a, sizeof ring);        /* what the scratchpad held before is no line */
    nic_pgas_ring_init(&w, &r, ring);
}

static unsigned char stream_byte(uint64_t i) { return (unsigned char)(i * 167 + (i >> 8) * 31); }

static size_t write_stream(uint64_t at, size_t bytes)
{
    static unsigned char data[2 * STREAM];
    for (size_t i = 0; i < bytes; i++)
        data[i] = stream_byte(at + i);
    return nic_pgas_append(&w, data, bytes, false);
}

/* Reads up to `most` bytes and checks them. */
static size_t read_stream(uint64_t at, size_t most)
{
    const unsigned char *bytes;
    size_t done = 0;
    for (size_t n; done < most && (n = nic_pgas_peek(&r, &bytes)); done += n) {
        n = n < most - done ? n : most - done;
        for (size_t i = 0; i < n; i++)
            must(bytes[i] == stream_byte(at + done + i));
        nic_pgas_consume(&r, n);
    }
    return done;
}

START_TEST(full)
{
    ring_start();
    ck_assert_uint_eq(nic_pgas_writer_room(&w), STREAM);
    ck_assert_uint_eq(write_stream(0, 2 * STREAM), STREAM);
    ck_assert_uint_eq(nic_pgas_writer_room(&w), 0);
    ck_assert_uint_eq(write_stream(STREAM, 8), 0);
    /* not all of 512 bytes: no update */
    ck_assert_uint_eq(read_stream(0, PER_UPDATE - 1), PER_UPDATE - 1);
    ck_assert_uint_eq(write_stream(STREAM, 8), 0);
    ck_assert_uint_eq(read_stream(PER_UPDATE - 1, 1), 1);
    ck_assert_uint_eq(nic_pgas_writer_room(&w), PER_UPDATE);
    ck_assert_uint_eq(write_stream(STREAM, STREAM), PER_UPDATE);
    ck_assert_uint_eq(read_stream(PER_UPDATE, 2 * STREAM), STREAM);
    ck_assert_uint_eq(nic_pgas_writer_room(&w), STREAM);
}
END_TEST

/* The word of free space moves at each 512th byte consumed and at no other; the host reads it only
 * when what it knows is used up. */
START_TEST(updates)
{
    uint64_t written = 0, consumed = 0;

    ring_start();
    for (unsigned round = 0; round < 40 * NIC_PGAS_LINES; round++) {
        must(write_stream(written, NIC_PGAS_LINE_DATA) == NIC_PGAS_LINE_DATA);
        written += NIC_PGAS_LINE_DATA;
        for (unsigned i = 0; i < NIC_PGAS_LINE_DATA; i += 8) {
            must(read_stream(consumed, 8) == 8);
            consumed += 8;
            must(atomic_load(&r.space) == consumed / PER_UPDATE * NIC_PGAS_UPDATE_LINES
                 && r.updates == consumed / PER_UPDATE);
        }
    }
    ck_assert_uint_eq(w.space_reads, 39);       /* once per lap: the reader was close behind */
    ck_assert_uint_eq(w.lines, 40 * NIC_PGAS_LINES);
}
END_TEST

/* A line that is not full is not seen until it is published, and then as far as it goes. */
START_TEST(partial_lines)
{
    const unsigned char *bytes;

    ring_start();
    for (uint64_t at = 0; at < 3 * STREAM; at += 8) {
        must(write_stream(at, 8) == 8);
        bool whole = (at + 8) % NIC_PGAS_LINE_DATA == 0;
        must(nic_pgas_peek(&r, &bytes) == (whole ? 8 : 0));
        must(nic_pgas_drained(&w, &r) == false);
        nic_pgas_publish(&w);
        nic_pgas_publish(&w);           /* nothing new: no other line */
        must(nic_pgas_peek(&r, &bytes) == 8 && read_stream(at, 100) == 8);
        must(nic_pgas_drained(&w, &r));
    }
    ck_assert_uint_eq(w.lines, 3 * STREAM / 8);
}
END_TEST

/* Whole lines are written once, in order of addresses, with the stamp last. */
START_TEST(whole_lines)
{
    ring_start();
    for (unsigned i = 0; i < NIC_PGAS_LINES; i++) {
        must(write_stream((uint64_t)i * NIC_PGAS_LINE_DATA, 40) == 40);
        must(atomic_load(&ring[i].stamp) == 0 && ring[i].data[0] == 0x5a);
        must(write_stream((uint64_t)i * NIC_PGAS_LINE_DATA + 40, 16) == 16);
        must(atomic_load(&ring[i].stamp)
             == ((uint64_t)(i + 1) << 16 | NIC_PGAS_NO_COMMAND << 8 | NIC_PGAS_LINE_DATA));
    }
    ck_assert_uint_eq(w.lines, NIC_PGAS_LINES);
}
END_TEST

/* The next command after a loss is the first that begins at or behind the place. */
/* A stamp that says more than a line holds: no more than the line is there. */
START_TEST(damaged_stamp)
{
    static struct nic_pgas_line ring[NIC_PGAS_LINES];
    struct nic_pgas_writer w;
    struct nic_pgas_reader r;
    const unsigned char *bytes;

    nic_pgas_ring_init(&w, &r, ring);
    for (unsigned filled = NIC_PGAS_LINE_DATA; filled < 256; filled++) {
        atomic_store(&ring[0].stamp, UINT64_C(1) << 16 | NIC_PGAS_NO_COMMAND << 8 | filled);
        ck_assert_uint_eq(nic_pgas_peek(&r, &bytes), NIC_PGAS_LINE_DATA);
    }
}
END_TEST

START_TEST(seek)
{
    unsigned char some[200] = { 0 };
    const unsigned char *bytes;

    ring_start();
    nic_pgas_append(&w, some, 24, true);        /* line 0 at 0 */
    nic_pgas_append(&w, some, 16, true);        /* line 0 at 24, not noted */
    nic_pgas_append(&w, some, 96, false);       /* to line 2 at 24 */
    nic_pgas_append(&w, some, 16, true);        /* line 2 at 24 */
    nic_pgas_publish(&w);
    ck_assert(nic_pgas_seek_command(&r));
    ck_assert(r.line == 0 && r.used == 0);
    nic_pgas_peek(&r, &bytes);
    nic_pgas_consume(&r, 8);
    ck_assert(nic_pgas_seek_command(&r));
    ck_assert(r.line == 2 && r.used == 24);
    nic_pgas_consume(&r, 8);
    ck_assert(!nic_pgas_seek_command(&r));
    ck_assert(nic_pgas_drained(&w, &r));
    nic_pgas_append(&w, some, 32, true);        /* line 2 at 40, not noted, to line 3 at 16 */
    nic_pgas_append(&w, some, 16, true);        /* line 3 at 16 */
    nic_pgas_publish(&w);
    ck_assert(nic_pgas_seek_command(&r));
    ck_assert(r.line == 3 && r.used == 16);
}
END_TEST

START_TEST(random_program)
{
    uint64_t random = seed + (uint64_t)_i, written = 0, published = 0, consumed = 0;

    ring_start();
    for (unsigned step = 0; step < 200000; step++) {
        size_t want = 8 * (1 + loop_below(&random, loop_below(&random, 20) ? 12 : 500)),
            freed = consumed / PER_UPDATE * PER_UPDATE;
        switch (loop_below(&random, 3)) {
        case 0: {
            size_t room = freed + STREAM - written, expected = want < room ? want : room;
            must(nic_pgas_writer_room(&w) == room);
            must(write_stream(written, want) == expected);
            written += expected;
            if (written / NIC_PGAS_LINE_DATA * NIC_PGAS_LINE_DATA > published)
                published = written / NIC_PGAS_LINE_DATA * NIC_PGAS_LINE_DATA;
            break;
        }
        case 1:
            if (loop_below(&random, 3) == 0) {
                nic_pgas_publish(&w);
                published = written;
            }
            break;
        default: {
            size_t expected = want < published - consumed ? want : published - consumed;
            must(read_stream(consumed, want) == expected);
            consumed += expected;
        }
        }
        must(nic_pgas_drained(&w, &r) == (consumed == written && published == written));
    }
}
END_TEST

/* -- two threads */

enum { LONG_STREAM = 300 * STREAM };

static void *reader_thread(void *argument)
{
    uint64_t consumed = 0, random = *(uint64_t *)argument;
    while (consumed < LONG_STREAM) {
        size_t n = read_stream(consumed, 1 + loop_below(&random, 300));
        consumed += n;
        if (!n)
            sched_yield();
    }
    return NULL;
}

START_TEST(two_threads)
{
    pthread_t thread;
    uint64_t written = 0, random = seed;

    ring_start();
    must(!pthread_create(&thread, NULL, reader_thread, &seed));
    while (written < LONG_STREAM) {
        size_t n = 8 * (1 + loop_below(&random, 30));
        n = n < LONG_STREAM - written ? n : LONG_STREAM - written;
        n = write_stream(written, n);
        written += n;
        if (loop_below(&random, 4) == 0)
            nic_pgas_publish(&w);
        if (!n)
            sched_yield();
    }
    nic_pgas_publish(&w);
    must(!pthread_join(thread, NULL));
    ck_assert(nic_pgas_drained(&w, &r));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pgas_ring");
    TCase *tcase = tcase_create("pgas_ring");

    seed = loop_seed(20081116);
    tcase_add_test(tcase, bits);
    tcase_add_test(tcase, bits_to_spare);
    tcase_add_test(tcase, fields_out_of_range);
    tcase_add_test(tcase, full);
    tcase_add_test(tcase, updates);
    tcase_add_test(tcase, partial_lines);
    tcase_add_test(tcase, whole_lines);
    tcase_add_test(tcase, damaged_stamp);
    tcase_add_test(tcase, seek);
    tcase_add_loop_test(tcase, random_program, 0, 3);
    tcase_add_test(tcase, two_threads);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
