/* The matching store against a linear list, step by step, for each variant of the scan. */
#include "loop.h"

/* -- the oracle: entries in order of appending, the first that matches wins */

struct entry { uint64_t bits, mask; uint32_t tag; };

enum { ORACLE_MAX = 8192 };
static struct entry list[ORACLE_MAX];
static size_t entries;

static void oracle_append(uint64_t bits, uint64_t mask, uint32_t tag)
{
    must(entries < ORACLE_MAX);
    list[entries++] = (struct entry){ bits, mask, tag };
}

static size_t oracle_find(uint64_t bits, uint64_t mask)
{
    size_t i = 0;

    while (i < entries && ((list[i].bits ^ bits) & ~(list[i].mask | mask)))
        i++;
    return i;
}

static void oracle_delete(size_t i)
{
    memmove(&list[i], &list[i + 1], (--entries - i) * sizeof *list);
}

/* -- random programs */

#define ANY_SOURCE (UINT64_C(0xffff) << 32)
#define ANY_TAG UINT64_C(0xffffffff)

/* How large the queue is kept, how different its entries are, how many steps are taken. */
static const struct shape { size_t low, high; unsigned contexts, sources, tags; unsigned wildcards;
                            unsigned steps; bool any_mask; } shapes[] = {
    { 0, 4, 1, 2, 2, 30, 300000, false },
    { 0, 60, 2, 4, 6, 20, 300000, false },
    { 50, 70, 1, 3, 40, 0, 200000, false },
    { 0, 400, 2, 16, 8, 10, 60000, false },
    { 300, 3000, 1, 64, 512, 2, 12000, false },
    { 0, 3, 1, 1, 1, 0, 100000, false },
    { 0, 400, 1, 4, 300, 30, 60000, true },
    { 100, 1000, 1, 8, 4000, 50, 30000, true },
    { 40, 2500, 2, 16, 8, 60, 20000, false },
};
static const char *const variants[] = { "none", "avx2", NULL };
enum { SHAPES = sizeof shapes / sizeof *shapes, VARIANTS = sizeof variants / sizeof *variants };

static uint64_t random_state;
static uint32_t next_tag;

static uint64_t random_bits(const struct shape *s)
{
    return (uint64_t)loop_below(&random_state, s->contexts) << 48
           | (uint64_t)loop_below(&random_state, s->sources) << 32
           | loop_below(&random_state, s->tags);
}

/* The three of MPI, or, in some shapes, more different ones than the index has classes for. */
static uint64_t random_mask(const struct shape *s)
{
    static const uint64_t masks[] = { ANY_SOURCE, ANY_TAG, ANY_SOURCE | ANY_TAG };
    if (loop_below(&random_state, 100) >= s->wildcards)
        return 0;
    return s->any_mask ? UINT64_C(1) << loop_below(&random_state, 16) | loop_below(&random_state,
            2) : masks[loop_below(&random_state, 3)];
}

static struct nic_match_list *new_store(int variant)
{
    if (variants[variant])
        setenv("NICEMU_SIMD", variants[variant], 1);
    else
        unsetenv("NICEMU_SIMD");
    struct nic_match_list *a = nic_match_list_new();
    must(a);
    unsetenv("NICEMU_SIMD");
    return a;
}

static void step_append(struct nic_match_list *a, const struct shape *s)
{
    uint64_t bits = random_bits(s), mask = random_mask(s);

    oracle_append(bits, mask, next_tag);
    must(nic_match_list_append(a, bits, mask, next_tag++) == 0);
}

static void step_search(struct nic_match_list *a, const struct shape *s, bool take)
{
    uint64_t bits = random_bits(s), mask = random_mask(s);
    size_t want = oracle_find(bits, mask), position = SIZE_MAX;
    uint32_t tag = UINT32_MAX;
    bool hit = take ? nic_match_list_match(a, bits, mask, &tag, &position)
               : nic_match_list_find(a, bits, mask, &tag, &position);

    if (hit != (want < entries) || (hit && (tag != list[want].tag || position != want)))
        ck_abort_msg("search for %#lx mask %#lx: hit %d tag %u position %zu, expected entry %zu "
                     "of %zu", (unsigned long)bits, (unsigned long)mask,
                     hit, tag, position, want, entries);
    if (hit && take)
        oracle_delete(want);
}

static void step_remove(struct nic_match_list *a)
{
    size_t i = entries ? loop_below(&random_state, (uint32_t)entries + 1) : 0;
    uint32_t tag = i < entries ? list[i].tag : next_tag + 1;

    must(nic_match_list_remove(a, tag) == (i < entries));
    must(!nic_match_list_remove(a, tag));
    if (i < entries)
        oracle_delete(i);
}

static void step_look(struct nic_match_list *a)
{
    size_t i = loop_below(&random_state, (uint32_t)entries + 1);
    struct nic_match_entry e;

    must(nic_match_list_at(a, i, &e) == (i < entries));
    must(i == entries
         || (e.bits == list[i].bits && e.mask == list[i].mask && e.tag == list[i].tag));
}

/* The queue swings between the shape's limits, so it grows, is consumed from the front and from the
 * middle, and runs empty. */
START_TEST(random_program)
{
    const struct shape *s = &shapes[_i % SHAPES];
    struct nic_match_list *a = new_store(_i / SHAPES);
    bool filling = true;

    random_state = (uint64_t)_i + 1;
    entries = 0;
    for (unsigned i = 0; i < s->steps; i++) {
        unsigned dice = loop_below(&random_state, 16);
        filling = entries <= s->low ? true : entries >= s->high ? false : filling;
        if (dice < (filling ? 9 : 2))
            step_append(a, s);
        else if (dice < 13)
            step_search(a, s, true);
        else if (dice < 14)
            step_search(a, s, false);
        else if (!filling || dice == 14)
            step_remove(a);
        if (dice == 15)
            step_look(a);
        if (nic_match_list_count(a) != entries)
            ck_abort_msg("count %zu, expected %zu", nic_match_list_count(a), entries);
    }
    while (entries) {
        uint32_t tag;
        size_t position = 1;
        must(nic_match_list_match(a, 0, UINT64_MAX, &tag, &position));
        must(tag == list[0].tag);
        must(position == 0);
        oracle_delete(0);
    }
    must(nic_match_list_count(a) == 0);
    nic_match_list_delete(a);
}
END_TEST

/* Consumed from the front while it is fed at the end, far beyond
 * its capacity: the dead part has to go. */
START_TEST(queue)
{
    struct nic_match_list *a = new_store(_i);
    uint32_t in = 0, out = 0, tag;

    for (unsigned depth = 0; depth < 200; depth += 13) {
        for (; in - out < depth; in++)
            must(nic_match_list_append(a, in, 0, in) == 0);
        for (unsigned i = 0; i < 2000; i++) {
            must(nic_match_list_append(a, in, 0, in) == 0);
            in++;
            size_t position = 1;
            must(nic_match_list_match(a, out, 0, &tag, &position));
            must(tag == out++);
            must(position == 0);
        }
    }
    must(nic_match_list_count(a) == in - out);
    nic_match_list_delete(a);
}
END_TEST

/* An old entry stays at the front while everything behind it comes and goes. */
START_TEST(stuck_front)
{
    struct nic_match_list *a = new_store(_i);
    uint32_t tag;
    size_t position;

    must(nic_match_list_append(a, 1, 0, 1000000) == 0);
    for (uint32_t i = 0; i < 5000; i++) {
        for (uint32_t j = 0; j < 5; j++)
            must(nic_match_list_append(a, 2 + j, 0, 5 * i + j) == 0);
        for (uint32_t j = 0; j < 5; j++) {
            uint32_t k = (i + 3 * j) % 5, before = 1;
            for (uint32_t earlier = 0; earlier < 5; earlier++)
                before += earlier < k;
            for (uint32_t gone = 0; gone < j; gone++)
                before -= (i + 3 * gone) % 5 < k;
            must(nic_match_list_match(a, 2 + k, 0, &tag, &position));
            must(tag == 5 * i + k);
            must(position == before);
        }
    }
    must(!nic_match_list_match(a, 2, 0, &tag, &position));
    must(nic_match_list_match(a, 1, 0, &tag, &position));
    must(tag == 1000000);
    nic_match_list_delete(a);
}
END_TEST

/* All 64 bits are compared, each on its own can be masked, by the entry and by the search. */
START_TEST(every_bit)
{
    struct nic_match_list *a = new_store(_i);
    uint64_t bits = UINT64_C(0x0123456789abcdef);
    uint32_t tag;

    must(!nic_match_list_find(a, bits, UINT64_MAX, &tag, NULL));
    for (unsigned front = 0; front < 17; front++) {     /* the entry at each place of a group */
        for (int bit = 0; bit < 64; bit++) {
            uint64_t one = UINT64_C(1) << bit;
            must(nic_match_list_append(a, bits, one, 77) == 0);
            must(!nic_match_list_find(a, bits ^ one ^ (one << 1 | one >> 63), 0, &tag, NULL));
            must(nic_match_list_find(a, bits ^ one, 0, &tag, NULL));
            must(nic_match_list_match(a, bits ^ one, 0, &tag, NULL));
            must(tag == 77);
            must(nic_match_list_append(a, bits, 0, 78) == 0);
            must(!nic_match_list_match(a, bits ^ one, 0, &tag, NULL));
            must(nic_match_list_match(a, bits ^ one, one, &tag, NULL));
            must(tag == 78);
        }
        must(nic_match_list_append(a, ~bits, 0, front) == 0);
    }
    nic_match_list_delete(a);
}
END_TEST

/* Cleared, with its index or without, it is as good as new; room once reserved is room for good. */
START_TEST(clear)
{
    struct nic_match_list *a = new_store(_i);
    uint32_t tag;

    must(nic_match_list_reserve(a, 500) == 0);
    for (uint32_t n = 1; n < 500; n += 61) {
        for (uint32_t i = 0; i < n; i++)
            must(nic_match_list_append(a, i, i % 7 == 6, i) == 0);
        must(n == 1 || nic_match_list_match(a, n / 2, 0, &tag, NULL));
        nic_match_list_clear(a);
        must(nic_match_list_count(a) == 0);
        must(!nic_match_list_find(a, 0, UINT64_MAX, &tag, NULL));
        must(nic_match_list_append(a, 3, 0, 33) == 0);
        must(nic_match_list_match(a, 3, 0, &tag, NULL));
        must(tag == 33);
    }
    nic_match_list_delete(a);
}
END_TEST

/* More kinds of wildcards than the index keeps apart: the first of those that it does not is the
 * oldest match all the same. */
START_TEST(one_kind_too_many)
{
    enum { KINDS = 7, OTHERS = 60 };
    struct nic_match_list *a = new_store(_i);
    uint32_t tag;

    for (uint32_t i = 0; i < OTHERS; i++)
        must(nic_match_list_append(a, UINT64_C(1) << 40 | i << 8, UINT64_C(1) << i % KINDS,
                                   i) == 0);
    must(nic_match_list_append(a, 5 << 16, 0xff, 100) == 0);
    must(nic_match_list_append(a, 5 << 16, 0, 101) == 0);
    for (uint32_t expected = 100; expected < 102; expected++) {
        must(nic_match_list_match(a, 5 << 16, 0, &tag, NULL));
        must(tag == expected);
    }
    must(!nic_match_list_match(a, 5 << 16, 0, &tag, NULL));
    nic_match_list_delete(a);
}
END_TEST

START_TEST(delete_nothing)
{
    nic_match_list_delete(NULL);
    nic_match_list_delete(nic_match_list_new());
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alpu");
    TCase *tcase = tcase_create("alpu");

    tcase_add_loop_test(tcase, random_program, 0, SHAPES * VARIANTS);
    tcase_add_loop_test(tcase, queue, 0, VARIANTS);
    tcase_add_loop_test(tcase, stuck_front, 0, VARIANTS);
    tcase_add_loop_test(tcase, every_bit, 0, VARIANTS);
    tcase_add_loop_test(tcase, clear, 0, VARIANTS);
    tcase_add_loop_test(tcase, one_kind_too_many, 0, VARIANTS);
    tcase_add_test(tcase, delete_nothing);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
