/* The associative list processing unit: random programs against a linear list and against cells
 * that move one by one, cycle by cycle; each command in each state; full FIFOs. */
#include "alpu_oracle.h"

/* -- random programs */

/* first the prototypes', then other sizes */
static const unsigned totals[] = { 128, 256, 512, 1024, 1, 37 },
    blocks[2][3] = { { 8, 16, 32 }, { 1, 4, 16 } },
    widths[] = { 42, 64 }, depths[] = { 1, 2, 5, 64 };
enum { CONFIGS = 6 * 3 * 2 * 2, ACTIONS = LOOP_SANITIZED ? 8000 : 40000 };

static uint64_t random_state;
static unsigned below(unsigned limit) { return loop_below(&random_state, limit); }

static struct nic_alpu_unit_config config_of(unsigned i)
{
    return (struct nic_alpu_unit_config){
        .kind = i % 2 ? NIC_ALPU_UNEXPECTED : NIC_ALPU_POSTED, .match_bits = widths[i / 2 % 2],
        .block = blocks[i / 12 % 6 > 3][i / 4 % 3], .cells = totals[i / 12 % 6],
        .tag_bits = i % 5 ? 20 : 16,
        .header_depth = depths[below(4)], .command_depth = depths[below(4)],
            .result_depth = depths[below(4)],
        .match_cycles = below(4) ? 0 : 1 + below(9), .insert_cycles = below(2) ? 0 : 1 + below(3),
            .command_cycles = below(4) ? 0 : 1 + below(4),
        .overlap = !below(3), .retry_inserts = !below(2),
    };
}

/* Context, source and tag in the width of the unit, and now and then something above it. */
static uint64_t random_bits(unsigned width, unsigned variety)
{
    unsigned source = width == 42 ? 16 : 32, context = width == 42 ? 32 : 48;
    uint64_t bits = (uint64_t)below(2) << context | (uint64_t)below(variety) << source
                    | below(variety);
    if (!below(16))
        bits ^= UINT64_C(1) << (width - 1);
    return width < 64 && !below(4) ? bits | loop_random(&random_state) << width : bits;
}

static uint64_t random_mask(unsigned width)
{
    uint64_t tag = width == 42 ? UINT64_C(0xffff) : UINT64_C(0xffffffff),
        source = width == 42 ? tag << 16 : UINT64_C(0xffff) << 32;
    switch (below(20)) {
    case 0: return tag;
    case 1: return source;
    case 2: return tag | source;
    case 3: return loop_random(&random_state) & loop_random(&random_state);
    default: return 0;
    }
}

/* Often the bits of an entry. */
static uint64_t random_input(const struct oracle *o, unsigned variety)
{
    return o->entries && below(2) ? o->list[below(o->entries)].bits
           : random_bits(o->config.match_bits, variety);
}

/* Mostly what keeps a program going, but also commands that are illegal in their state, or in any,
 * and inserts into a full unit. */
static unsigned random_op(const struct oracle *o, bool filling)
{
    static const unsigned any[] = { NIC_ALPU_START_INSERT, NIC_ALPU_INSERT, NIC_ALPU_STOP_INSERT,
                                    NIC_ALPU_RESET, 4, 1000 };
    if (!below(12))
        return any[below(filling ? 3 : 6)];
    if (!o->inserting)
        return below(filling ? 4000 : 200) ? NIC_ALPU_START_INSERT : NIC_ALPU_RESET;
    if (o->entries + o->commands.count >= o->config.cells && below(8))
        return NIC_ALPU_STOP_INSERT;
    return below(filling ? 40 : 6) ? NIC_ALPU_INSERT : NIC_ALPU_STOP_INSERT;
}

static void action(struct oracle *o, bool filling, unsigned variety, uint32_t *tag)
{
    unsigned dice = below(16), width = o->config.match_bits;
    if (dice < (filling ? 6 : 2))
        push_command(o, random_op(o, filling), random_bits(width, variety), random_mask(width),
                     (*tag)++);
    else if (dice < 8)
        push_header(o, random_input(o, variety), random_mask(width));
    else if (dice < 11)
        for (unsigned n = below(filling ? 3 : 5); n; n--)
            pop_result(o, NULL);
    else
        for (unsigned n = below(dice == 15 ? 40 : 8); n; n--)
            cycle(o);
}

static bool under_way(struct oracle *o)
{
    return status(o).busy || o->headers.count || o->commands.count || o->held || o->inserting;
}

static void finish_program(struct oracle *o)
{
    for (unsigned turns = 0; turns < 1000 && under_way(o); turns++) {
        run(o);
        while (pop_result(o, NULL))
            ;
        if (o->inserting && !o->commands.count)
            push_command(o, NIC_ALPU_STOP_INSERT, 0, 0, 0);
    }
    must(!o->held && !o->headers.count && !o->inserting);
}

START_TEST(random_program)
{
    struct oracle *o = &oracle;
    uint64_t seed = (uint64_t)_i + 1;
    uint32_t tag = 0;
    bool filling = true;

    random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
    struct nic_alpu_unit_config config = config_of((unsigned)_i);
    open_unit(o, config);
    printf("seed %u: %s, %u cells in blocks of %u, %u bits, FIFOs of %u, %u, %u\n", (unsigned)seed,
           config.kind ? "unexpected" : "posted", config.cells, config.block, config.match_bits,
           config.header_depth, config.command_depth, config.result_depth);
    unsigned variety = 2 + below(12);
    for (unsigned i = 0; i < ACTIONS; i++) {
        if (i % 2048 == 0)
            filling = below(3) > 0;
        action(o, filling, variety, &tag);
        if (i % 512 == 0)
            check_cells(o);
    }
    finish_program(o);
    check_cells(o);
    const struct nic_alpu_counts *c = counts(o);
    must(c->hits && c->misses && c->holds && c->retries && c->starts && c->inserts && c->stops
         && c->discards);
    /* every other cycle the lowest cell is free again, whatever holes there are */
    if (o->config.insert_cycles > 1)
        must(c->insert_stalls == 0);
    if (!o->config.overlap)
        must(c->match_cycles == (c->hits + c->misses + c->holds) * o->config.match_cycles);
    must(c->header_peak <= o->config.header_depth && c->command_peak <= o->config.command_depth
         && c->result_peak <= o->config.result_depth);
    close_unit(o);
}
END_TEST

/* -- one thing each */

/* Each command, and what is none, in MATCH and in INSERT. */
static const struct { bool inserting; unsigned op; enum nic_alpu_state to; bool discarded,
                      answered; } commands[] = {
    { false, NIC_ALPU_START_INSERT, NIC_ALPU_STATE_INSERT, false, true },
    { false, NIC_ALPU_INSERT, NIC_ALPU_STATE_MATCH, true, false },
    { false, NIC_ALPU_STOP_INSERT, NIC_ALPU_STATE_MATCH, true, false },
    { false, NIC_ALPU_RESET, NIC_ALPU_STATE_MATCH, false, false },
    { false, NIC_ALPU_OP_COUNT, NIC_ALPU_STATE_MATCH, true, false },
    { false, 0x7fffffff, NIC_ALPU_STATE_MATCH, true, false },
    { true, NIC_ALPU_START_INSERT, NIC_ALPU_STATE_INSERT, true, false },
    { true, NIC_ALPU_INSERT, NIC_ALPU_STATE_INSERT, false, false },
    { true, NIC_ALPU_STOP_INSERT, NIC_ALPU_STATE_MATCH, false, false },
    { true, NIC_ALPU_RESET, NIC_ALPU_STATE_INSERT, true, false },
    { true, NIC_ALPU_OP_COUNT, NIC_ALPU_STATE_INSERT, true, false },
    { true, 0x7fffffff, NIC_ALPU_STATE_INSERT, true, false },
};

START_TEST(command_in_state)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ 0 });
    ck_assert_int_eq(status(o).state, NIC_ALPU_STATE_MATCH);
    fill(o, 3);
    if (commands[_i].inserting) {
        start(o);
        expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 253);
    }
    must(push_command(o, commands[_i].op, 7, 0, 107));
    run(o);
    ck_assert_int_eq(status(o).state, commands[_i].to);
    ck_assert_uint_eq(counts(o)->discards, commands[_i].discarded);
    ck_assert_uint_eq(status(o).results, commands[_i].answered);
    unsigned entries = commands[_i].discarded || commands[_i].op != NIC_ALPU_INSERT ? 3 : 4;
    ck_assert_uint_eq(status(o).entries, commands[_i].op == NIC_ALPU_RESET
                      && !commands[_i].discarded ? 0 : entries);
    check_cells(o);
    close_unit(o);
}
END_TEST

/* READ_COMMAND shows while commands wait, goes through invalid ones, and ends with the last. */
START_TEST(read_command)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ 0 });
    must(push_command(o, NIC_ALPU_INSERT, 0, 0, 0));
    must(push_command(o, NIC_ALPU_STOP_INSERT, 0, 0, 0));
    cycle(o);
    ck_assert_int_eq(status(o).state, NIC_ALPU_STATE_READ_COMMAND);
    cycle(o);
    /* empty before a valid command */
    ck_assert_int_eq(status(o).state, NIC_ALPU_STATE_MATCH);
    ck_assert_uint_eq(counts(o)->discards, 2);
    must(push_command(o, NIC_ALPU_INSERT, 0, 0, 0));
    must(push_command(o, NIC_ALPU_RESET, 0, 0, 0));
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    cycle(o);
    ck_assert_int_eq(status(o).state, NIC_ALPU_STATE_READ_COMMAND);
    cycle(o);
    ck_assert_int_eq(status(o).state, NIC_ALPU_STATE_MATCH);
    cycle(o);
    ck_assert_int_eq(status(o).state, NIC_ALPU_STATE_INSERT);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 256);
    close_unit(o);
}
END_TEST

/* A match under way ends before a command is read, though that was there before the next header. */
START_TEST(command_waits_for_match)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ 0 });
    must(push_header(o, 5, 0));
    cycle(o);
    must(push_header(o, 6, 0));
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    for (int i = 0; i < 6; i++)
        cycle(o);
    expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
    cycle(o);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 256);
    run(o);
    must(status(o).held && !status(o).results);     /* the second fails in insert mode */
    stop(o);
    expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
    close_unit(o);
}
END_TEST

/* _i 0: retried after STOP INSERT; 1: after inserts too.  Successes come out in insert mode,
 * nothing overtakes the held one. */
START_TEST(held)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ .retry_inserts = _i });
    fill(o, 2);
    start(o);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 254);
    must(push_header(o, 1, 0));
    must(push_header(o, 9, 0));
    must(push_header(o, 0, 0));
    run(o);
    expect_result(o, NIC_ALPU_MATCH_SUCCESS, 101);
    must(status(o).held && status(o).headers == 1 && !status(o).results);
    insert(o, 8, 108);
    run(o);
    must(status(o).held && counts(o)->retries == (uint64_t)_i);
    insert(o, 9, 109);
    run(o);
    if (_i) {
        expect_result(o, NIC_ALPU_MATCH_SUCCESS, 109);
        expect_result(o, NIC_ALPU_MATCH_SUCCESS, 100);
    }
    ck_assert_uint_eq(status(o).held, !_i);
    must(!status(o).results);
    stop(o);
    if (!_i) {
        expect_result(o, NIC_ALPU_MATCH_SUCCESS, 109);
        expect_result(o, NIC_ALPU_MATCH_SUCCESS, 100);
    }
    ck_assert_uint_eq(counts(o)->misses, 0);
    ck_assert_uint_eq(counts(o)->retries, 1 + (unsigned)_i);
    close_unit(o);
}
END_TEST

/* A held match goes before a START INSERT that is in the FIFO already. */
START_TEST(held_before_start)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ 0 });
    start(o);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 256);
    must(push_header(o, 1, 0));
    run(o);
    must(push_command(o, NIC_ALPU_STOP_INSERT, 0, 0, 0));
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    run(o);
    expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 256);
    close_unit(o);
}
END_TEST

/* Every FIFO takes what its depth says, refuses more, and the unit waits for room in the result
 * FIFO without losing anything. */
START_TEST(full_fifos)
{
    struct oracle *o = &oracle;

    open_unit(o,
              (struct nic_alpu_unit_config){ .header_depth = 3, .command_depth = 2,
                                             .result_depth = 2 });
    for (unsigned i = 0; i < 3; i++)
        must(push_header(o, i, 0));
    must(!push_header(o, 3, 0));
    run(o);
    /* the third waits with its result */
    must(status(o).results == 2 && status(o).busy && status(o).headers == 0);
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    must(!push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    for (unsigned i = 0; i < 50; i++)
        cycle(o);
    must(status(o).commands == 2 && status(o).results == 2);
    ck_assert_uint_eq(counts(o)->result_stalls, 50);
    ck_assert_uint_eq(counts(o)->header_refusals, 1);
    ck_assert_uint_eq(counts(o)->command_refusals, 1);
    for (unsigned i = 0; i < 3; i++) {
        expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
        run(o);
    }
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 256);
    run(o);
    ck_assert_uint_eq(counts(o)->discards, 1);
    ck_assert_uint_eq(counts(o)->result_peak, 2);
    close_unit(o);
}
END_TEST

/* A hit that finds the result FIFO full deletes only when its
 * result is out; START ACKNOWLEDGE waits likewise. */
START_TEST(result_stall_deletes_late)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ .result_depth = 1 });
    fill(o, 2);
    must(push_header(o, 7, 0));
    must(push_header(o, 1, 0));
    run(o);
    ck_assert_uint_eq(status(o).entries, 2);
    must(push_command(o, NIC_ALPU_START_INSERT, 0, 0, 0));
    expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
    run(o);
    ck_assert_uint_eq(status(o).entries, 1);
    ck_assert_int_ne(status(o).state, NIC_ALPU_STATE_INSERT);
    expect_result(o, NIC_ALPU_MATCH_SUCCESS, 101);
    run(o);
    ck_assert_int_eq(status(o).state, NIC_ALPU_STATE_INSERT);
    expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 255);
    close_unit(o);
}
END_TEST

START_TEST(reset_keeps_fifos)
{
    struct oracle *o = &oracle;

    open_unit(o, (struct nic_alpu_unit_config){ 0 });
    fill(o, 100);
    must(push_header(o, 3, 0));
    run(o);
    must(push_command(o, NIC_ALPU_RESET, 0, 0, 0));
    must(push_header(o, 4, 0));
    run(o);
    expect_result(o, NIC_ALPU_MATCH_SUCCESS, 103);
    expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
    ck_assert_uint_eq(status(o).free, 256);
    check_cells(o);
    fill(o, 5);
    check_cells(o);
    close_unit(o);
}
END_TEST

/* The posted kind takes its mask from the cell, the unexpected kind from the input; each ignores
 * the other; nothing above the widths counts. */
START_TEST(kinds_and_widths)
{
    struct oracle *o = &oracle;

    for (unsigned width = 1; width <= 64; width++)
        for (int kind = NIC_ALPU_POSTED; kind <= NIC_ALPU_UNEXPECTED; kind++) {
            uint64_t top = UINT64_C(1) << (width - 1), above = width < 64 ? UINT64_MAX << width : 0;
            open_unit(o,
                      (struct nic_alpu_unit_config){ .kind = (enum nic_alpu_kind)kind,
                                                     .match_bits = width,
                                                         .tag_bits = 1 + width % 32 });
            start(o);
            expect_result(o, NIC_ALPU_START_ACKNOWLEDGE, 256);
            must(push_command(o, NIC_ALPU_INSERT, above, top, UINT32_MAX));
            stop(o);
            must(push_header(o, top, kind == NIC_ALPU_POSTED ? top : 0));
            must(push_header(o, top | above, kind == NIC_ALPU_POSTED ? 0 : top));
            run(o);
            if (kind == NIC_ALPU_UNEXPECTED)
                expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
            expect_result(o, NIC_ALPU_MATCH_SUCCESS, UINT32_MAX >> (31 - width % 32));
            if (kind == NIC_ALPU_POSTED)
                expect_result(o, NIC_ALPU_MATCH_FAILURE, 0);
            close_unit(o);
        }
}
END_TEST

/* One match after the other: the second hides its first cycle
 * behind the end of the one before, and only then, and if it has another one. */
START_TEST(overlapped)
{
    const unsigned cycles = _i ? 7 : 1, next = _i ? 6 : 1;
    struct nic_alpu_unit *unit = NULL;
    struct nic_alpu_result result;

    must(nic_alpu_unit_new(&(struct nic_alpu_unit_config){ .overlap = true,
                                                           .match_cycles = cycles }, &unit) == 0);
    for (unsigned headers = 1; headers <= 4; headers++) {
        for (unsigned i = 0; i < headers; i++)
            must(nic_alpu_unit_header(unit, i, 0) == 0);
        ck_assert_uint_eq(nic_alpu_unit_run(unit), cycles + next * (headers - 1));
        while (nic_alpu_unit_result(unit, &result))
            ck_assert_int_eq(result.response, NIC_ALPU_MATCH_FAILURE);
        nic_alpu_unit_cycle(unit);      /* with nothing to do */
    }
    ck_assert_uint_eq(nic_alpu_unit_counts(unit)->result_stalls, 0);
    nic_alpu_unit_delete(unit);
}
END_TEST

START_TEST(bad_configurations)
{
    static const struct nic_alpu_unit_config bad[] = {
        { .kind = (enum nic_alpu_kind)2 }, { .cells = 1025 }, { .block = 64 }, { .block = 12 },
        { .block = 3 },
        { .match_bits = 65 }, { .tag_bits = 33 }, { .header_depth = NIC_ALPU_FIFO_MAX + 1 },
        { .command_depth = NIC_ALPU_FIFO_MAX + 1 },
        { .result_depth = NIC_ALPU_FIFO_MAX + 1 },
    };
    struct nic_alpu_unit *unit = NULL;

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(nic_alpu_unit_new(&bad[i], &unit), -22);
    ck_assert_ptr_null(unit);
    nic_alpu_unit_delete(NULL);
    ck_assert_int_eq(nic_alpu_unit_new(&(struct nic_alpu_unit_config){ .cells = 65, .block = 8 },
                                       &unit), 0);
    ck_assert_uint_eq(nic_alpu_unit_config(unit)->match_cycles, 7);     /* nine blocks */
    ck_assert_uint_eq(nic_alpu_unit_config(unit)->match_bits, 42);
    nic_alpu_unit_delete(unit);
    ck_assert_str_eq(nic_alpu_op_name(NIC_ALPU_STOP_INSERT), "STOP_INSERT");
    ck_assert_str_eq(nic_alpu_response_name(NIC_ALPU_MATCH_FAILURE), "MATCH_FAILURE");
    ck_assert_str_eq(nic_alpu_state_name(NIC_ALPU_STATE_READ_COMMAND), "READ_COMMAND");
    ck_assert_str_eq(nic_alpu_op_name(NIC_ALPU_OP_COUNT), "?");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alpu_unit");
    TCase *tcase = tcase_create("alpu_unit");

    tcase_add_loop_test(tcase, random_program, 0, CONFIGS);
    tcase_add_loop_test(tcase, command_in_state, 0, sizeof commands / sizeof *commands);
    tcase_add_test(tcase, read_command);
    tcase_add_test(tcase, command_waits_for_match);
    tcase_add_loop_test(tcase, held, 0, 2);
    tcase_add_test(tcase, held_before_start);
    tcase_add_test(tcase, full_fifos);
    tcase_add_test(tcase, result_stall_deletes_late);
    tcase_add_test(tcase, reset_keeps_fifos);
    tcase_add_test(tcase, kinds_and_widths);
    tcase_add_loop_test(tcase, overlapped, 0, 2);
    tcase_add_test(tcase, bad_configurations);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
