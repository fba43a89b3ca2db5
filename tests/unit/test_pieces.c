/* Pieces of transfers by packet that no initiator would send, and answers that no target would
 * give: nothing moves. */
#include <errno.h>

#include "nicemu/atomic.h"
#include "remote/counters.h"
#include "offload.h"
#include "remote/op.h"

enum { BYTES = 4096, HULL = 256, LAST = 0x4000, LIST = 0x8000 };

/* wire, as in staged.c */
struct piece { uint16_t source, what; uint32_t key; uint64_t offset, hull_offset, hull_bytes; };
struct last { uint64_t counter, amount; };

static struct offload o;
static uint32_t key;
static unsigned char memory[BYTES], bytes[BYTES];

static void set_up(void)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, PACKET);
    must(AT(o.nic[0], nic_register(o.nic[0], memory, sizeof memory, NIC_RIGHT_ALL, &key)) == 0);
    memset(memory, 0, sizeof memory);
    memset(bytes, 7, sizeof bytes);
}

/* From rank 1 to rank 0, which moves nothing and drops it. */
static void expect_dropped(enum nic_hw_type type, unsigned what, uint64_t offset, const void *data,
                           size_t size)
{
    struct piece p = { .source = 1, .what = (uint16_t)what, .key = key, .offset = offset,
                       .hull_bytes = HULL };
    uint64_t dropped = o.nic[0]->counts.hw_dropped;
    nic_enter(o.nic[1]);
    nic_hw_send(o.nic[1], 0, type, 99, &p, sizeof p, data, size);
    nic_leave(o.nic[1]);
    settle(&o);
    ck_assert_uint_eq(o.nic[0]->counts.hw_dropped, dropped + 1);
    for (unsigned i = 0; i < BYTES; i++)
        must(!memory[i]);
}

/* A list's blocks have other bytes than come with it. */
START_TEST(sums)
{
    struct { struct nic_block block[2]; unsigned char data[32]; } put = { { { 0, 8 }, { 64, 8 } },
                                                                          { 7 } };
    set_up();
    expect_dropped(NIC_HW_PUT, LIST, 2, &put, sizeof put.block + 24);
    expect_dropped(NIC_HW_PUT, LIST, 2, &put, sizeof put.block + 8);
    expect_dropped(NIC_HW_PUT, LIST, 2, &put, sizeof *put.block);
    expect_dropped(NIC_HW_GET, LIST | 17, 2, &put, sizeof put.block);
    expect_dropped(NIC_HW_GET, LIST | 16, 2, &put, sizeof put);
    offload_close(&o);
}
END_TEST

/* Beyond the range that the transfer says it has, though the memory goes on. */
START_TEST(outside)
{
    struct nic_block block = { HULL - 8, 16 };
    set_up();
    expect_dropped(NIC_HW_PUT, 0, HULL - 7, bytes, 8);
    expect_dropped(NIC_HW_GET, 8, HULL - 7, NULL, 0);
    expect_dropped(NIC_HW_GET, LIST | 16, 1, &block, sizeof block);
    offload_close(&o);
}
END_TEST

/* The last piece names a counter that there is not: its bytes stay out too. */
START_TEST(no_such_counter)
{
    struct { struct last end; unsigned char data[8]; } put = { { 64, 1 }, { 7 } };
    set_up();
    expect_dropped(NIC_HW_PUT, LAST, 0, &put, sizeof put);
    put.end.counter = UINT64_MAX - 63;
    expect_dropped(NIC_HW_PUT, LAST, 0, &put, sizeof put);
    offload_close(&o);
}
END_TEST

/* A store of so many bytes that only the low half of their number makes sense. */
START_TEST(store_size)
{
    set_up();
    uint64_t at = offload_space(&o, 0, 64, 0), head[2] = { 7, (UINT64_C(1) << 32) + 8 },
        *word = nic_spad_at(o.nic[0], 0, at, 8);
    for (unsigned i = 0; i < 2; i++, head[1] = 8) {
        nic_enter(o.nic[1]);
        nic_hw_send(o.nic[1], 0, NIC_HW_STORE, at, head, sizeof head, NULL, 0);
        nic_leave(o.nic[1]);
        settle(&o);
        ck_assert_uint_eq(*word, i ? 7 : 0);
    }
    offload_close(&o);
}
END_TEST

/* Atomic operations that are shorter or longer than they are, and messages from a rank that there
 * is not. */
START_TEST(lengths_and_sources)
{
    struct { uint8_t op, type, pad[2]; uint32_t key; uint64_t offset, operand, compare, more;
             } add = {
        .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64, .key = NIC_KEY_SCRATCHPAD, .operand = 1,
    };
    set_up();
    add.offset = offload_space(&o, 0, 64, 0);
    uint64_t *word = nic_spad_at(o.nic[0], 0, add.offset, 8), dropped = o.nic[0]->counts.hw_dropped;
    for (size_t size = 24; size <= 40; size += 8) {
        nic_enter(o.nic[1]);
        nic_hw_send(o.nic[1], 0, NIC_HW_ATOMIC, UINT64_C(1) << 32 | 1, &add, size, NULL, 0);
        nic_leave(o.nic[1]);
        settle(&o);
        ck_assert_uint_eq(*word, size >= 32);
    }
    ck_assert_uint_eq(o.nic[0]->counts.hw_dropped, dropped + 2);
    for (uint64_t source = 1; source <= 2; source++) {
        nic_enter(o.nic[1]);
        nic_hw_send(o.nic[1], 0, NIC_HW_MESSAGE, source, NULL, 0, &add, 8);
        nic_leave(o.nic[1]);
        settle(&o);
        ck_assert_uint_eq(atomic_load(&o.program[0].messages), 1);
    }
    offload_close(&o);
}
END_TEST

/* An answer is an errno below zero, or 0: what else comes back is a broken protocol. */
START_TEST(answers)
{
    static const int32_t given[] = { 1, 4095, INT32_MAX, -4096, INT32_MIN, -EINPROGRESS, -ERANGE };
    set_up();
    for (unsigned i = 0; i < sizeof given / sizeof *given; i++) {
        struct { uint32_t source; int32_t status; } reply = { 0, given[i] };
        struct nic_outcome outcome = { .done = NULL };
        struct nic_transfer t = nic_transfer_of(bytes, (struct nic_address){ 0, key, 0 }, 8);
        struct nic_pending *first = o.nic[1]->remote->free_pending;
        ck_assert_int_eq(AT(o.nic[1], nic_put(o.nic[1], &t, &outcome)), 0);
        AT(o.nic[1], nic_step(o.nic[1]));
        if (!first)
            first = o.nic[1]->remote->pending[0];
        ck_assert_int_eq(nic_outcome_status(&outcome), -EINPROGRESS);
        nic_enter(o.nic[0]);
        nic_hw_send(o.nic[0], 1, NIC_HW_PUT_REPLY, nic_pending_id(first), &reply, sizeof reply,
                    NULL, 0);
        nic_leave(o.nic[0]);
        AT(o.nic[1], nic_step(o.nic[1]));
        ck_assert_int_eq(nic_outcome_status(&outcome), given[i] == -ERANGE ? -ERANGE : -EPROTO);
        settle(&o);
    }
    offload_close(&o);
}
END_TEST

START_TEST(atomic_answers)
{
    static const int32_t given[] = { 1, -4096, -EINPROGRESS, -ERANGE };
    set_up();
    for (unsigned i = 0; i < sizeof given / sizeof *given; i++) {
        struct { uint64_t value; int32_t status; uint32_t pad; } reply = { 5, given[i], 0 };
        struct nic_outcome outcome = { .done = NULL };
        uint64_t old = 7;
        struct nic_atomic a = { .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64, .operand = 1,
                                .target = { 0, key, 0 }, .result = &old,
                                .counter = NIC_SPAD_NONE };
        ck_assert_int_eq(AT(o.nic[1], nic_atomic(o.nic[1], &a, &outcome)), 0);
        ck_assert_int_eq(nic_outcome_status(&outcome), -EINPROGRESS);
        nic_enter(o.nic[0]);
        nic_hw_send(o.nic[0], 1, NIC_HW_ATOMIC_REPLY, i + 1, &reply, sizeof reply, NULL, 0);
        nic_leave(o.nic[0]);
        AT(o.nic[1], nic_step(o.nic[1]));
        ck_assert_int_eq(nic_outcome_status(&outcome), given[i] == -ERANGE ? -ERANGE : -EPROTO);
        ck_assert_uint_eq(old, 7);
        settle(&o);
    }
    offload_close(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pieces");
    TCase *tcase = tcase_create("pieces");

    tcase_add_test(tcase, sums);
    tcase_add_test(tcase, outside);
    tcase_add_test(tcase, no_such_counter);
    tcase_add_test(tcase, store_size);
    tcase_add_test(tcase, lengths_and_sources);
    tcase_add_test(tcase, answers);
    tcase_add_test(tcase, atomic_answers);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
