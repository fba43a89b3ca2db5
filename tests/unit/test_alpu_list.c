/* The list that a processor keeps with the help of an associative list processing unit: random
 * programs against a linear list, and beside a plain matching store; removals, headers that are
 * held, what each call says that it took. */
#include "alpu_lists.h"

/* -- random programs */

/* first the prototypes', then other sizes */
static const unsigned totals[] = { 128, 256, 512, 1024, 1, 37 },
    blocks[2][3] = { { 8, 16, 32 }, { 1, 4, 16 } },
    thresholds[] = { 0, 5, 5, 70, 300 }, batches[] = { 0, 1, 8, 40 };
static const unsigned depths[] = { 1, 2, 5, 64 };
static const struct { size_t low, high; unsigned variety; } shapes[] = { { 0, 12, 3 },
        { 0, 300, 9 }, { 100, 2500, 20 }, { 200, 1500, 40 } };
enum { CONFIGS = 6 * 3 * 2 * 2, ACTIONS = LOOP_SANITIZED ? 6000 : 25000 };

static struct nic_assisted_list_config config_of(unsigned i)
{
    return (struct nic_assisted_list_config){
        .unit = { .kind = i % 2 ? NIC_ALPU_UNEXPECTED : NIC_ALPU_POSTED,
                  .match_bits = i / 2 % 2 ? 64 : 42, .block = blocks[i / 12 % 6 > 3][i / 4 % 3],
                  .cells = totals[i / 12 % 6], .tag_bits = below(3) ? 20 : 6 + below(5),
                      .header_depth = depths[below(4)],
                  .command_depth = depths[below(4)], .result_depth = depths[below(4)],
                      .retry_inserts = !below(2), .overlap = !below(2),
                  .insert_cycles = 1 + below(3) },
        .threshold = thresholds[below(5)], .batch = batches[below(4)], .room = below(20),
            .access_cycles = below(2) ? 0 : 1 + below(12),
    };
}

static uint64_t random_bits(unsigned variety)
{
    unsigned width = config.unit.match_bits, source = width == 42 ? 16 : 32;
    uint64_t bits = (uint64_t)below(2) << (width - 1) | (uint64_t)below(variety) << source
                    | below(variety);
    return width < 64 && !below(4) ? bits | loop_random(&random_state) << width : bits;
}

static uint64_t random_mask(void)
{
    uint64_t tag = config.unit.match_bits == 42 ? UINT64_C(0xffff) : UINT64_C(0xffffffff),
        source = tag << 16 & ~tag;
    switch (below(16)) {
    case 0: return tag;
    case 1: return source;
    case 2: return tag | source;
    default: return 0;
    }
}

static uint64_t random_input(unsigned variety)
{
    return entries && below(2) ? list[below((unsigned)entries)].bits : random_bits(variety);
}

static uint32_t random_tag(void)
{
    return entries && below(4) ? list[below((unsigned)entries)].tag : next_tag + 1;
}

static void announce(const char *what, uint64_t seed)
{
    printf("%s, seed %u: %s, %u cells in blocks of %u, %u bits, threshold %u, batch %u, room %u\n",
           what, (unsigned)seed,
           config.unit.kind ? "unexpected" : "posted", config.unit.cells, config.unit.block,
               config.unit.match_bits, config.threshold, config.batch,
           config.room);
}

static bool is_filling(bool filling, unsigned shape)
{
    return entries <= shapes[shape].low ? true : entries >= shapes[shape].high ? false : filling;
}

/* Call for call in the place of a plain store, with which it must agree. */
START_TEST(in_place_of_store)
{
    unsigned shape = (unsigned)_i % 4;
    bool filling = true;

    random_state = ((uint64_t)_i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    open_list(config_of((unsigned)_i));
    announce("in place of a store", (uint64_t)_i + 1);
    for (unsigned i = 0; i < ACTIONS; i++) {
        unsigned dice = below(32);
        filling = is_filling(filling, shape);
        if (dice < (filling ? 18 : 6))
            append(random_bits(shapes[shape].variety), random_mask());
        else if (dice < 26)
            match(random_input(shapes[shape].variety), random_mask());
        else if (dice < 28)
            find(random_input(shapes[shape].variety), random_mask());
        else if (dice < 31)
            update();
        else if (!below(8))
            remove_tag(random_tag());
        if (nic_match_list_count(plain) != entries)
            ck_abort_msg("the plain store has %zu entries, expected %zu",
                         nic_match_list_count(plain), entries);
    }
    must(nic_assisted_list_remove(l, UINT32_MAX, NULL) == false);
    close_list();
}
END_TEST

/* Headers in flight while entries are appended, inserted and removed. */
START_TEST(headers_in_flight)
{
    unsigned shape = (unsigned)_i % 4;
    bool filling = true;

    random_state = ((uint64_t)_i + 1000) * UINT64_C(0x9e3779b97f4a7c15);
    open_list(config_of((unsigned)_i));
    announce("headers in flight", (uint64_t)_i + 1000);
    for (unsigned i = 0; i < ACTIONS; i++) {
        unsigned dice = below(32);
        filling = is_filling(filling, shape);
        if (dice < (filling ? 12 : 4))
            append(random_bits(shapes[shape].variety), random_mask());
        else if (dice < 21)
            arrive(random_input(shapes[shape].variety), random_mask());
        else if (dice < 26)
            outcome(NULL);
        else if (dice < 28)
            nic_assisted_list_cycles(l, below(30));
        else if (dice < 31)
            update();
        else if (below(4))
            find(random_input(shapes[shape].variety), random_mask());
        else
            remove_tag(random_tag());
    }
    while (outcome(NULL))
        ;
    const struct nic_alpu_counts *c = nic_alpu_unit_counts(nic_assisted_list_unit(l));
    must(c->discards == 0 && c->overflows == 0);        /* never a command that is not due */
    if (config.threshold <= 5 && config.unit.header_depth > 2 && config.unit.cells > 1)
        must(c->holds);     /* one cell is hardly ever being filled when a header comes */
    close_list();
}
END_TEST

/* An entry in the unit is removed by a RESET; one that waits is not. */
START_TEST(removal)
{
    open_list((struct nic_assisted_list_config){ 0 });
    append_many(20);
    update();
    append_many(5);
    remove_tag(22);
    ck_assert_uint_eq(nic_assisted_list_loaded(l), 20);
    remove_tag(7);
    ck_assert_uint_eq(nic_assisted_list_loaded(l), 0);
    remove_tag(7);
    remove_tag(0);
    ck_assert_uint_eq(nic_alpu_unit_counts(nic_assisted_list_unit(l))->resets, 1);
    match(7, 0);
    match(8, 0);
    ck_assert_uint_eq(update(), 21);
    match(24, 0);
    match(1, 0);
    close_list();
}
END_TEST

/* A removal comes too late when a header that has arrived before took the entry. */
START_TEST(removal_too_late)
{
    open_list((struct nic_assisted_list_config){ 0 });
    append_many(10);
    update();
    must(arrive(4, 0));
    must(!nic_assisted_list_remove(l, 4, NULL));
    oracle_decide(1);
    must(outcome(NULL));
    ck_assert_uint_eq(nic_assisted_list_loaded(l), 9);
    close_list();
}
END_TEST

/* A header arrives before the entry that it wants is in the unit: held in insert mode, it finds it
 * after STOP INSERT. */
START_TEST(held)
{
    struct nic_alpu_work w;

    open_list((struct nic_assisted_list_config){ .unit = { .command_depth = 1 } });
    append_many(4);
    update();
    append_many(4);
    must(arrive(2, 0));
    must(arrive(6, 0));
    must(arrive(1, 0));
    ck_assert_uint_eq(update(), 4);
    ck_assert_uint_gt(nic_alpu_unit_counts(nic_assisted_list_unit(l))->holds, 0);
    for (unsigned i = 0; i < 3; i++) {
        must(outcome(&w));
        must(w.traversed == 0);
    }
    must(!outcome(NULL));
    ck_assert_uint_eq(nic_alpu_unit_counts(nic_assisted_list_unit(l))->misses, 0);
    ck_assert_uint_eq(nic_assisted_list_count(l), 5);
    close_list();
}
END_TEST

/* Failures in front of START ACKNOWLEDGE are decided against
 * what still waits, which then is not inserted. */
START_TEST(failure_before_acknowledge)
{
    open_list((struct nic_assisted_list_config){ 0 });
    append_many(4);
    update();
    append_many(2);
    must(arrive(5, 0));
    nic_assisted_list_cycles(l, 20);        /* the unit has failed already */
    ck_assert_uint_eq(update(), 1);
    ck_assert_uint_eq(nic_assisted_list_decided(l), 1);
    must(outcome(NULL));
    match(4, 0);
    close_list();
}
END_TEST

/* Result FIFO of one, many headers and a long insert: results
 * are drained, nothing locks up, the order stays. */
START_TEST(drained_while_inserting)
{
    open_list((struct nic_assisted_list_config){ .unit = { .result_depth = 1, .command_depth = 1,
                                                       .header_depth = 64 }, .access_cycles = 30 });
    append_many(100);
    update();
    append_many(100);
    for (unsigned i = 0; i < 60; i++)
        must(arrive(3 * i, 0));
    while (arrive(1000, 0))
        ;
    ck_assert_uint_eq(update(), 100);
    ck_assert_uint_gt(nic_assisted_list_decided(l), 0);
    while (outcome(NULL))
        ;
    ck_assert_uint_eq(nic_assisted_list_count(l), 140);
    close_list();
}
END_TEST

/* Arrivals are bounded; a match still gets through, behind them. */
START_TEST(bounded)
{
    open_list((struct nic_assisted_list_config){ .unit = { .result_depth = 2,
                                                           .header_depth = 2 } });
    append_many(10);
    for (unsigned i = 0; i < 5; i++) {
        arrive(i, 0);
        find(100, 0);       /* decides, but nobody takes */
    }
    must(arrive(5, 0));
    must(!arrive(6, 0));
    uint32_t tag;
    must(nic_assisted_list_match(l, 9, 0, &tag, NULL) && tag == 9);
    oracle_decide(arrived);
    oracle_delete(oracle_find(9, 0));
    while (outcome(NULL))
        ;
    must(arrive(6, 0));
    must(outcome(NULL));
    close_list();
}
END_TEST

START_TEST(charges)
{
    struct nic_alpu_work w = { .commands = 3, .results = 5, .waited = 7, .traversed = 11,
                               .cycles = 1000 };
    struct loop loop;

    loop_open(&loop, 1);
    nic_alpu_work_charge(loop.nic[0], &w);      /* live: nothing to charge */
    loop_close(&loop);
    loop_open_in(&loop, model_job(1, false, NULL), NIC_PROGRESS_HOST);
    nic_alpu_work_charge(loop.nic[0], &w);
    const uint64_t *charged = loop.nic[0]->clock->charged;
    ck_assert_uint_eq(charged[NIC_COST_ALPU_COMMAND], 3);
    ck_assert_uint_eq(charged[NIC_COST_ALPU_RESULT], 5);
    ck_assert_uint_eq(charged[NIC_COST_ALPU_CYCLE], 7);
    ck_assert_uint_eq(charged[NIC_COST_LIST_ENTRY], 11);
    loop_close(&loop);
}
END_TEST

START_TEST(bad_configuration)
{
    struct nic_assisted_list *none = NULL;

    struct nic_assisted_list_config config = { .unit = { .block = 5 } };
    ck_assert_int_eq(nic_assisted_list_new(&config, &none), -EINVAL);
    ck_assert_ptr_null(none);
    nic_assisted_list_delete(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alpu_list");
    TCase *tcase = tcase_create("alpu_list");

    tcase_add_loop_test(tcase, in_place_of_store, 0, CONFIGS);
    tcase_add_loop_test(tcase, headers_in_flight, 0, CONFIGS);
    tcase_add_test(tcase, removal);
    tcase_add_test(tcase, removal_too_late);
    tcase_add_test(tcase, held);
    tcase_add_test(tcase, failure_before_acknowledge);
    tcase_add_test(tcase, drained_while_inserting);
    tcase_add_test(tcase, bounded);
    tcase_add_test(tcase, charges);
    tcase_add_test(tcase, bad_configuration);
    suite_add_tcase(suite, tcase);
    return suite_single(loop_run(suite));
}
