/* The scratchpad's allocator: alignment, exhaustion, joining of what is freed, against a map of
 * bytes; and the bounds of nic_spad_at. */
#include "loop.h"
#include "job/segment.h"

enum { SIZE = 64 * 1024 };

static struct nic_job *job;
static struct nic *nic;

static void setup(void)
{
    struct nic_job_config config = { .ranks = 2, .cores = 1, .scratchpad = SIZE };

    must(nic_job_create(&config, &job) == 0);
    nic = loop_nic(job, 1, NIC_PROGRESS_HOST, &catcher_program, NULL);
    nic_enter(nic);
}

static void teardown(void)
{
    nic_leave(nic);
    nic_close(nic);
    nic_job_close(job);
}

START_TEST(whole)
{
    for (int i = 0; i < 3; i++) {
        ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE + 1, 1), NIC_SPAD_NONE);
        uint64_t all = nic_spad_alloc(nic, NIC_SPAD_USER, SIZE, 4096);
        ck_assert_uint_eq(all, 0);
        ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, 1, 1), NIC_SPAD_NONE);
        ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, 0, 1), NIC_SPAD_NONE);
        nic_spad_free(nic, all);
    }
}
END_TEST

START_TEST(wrong_arguments)
{
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, 8, 0), NIC_SPAD_NONE);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, 8, 3), NIC_SPAD_NONE);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, 8, 24), NIC_SPAD_NONE);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE_MAX, 1), NIC_SPAD_NONE);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE_MAX - 63, 64), NIC_SPAD_NONE);
    uint64_t a = nic_spad_alloc(nic, NIC_SPAD_USER, 1, 1);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, 8, (size_t)1 << 63), NIC_SPAD_NONE);
    nic_spad_free(nic, a + 1);          /* nothing is allocated there: no effect */
    nic_spad_free(nic, NIC_SPAD_NONE);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE, 1), NIC_SPAD_NONE);
    nic_spad_free(nic, a);
    nic_spad_free(nic, a);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE, 1), 0);
}
END_TEST

/* Two of nothing are two places. */
START_TEST(empty_areas)
{
    uint64_t a = nic_spad_alloc(nic, NIC_SPAD_USER, 0, 64),
        b = nic_spad_alloc(nic, NIC_SPAD_USER, 0, 64);

    ck_assert_uint_ne(a, NIC_SPAD_NONE);
    ck_assert_uint_ne(b, NIC_SPAD_NONE);
    ck_assert_uint_ne(a, b);
}
END_TEST

/* Freed in every order of four, neighbours join to the whole again. */
START_TEST(joined)
{
    enum { PARTS = 4 };
    for (unsigned order = 0; order < 256; order++) {
        uint64_t part[PARTS];
        unsigned seen = 0;
        for (unsigned i = 0; i < PARTS; i++) {
            seen |= 1u << (order >> 2 * i & 3);
            part[i] = nic_spad_alloc(nic, NIC_SPAD_USER, SIZE / PARTS, 64);
            must(part[i] == i * (SIZE / PARTS));
        }
        must(nic_spad_alloc(nic, NIC_SPAD_USER, 1, 1) == NIC_SPAD_NONE);
        for (unsigned i = 0; i < PARTS; i++)
            nic_spad_free(nic, part[seen == 15 ? order >> 2 * i & 3 : i]);
        must(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE, 1) == 0);
        nic_spad_free(nic, 0);
    }
}
END_TEST

/* -- random against a map: each byte has the number of the area that it belongs to */

static unsigned short owner[SIZE];
static struct area { uint64_t offset; size_t bytes; } areas[500];

/* True if a free place of that size and alignment exists. */
static bool fits(size_t bytes, size_t align)
{
    for (size_t at = 0; at + bytes <= SIZE; at += align) {
        size_t i = 0;
        while (i < bytes && !owner[at + i])
            i++;
        if (i == bytes)
            return true;
    }
    return false;
}

static void set_owner(const struct area *a, unsigned short from, unsigned short to)
{
    for (size_t i = 0; i < a->bytes; i++) {
        must(owner[a->offset + i] == from);
        owner[a->offset + i] = to;
    }
}

START_TEST(random_program)
{
    uint64_t random = 11;

    memset(owner, 0, sizeof owner);
    memset(areas, 0, sizeof areas);
    for (unsigned step = 0; step < 4000; step++) {
        unsigned i = loop_below(&random, sizeof areas / sizeof *areas);
        if (areas[i].bytes) {
            set_owner(&areas[i], (unsigned short)(i + 1), 0);
            nic_spad_free(nic, areas[i].offset);
            areas[i].bytes = 0;
            continue;
        }
        size_t bytes = 1 + loop_below(&random, loop_below(&random, 10) ? 300 : 8000),
            align = (size_t)1 << loop_below(&random, 10);
        uint64_t at = nic_spad_alloc(nic, NIC_SPAD_USER, bytes, align);
        if (at == NIC_SPAD_NONE) {
            must(!fits(bytes, align));
            continue;
        }
        must(at % align == 0 && at + bytes <= SIZE);
        areas[i] = (struct area){ at, bytes };
        set_owner(&areas[i], 0, (unsigned short)(i + 1));
    }
    for (unsigned i = 0; i < sizeof areas / sizeof *areas; i++)
        if (areas[i].bytes)
            nic_spad_free(nic, areas[i].offset);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE, 4096), 0);
}
END_TEST

START_TEST(bounds)
{
    unsigned char *mine = nic_spad_at(nic, 1, 0, SIZE), *theirs = nic_spad_at(nic, 0, 0, SIZE);

    ck_assert_ptr_eq(mine, nic_job_scratchpad(job, 1));
    ck_assert_ptr_eq(theirs, nic_job_scratchpad(job, 0));
    ck_assert_ptr_eq(mine, theirs + SIZE + NIC_GUARD_BYTES);
    ck_assert_ptr_eq(nic_spad_at(nic, 1, 100, SIZE - 100), mine + 100);
    ck_assert_ptr_eq(nic_spad_at(nic, 1, SIZE - 1, 1), mine + SIZE - 1);
    ck_assert_ptr_eq(nic_spad_at(nic, 1, SIZE, 0), mine + SIZE);
    ck_assert_ptr_null(nic_spad_at(nic, 1, SIZE, 1));
    ck_assert_ptr_null(nic_spad_at(nic, 1, SIZE + 1, 0));
    ck_assert_ptr_null(nic_spad_at(nic, 1, 0, SIZE + 1));
    ck_assert_ptr_null(nic_spad_at(nic, 1, 1, SIZE));
    ck_assert_ptr_null(nic_spad_at(nic, 1, 64, SIZE_MAX - 63));
    ck_assert_ptr_null(nic_spad_at(nic, 1, UINT64_MAX, 2));
    ck_assert_ptr_null(nic_spad_at(nic, 1, NIC_SPAD_NONE, 0));
    ck_assert_ptr_null(nic_spad_at(nic, 2, 0, 1));
    ck_assert_ptr_null(nic_spad_at(nic, UINT32_MAX, 0, 1));
}
END_TEST

/* -- accounting */

static void expect_usage(enum nic_spad_use use, uint64_t bytes, uint64_t pieces, uint64_t high,
                         uint64_t refusals)
{
    struct nic_spad_usage u;

    nic_spad_used(nic, use, &u);
    ck_assert_uint_eq(u.bytes, bytes);
    ck_assert_uint_eq(u.pieces, pieces);
    ck_assert_uint_eq(u.high, high);
    ck_assert_uint_eq(u.refusals, refusals);
}

START_TEST(names)
{
    for (unsigned i = 0; i < NIC_SPAD_USE_COUNT; i++) {
        ck_assert_uint_gt(strlen(nic_spad_use_name(i)), 2);
        for (unsigned k = 0; k < i; k++)
            ck_assert_str_ne(nic_spad_use_name(i), nic_spad_use_name(k));
    }
    ck_assert_str_eq(nic_spad_use_name(NIC_SPAD_SLOTS), "slots");
    ck_assert_str_eq(nic_spad_use_name(NIC_SPAD_USE_COUNT), "?");
}
END_TEST

START_TEST(accounting)
{
    uint64_t a = nic_spad_alloc(nic, NIC_SPAD_SLOTS, 1000, 64),
        b = nic_spad_alloc(nic, NIC_SPAD_SLOTS, 0, 1),
             c = nic_spad_alloc(nic, NIC_SPAD_QUEUES, 500, 4096);

    expect_usage(NIC_SPAD_SLOTS, 1001, 2, 1001, 0);
    expect_usage(NIC_SPAD_QUEUES, 500, 1, 500, 0);
    expect_usage(NIC_SPAD_USER, 0, 0, 0, 0);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_QUEUES, SIZE, 1), NIC_SPAD_NONE);
    /* a mistake, not a refusal */
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_QUEUES, 1, 3), NIC_SPAD_NONE);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USE_COUNT, 1, 1), NIC_SPAD_NONE);
    expect_usage(NIC_SPAD_QUEUES, 500, 1, 500, 1);
    nic_spad_free(nic, a);
    nic_spad_free(nic, a);
    expect_usage(NIC_SPAD_SLOTS, 1, 1, 1001, 0);
    nic_spad_free(nic, b);
    nic_spad_free(nic, c);
    expect_usage(NIC_SPAD_SLOTS, 0, 0, 1001, 0);
    expect_usage(NIC_SPAD_QUEUES, 0, 0, 500, 1);
    expect_usage(NIC_SPAD_USE_COUNT, 0, 0, 0, 0);
}
END_TEST

START_TEST(largest)
{
    ck_assert_uint_eq(nic_spad_size(nic), SIZE);
    ck_assert_uint_eq(nic_spad_largest(nic, 1), SIZE);
    uint64_t a = nic_spad_alloc(nic, NIC_SPAD_USER, 100, 1);
    ck_assert_uint_eq(nic_spad_largest(nic, 1), SIZE - 100);
    ck_assert_uint_eq(nic_spad_largest(nic, 64), SIZE - 128);
    ck_assert_uint_eq(nic_spad_largest(nic, 4096), SIZE - 4096);
    ck_assert_uint_eq(nic_spad_largest(nic, SIZE), 0);
    ck_assert_uint_eq(nic_spad_largest(nic, 3), 0);
    ck_assert_uint_eq(nic_spad_alloc(nic, NIC_SPAD_USER, SIZE - 128, 64), 128);
    ck_assert_uint_eq(nic_spad_largest(nic, 1), 28);
    nic_spad_free(nic, a);
    ck_assert_uint_eq(nic_spad_largest(nic, 1), 128);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spad");
    TCase *tcase = tcase_create("spad");

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, whole);
    tcase_add_test(tcase, wrong_arguments);
    tcase_add_test(tcase, empty_areas);
    tcase_add_test(tcase, joined);
    tcase_add_test(tcase, random_program);
    tcase_add_test(tcase, bounds);
    tcase_add_test(tcase, names);
    tcase_add_test(tcase, accounting);
    tcase_add_test(tcase, largest);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
