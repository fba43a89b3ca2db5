/* When the list of a processor asks its associative list processing unit, and how much of the list
 * the unit has: thresholds, batches, capacity, narrow tags. */
#include "alpu_lists.h"

static uint64_t commands_written(void)
{
    const struct nic_alpu_counts *c = nic_alpu_unit_counts(nic_assisted_list_unit(l));
    return c->starts + c->inserts + c->stops + c->resets;
}

/* Not a word to the unit up to the threshold; beyond it until nothing is left in the unit. */
START_TEST(threshold)
{
    open_list((struct nic_assisted_list_config){ .threshold = 5 });
    append_many(5);
    ck_assert_uint_eq(update(), 0);
    match(3, 0);
    append_many(1);
    must(!nic_assisted_list_in_use(l));
    ck_assert_uint_eq(nic_alpu_unit_counts(nic_assisted_list_unit(l))->cycles, 0);
    append_many(1);
    must(nic_assisted_list_in_use(l));
    ck_assert_uint_eq(update(), 6);
    ck_assert_uint_eq(commands_written(), 8);
    for (unsigned tag = 0; tag < 7; tag++) {
        must(nic_assisted_list_in_use(l));
        if (tag != 3)
            match(tag, 0);
    }
    must(!nic_assisted_list_in_use(l));
    append_many(5);
    match(8, 0);
    ck_assert_uint_eq(commands_written(), 8);
    close_list();
}
END_TEST

/* As long as a header is on its way the unit stays in use, though nothing is in it and the list is
 * short: headers are decided in order. */
START_TEST(in_use_while_outstanding)
{
    open_list((struct nic_assisted_list_config){ .threshold = 5 });
    append_many(8);
    update();
    append_many(2);
    for (unsigned i = 0; i < 9; i++)
        must(arrive(i, 0));
    for (unsigned i = 0; i < 8; i++)
        must(outcome(NULL));
    must(nic_assisted_list_loaded(l) == 0 && nic_assisted_list_count(l) == 2);
    must(nic_assisted_list_in_use(l));
    must(arrive(9, 0));
    must(outcome(NULL) && outcome(NULL));
    must(nic_assisted_list_count(l) == 0 && !nic_assisted_list_in_use(l));
    close_list();
}
END_TEST

/* Nothing left in the unit, and as many beside it as the processor keeps by itself. */
START_TEST(back_at_the_threshold)
{
    open_list((struct nic_assisted_list_config){ .threshold = 5 });
    append_many(6);
    ck_assert_uint_eq(update(), 6);
    append_many(5);
    for (unsigned tag = 0; tag < 6; tag++) {
        must(nic_assisted_list_in_use(l));
        match(tag, 0);
    }
    ck_assert_uint_eq(nic_assisted_list_count(l), 5);
    must(!nic_assisted_list_in_use(l));
    close_list();
}
END_TEST

/* Threshold 0: the unit is asked even when there is nothing. */
START_TEST(always)
{
    struct nic_alpu_work w;
    uint32_t tag;

    open_list((struct nic_assisted_list_config){ 0 });
    must(!nic_assisted_list_match(l, 1, 0, &tag, &w));
    ck_assert_uint_eq(w.unit_misses, 1);
    ck_assert_uint_eq(w.results, 1);
    ck_assert_uint_eq(w.waited, 7);
    ck_assert_uint_eq(w.cycles, 17);
    close_list();
}
END_TEST

/* Batches: one START INSERT and one STOP INSERT for as many as were waiting. */
START_TEST(batch)
{
    open_list((struct nic_assisted_list_config){ .batch = 8 });
    append_many(7);
    ck_assert_uint_eq(nic_assisted_list_loaded(l), 0);
    append_many(1);
    ck_assert_uint_eq(nic_assisted_list_loaded(l), 8);
    ck_assert_uint_eq(commands_written(), 10);
    append_many(3);
    ck_assert_uint_eq(update(), 3);
    ck_assert_uint_eq(update(), 0);
    ck_assert_uint_eq(commands_written(), 15);
    close_list();
}
END_TEST

/* Beyond the capacity: the oldest are in the unit, the processor has the rest; room says when it is
 * worth going on. */
START_TEST(capacity)
{
    open_list((struct nic_assisted_list_config){ .unit = { .cells = 128 }, .room = 10 });
    append_many(1000);
    ck_assert_uint_eq(update(), 128);
    match(127, 0);
    match(128, 0);      /* the first of the rest */
    match(999, 0);
    for (unsigned i = 0; i < 8; i++) {
        match(i, 0);
        ck_assert_uint_eq(update(), 0);
    }
    match(8, 0);
    ck_assert_uint_eq(update(), 10);
    ck_assert_uint_eq(nic_assisted_list_loaded(l), 128);
    match(138, 0);
    must(nic_assisted_list_loaded(l) == 127);
    close_list();
    open_list((struct nic_assisted_list_config){ .unit = { .cells = 128 }, .room = 10 });
    append_many(127);
    update();
    append_many(1);
    ck_assert_uint_eq(update(), 1);     /* all that waits has room */
    close_list();
}
END_TEST

/* Indices that the unit's tags can't hold stay with the processor,
 * and what is behind them, in order. */
START_TEST(narrow_tags)
{
    open_list((struct nic_assisted_list_config){ .unit = { .cells = 128, .tag_bits = 6 } });
    append_many(200);
    ck_assert_uint_eq(update(), 64);
    ck_assert_uint_eq(update(), 0);
    for (unsigned i = 0; i < 200; i++)
        match(i * 7 % 200, 0);
    append_many(70);
    ck_assert_uint_eq(update(), 64);        /* low indices are used first */
    close_list();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alpu_threshold");
    TCase *tcase = tcase_create("alpu_threshold");

    tcase_add_test(tcase, threshold);
    tcase_add_test(tcase, in_use_while_outstanding);
    tcase_add_test(tcase, back_at_the_threshold);
    tcase_add_test(tcase, always);
    tcase_add_test(tcase, batch);
    tcase_add_test(tcase, capacity);
    tcase_add_test(tcase, narrow_tags);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
