/* The cells of the associative list processing unit: cycles of a match and of an insert, how holes
 * open and close. */
#include "alpu_oracle.h"

/* Tables IV and V, and V-D: cycles of a match by geometry, back to back, overlapped; an insert
 * every other cycle. */
START_TEST(cycle_counts)
{
    static const struct { unsigned cells, block, cycles; } measured[] = {
        { 256, 8, 7 }, { 256, 16, 7 }, { 256, 32, 6 }, { 128, 8, 7 }, { 128, 16, 6 },
        { 128, 32, 6 }, { 1024, 32, 7 },
    };
    struct oracle *o = &oracle;

    for (unsigned i = 0; i < sizeof measured / sizeof *measured; i++)
        for (unsigned overlap = 0; overlap < 2; overlap++) {
            open_unit(o,
                      (struct nic_alpu_unit_config){ .cells = measured[i].cells,
                                                     .block = measured[i].block,
                                                         .overlap = overlap });
            fill(o, 20);
            uint64_t before = counts(o)->cycles;
            for (unsigned k = 0; k < 10; k++)
                must(push_header(o, k * 2, 0));
            run(o);
            ck_assert_uint_eq(counts(o)->hits, 10);
            ck_assert_uint_eq(counts(o)->cycles - before, 10 * measured[i].cycles - 9 * overlap);
            start(o);
            before = counts(o)->cycles;
            for (unsigned k = 0; k < 30; k++)
                insert(o, 1000, 1000);
            run(o);
            ck_assert_uint_eq(counts(o)->cycles - before, 60);
            ck_assert_uint_eq(counts(o)->insert_stalls, 0);
            close_unit(o);
        }
}
END_TEST

/* Where the entries are, as a word for each block of 8, the lowest first. */
static unsigned block_of(const struct oracle *o, unsigned block)
{
    unsigned bits = 0;
    struct nic_match_entry e;
    for (unsigned i = 0; i < o->config.block; i++)
        bits |= (unsigned)nic_alpu_unit_cell(o->unit, block * o->config.block + i, &e) << i;
    return bits;
}

/* Inserts leave holes, one per cycle between them; a delete moves everything below, holes too; STOP
 * INSERT leaves them where they are. */
START_TEST(holes)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ .cells = 128, .block = 8 });
    start(o);
    for (unsigned i = 0; i < 4; i++)
        insert(o, i, i);
    for (unsigned i = 0; i < 8; i++)
        cycle(o);
    /* every other cycle, one cell on per cycle */
    ck_assert_uint_eq(block_of(o, 0), 0xaa);
    must(push_command(o, NIC_ALPU_STOP_INSERT, 0, 0, 0));
    cycle(o);
    ck_assert_uint_eq(block_of(o, 0), 0x54);
    ck_assert_uint_eq(block_of(o, 1), 0x01);
    for (unsigned i = 0; i < 10; i++)
        cycle(o);
    /* no closing outside of insert mode */
    ck_assert_uint_eq(block_of(o, 0), 0x54);
    must(push_header(o, 1, 0));
    run(o);
    /* the older one of block 1 stays, the rest moves with its holes */
    ck_assert_uint_eq(block_of(o, 0), 0x28);
    ck_assert_uint_eq(block_of(o, 1), 0x01);
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    for (unsigned i = 0; i < 200; i++)
        cycle(o);
    ck_assert_uint_eq(block_of(o, 0), 0);
    ck_assert_uint_eq(block_of(o, 15), 0xe0);                   /* all closed, at the top */
    check_cells(o);
    close_unit(o);
}
END_TEST

/* A full unit: a hole at the top takes a cycle per block to reach the lowest cell, and the INSERT
 * waits for it; one more is refused. */
START_TEST(full_unit)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ .cells = 128, .block = 8 });
    fill(o, 128);
    ck_assert_uint_eq(status(o).free, 0);
    ck_assert_uint_eq(counts(o)->overflows, 0);
    start(o);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 0);
    insert(o, 500, 500);
    run(o);
    ck_assert_uint_eq(counts(o)->overflows, 1);
    ck_assert_uint_eq(status(o).entries, 128);
    must(push_header(o, 60, 0));
    run(o);
    expect_result(o, NIC_ALPU_MATCH_SUCCESS, 160);
    insert(o, 501, 501);
    run(o);
    ck_assert_uint_eq(status(o).entries, 128);
    must(push_header(o, 501, 0));
    run(o);
    expect_result(o, NIC_ALPU_MATCH_SUCCESS, 501);
    check_cells(o);
    close_unit(o);
}
END_TEST

/* Inserts in every cycle, which the rule for holes does not keep up with: a block that is full but
 * for a hole above it moves every other cycle. INSERT waits, none is lost, and the unit takes as
 * many as START ACKNOWLEDGE said. */
START_TEST(insert_stalls)
{
    struct oracle *o = &oracle;

    open_unit(o,
              (struct nic_alpu_unit_config){ .cells = 128, .block = 8, .insert_cycles = 1,
                                             .command_depth = 64 });
    start(o);
    for (unsigned i = 0; i < 128; i++) {
        insert(o, i, 100 + i);
        if (i % 64 == 63)
            run(o);
    }
    ck_assert_uint_gt(counts(o)->insert_stalls, 0);
    stop(o);
    ck_assert_uint_eq(status(o).entries, 128);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 128);
    for (unsigned i = 0; i < 128; i++) {
        must(push_header(o, i, 0));
        run(o);
        expect_result(o, NIC_ALPU_MATCH_SUCCESS, 100 + i);
    }
    close_unit(o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alpu_cells");
    TCase *tcase = tcase_create("alpu_cells");

    tcase_add_test(tcase, cycle_counts);
    tcase_add_test(tcase, holes);
    tcase_add_test(tcase, full_unit);
    tcase_add_test(tcase, insert_stalls);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
