/* Which memory a transfer touches: from the first byte of its lowest block to the last of its
 * highest, and what ends it. */
#include <errno.h>

#include "remote/counters.h"
#include "offload.h"

enum { BYTES = 1 << 20, SHIFT = 300 * 1024 };

static struct offload o;
static uint32_t key;
static unsigned char memory[BYTES], data[BYTES];

static void set_up_as(enum way way)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, way);
    must(AT(o.nic[0], nic_register(o.nic[0], memory, sizeof memory, NIC_RIGHT_ALL, &key)) == 0);
    memset(memory, 0, sizeof memory);
    for (unsigned i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(i * 7 + i / 251);
}

static void set_up(void) { set_up_as(DIRECT); }

/* Refused by the call, or else how it ended. */
static int put(unsigned from, const struct nic_transfer *t)
{
    struct nic_outcome outcome = { .done = NULL };
    int rc = AT(o.nic[from], nic_put(o.nic[from], t, &outcome));
    settle(&o);
    return rc ? rc : nic_outcome_status(&outcome);
}

static struct nic_transfer to(uint64_t offset, struct nic_shape remote, uint64_t bytes)
{
    struct nic_transfer t = nic_transfer_of(data, (struct nic_address){ 0, key, offset }, bytes);
    t.remote_shape = remote;
    return t;
}

/* Blocks that go down from their base: the lowest may begin with the memory. */
START_TEST(downwards)
{
    struct nic_shape down = { 8, -16, 3, NULL };
    set_up();
    for (unsigned from = 0; from < 2; from++) {
        struct nic_transfer t = to(32, down, 24);
        ck_assert_int_eq(put(from, &t), 0);
        for (unsigned i = 0; i < 3; i++)
            ck_assert(!memcmp(memory + 32 - 16 * i, data + 8 * i, 8));
        t = to(31, down, 24);
        ck_assert_int_eq(put(from, &t), -EINVAL);
        t = to(BYTES - 8, down, 24);
        ck_assert_int_eq(put(from, &t), 0);
        t = to(BYTES - 7, down, 24);
        ck_assert_int_ne(put(from, &t), 0);
    }
    offload_close(&o);
}
END_TEST

/* A span that goes past the last address is refused before anybody is asked. */
START_TEST(past_the_end)
{
    set_up();
    struct nic_transfer t = to(UINT64_MAX - 7, nic_contiguous(16), 16);
    ck_assert_int_eq(put(1, &t), -EINVAL);
    offload_close(&o);
}
END_TEST

/* A block of no bytes is nowhere. */
START_TEST(empty_blocks)
{
    struct nic_block block[] = { { 64, 8 }, { UINT64_C(1) << 40, 0 }, { 0, 0 }, { 128, 8 } };
    set_up();
    struct nic_transfer t = to(0, (struct nic_shape){ .count = 4, .list = block }, 16);
    ck_assert_int_eq(put(1, &t), 0);
    ck_assert(!memcmp(memory + 64, data, 8) && !memcmp(memory + 128, data + 8, 8) && !memory[0]);
    offload_close(&o);
}
END_TEST

/* To a place further up in the same memory, by more than
 * is moved at once and less than there is. */
START_TEST(onto_itself)
{
    enum { MOVED = BYTES - SHIFT };
    set_up();
    memcpy(memory, data, sizeof memory);
    struct nic_transfer t = nic_transfer_of(memory, (struct nic_address){ 0, key, SHIFT }, MOVED);
    ck_assert_int_eq(put(0, &t), 0);
    ck_assert(!memcmp(memory + SHIFT, data, MOVED));
    memcpy(memory, data, sizeof memory);
    t = nic_transfer_of(memory + SHIFT, (struct nic_address){ 0, key, 0 }, MOVED);
    ck_assert_int_eq(put(0, &t), 0);
    ck_assert(!memcmp(memory, data + SHIFT, MOVED));
    offload_close(&o);
}
END_TEST

/* Each side's counter moves once, with the other side's or alone, however short it is. */
START_TEST(counters)
{
    static const uint64_t sizes[] = { 8, 512, 100000 };
    struct nic_counter_config c = { .bits = 64, .size = 100 };
    uint64_t counter[2];
    int64_t value[2];
    set_up_as((enum way)_i);
    for (unsigned r = 0; r < 2; r++)
        must(AT(o.nic[r], nic_counter_create(o.nic[r], &c, &counter[r])) == 0);
    uint64_t at = offload_space(&o, 0, 100000, 0);
    for (unsigned i = 0; i < 3 * 4; i++) {
        struct nic_transfer t = nic_transfer_of(data,
                                                (struct nic_address){ 0, NIC_KEY_SCRATCHPAD, at },
                                                    sizes[i / 4]);
        t.local_counter = i & 1 ? counter[1] : NIC_SPAD_NONE;
        t.local_amount = 3;
        t.remote_counter = i & 2 ? counter[0] : NIC_SPAD_NONE;
        t.remote_amount = 5;
        for (unsigned r = 0; r < 2; r++)
            must(AT(o.nic[r], nic_counter_reset(o.nic[r], counter[r])) == 0);
        ck_assert_int_eq(put(1, &t), 0);
        for (unsigned r = 0; r < 2; r++)
            must(AT(o.nic[r], nic_counter_read(o.nic[r], counter[r], &value[r])) == 0);
        ck_assert_int_eq(value[0], -100 + (i & 2 ? 5 : 0));
        ck_assert_int_eq(value[1], -100 + (i & 1 ? 3 : 0));
    }
    offload_close(&o);
}
END_TEST

/* The kernel is not asked to copy from a process that there is not yet: packets wait for it. */
START_TEST(absent_rank)
{
    struct nic_job *job = loop_job(2);
    struct program program;
    struct nic *n = loop_nic(job, 1, NIC_PROGRESS_HOST, &offload_program, &program);
    struct nic_address there = { 0, NIC_KEY_FIRST, 0 };
    ck_assert_uint_eq(nic_remote_paths(n, &there, NIC_RIGHT_READ), 1u << NIC_PATH_STAGED);
    nic_close(n);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spans");
    TCase *tcase = tcase_create("spans");

    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, downwards);
    tcase_add_test(tcase, past_the_end);
    tcase_add_test(tcase, empty_blocks);
    tcase_add_test(tcase, onto_itself);
    tcase_add_loop_test(tcase, counters, DIRECT, MIXED);
    tcase_add_test(tcase, absent_rank);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
