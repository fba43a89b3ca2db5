/* Areas of a space: each is the first that fits, and what is given back is whole again, compared
 * with a map of which units are used. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "suite.h"
#include "base/range.h"

enum { UNITS = 1500, BLOCKS = 300, STEPS = 60000 };

static struct nic_areas *areas;
static bool is_used[UNITS];

struct block { uint64_t at, bytes; unsigned use; };

static void setup(void)
{
    memset(is_used, 0, sizeof is_used);
    areas = nic_areas_new(UNITS);
    ck_assert_ptr_nonnull(areas);
}

static void teardown(void) { nic_areas_delete(areas); }

static uint64_t room_at(uint64_t at)
{
    uint64_t n = at;
    while (n < UNITS && !is_used[n])
        n++;
    return n - at;
}

static uint64_t expected_at(uint64_t bytes, uint64_t align)
{
    for (uint64_t at = 0; at < UNITS; at += align)
        if (room_at(at) >= bytes)
            return at;
    return NIC_AREA_NONE;
}

static uint64_t expected_largest(uint64_t align)
{
    uint64_t largest = 0;
    for (uint64_t at = 0; at < UNITS; at += align) {
        uint64_t room = room_at(at) & ~(align - 1);
        largest = room > largest ? room : largest;
    }
    return largest;
}

static void mark(const struct block *b, bool used) { memset(is_used + b->at, used, b->bytes); }

/* What it then is, and what it is to be: bytes 0 means that there is no room. */
static void take(struct block *b, uint64_t bytes, uint64_t align, unsigned use)
{
    uint64_t at = expected_at(bytes, align);
    ck_assert_uint_eq(nic_areas_take(areas, bytes, align, use), at);
    *b = (struct block){ at, at == NIC_AREA_NONE ? 0 : bytes, use };
    if (b->bytes)
        mark(b, true);
}

static void give(struct block *b)
{
    uint64_t bytes;
    unsigned use;
    ck_assert(nic_areas_give(areas, b->at, &bytes, &use));
    ck_assert_uint_eq(bytes, b->bytes);
    ck_assert_uint_eq(use, b->use);
    ck_assert(!nic_areas_give(areas, b->at, &bytes, &use));
    mark(b, false);
    b->bytes = 0;
}

static uint32_t draw(uint32_t below)
{
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
}

/* Mostly short ones, so that the space is now nearly full, now nearly empty, and in pieces. */
START_TEST(first_fit_of_many)
{
    struct block blocks[BLOCKS] = { 0 };
    for (int i = 0; i < STEPS; i++) {
        struct block *b = &blocks[draw(i / 4000 % 2 ? BLOCKS : BLOCKS / 8)];
        if (b->bytes)
            give(b);
        else
            take(b, 1 + draw(draw(8) ? 12 : 150), UINT64_C(1) << draw(7), draw(5));
        if (i % 16 == 0)
            ck_assert_uint_eq(nic_areas_largest(areas, 1 << i / 16 % 8),
                              expected_largest(1 << i / 16 % 8));
    }
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].bytes)
            give(&blocks[i]);
    ck_assert_uint_eq(nic_areas_take(areas, UNITS, 1, 0), 0);
}
END_TEST

START_TEST(neighbours_become_one)
{
    struct block b[3];
    for (int order = 0; order < 6; order++) {
        int first = order % 3, second = (first + 1 + order / 3) % 3, third = 3 - first - second;
        for (int i = 0; i < 3; i++)
            take(&b[i], UNITS / 3, 1, 7);
        ck_assert_uint_eq(nic_areas_largest(areas, 1), 0);
        give(&b[first]);
        give(&b[second]);
        give(&b[third]);
        ck_assert_uint_eq(nic_areas_largest(areas, 1), UNITS);
    }
}
END_TEST

START_TEST(found)
{
    uint64_t begin = 99;
    unsigned use = 99;
    ck_assert_uint_eq(nic_areas_take(areas, 10, 1, 3), 0);
    ck_assert_uint_eq(nic_areas_take(areas, 10, 16, 4), 16);
    nic_areas_set_use(areas, 16, 5);
    ck_assert(nic_areas_find(areas, 9, &begin, &use) && begin == 0 && use == 3);
    ck_assert(!nic_areas_find(areas, 10, &begin, &use));
    ck_assert(nic_areas_find(areas, 16, &begin, &use) && begin == 16 && use == 5);
    ck_assert(nic_areas_find(areas, 25, &begin, &use) && begin == 16 && use == 5);
    ck_assert(!nic_areas_find(areas, 26, &begin, &use));
    ck_assert(!nic_areas_find(areas, UINT64_MAX, &begin, &use));
    ck_assert_uint_eq(nic_areas_take(areas, UNITS - 26, 1, 6), 26);
    ck_assert(nic_areas_find(areas, UNITS - 1, &begin, &use) && begin == 26 && use == 6);
    ck_assert(!nic_areas_find(areas, UNITS, &begin, &use));
}
END_TEST

START_TEST(refused)
{
    uint64_t bytes;
    unsigned use;
    ck_assert_uint_eq(nic_areas_take(areas, 1, 0, 0), NIC_AREA_NONE);
    ck_assert_uint_eq(nic_areas_take(areas, 1, 3, 0), NIC_AREA_NONE);
    ck_assert_uint_eq(nic_areas_take(areas, UNITS + 1, 1, 0), NIC_AREA_NONE);
    ck_assert_uint_eq(nic_areas_take(areas, UINT64_MAX, 1, 0), NIC_AREA_NONE);
    ck_assert_uint_eq(nic_areas_take(areas, UNITS, 2048, 0), 0);
    ck_assert(!nic_areas_give(areas, 1, &bytes, &use));
    ck_assert(!nic_areas_give(areas, UINT64_MAX, &bytes, &use));
    ck_assert_uint_eq(nic_areas_take(areas, 0, 1, 0), NIC_AREA_NONE);
    ck_assert(nic_areas_give(areas, 0, &bytes, &use));
    ck_assert_uint_eq(nic_areas_take(areas, 0, 1, 0), 0);       /* at least one */
    ck_assert_uint_eq(nic_areas_take(areas, 1, 2048, 0), NIC_AREA_NONE);
    ck_assert_uint_eq(nic_areas_largest(areas, 3), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("areas");
    TCase *tc = tcase_create("space");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, first_fit_of_many);
    tcase_add_test(tc, neighbours_become_one);
    tcase_add_test(tc, found);
    tcase_add_test(tc, refused);
    suite_add_tcase(suite, tc);
    return suite_run(suite);
}
