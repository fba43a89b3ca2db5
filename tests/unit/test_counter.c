/* Counters: widths, firing, notifications, early arrivals, wrong arguments, damaged memory; counted
 * by many at once and by both ways.  Chains: test_trigger.c. */
#include "remote/counters.h"
#include "offload.h"
#include "remote/reach.h"

#include <errno.h>
#include <sched.h>

static struct offload o;

static void setup_as(unsigned ranks, enum way way)
{
    offload_open(&o, ranks, NIC_PROGRESS_HOST, way);
}

static uint64_t counter_as(unsigned rank, unsigned bits, uint64_t size,
                           struct nic_notification first)
{
    struct nic_counter_config c = { .bits = bits, .size = size, .notify = { first } };
    uint64_t counter = NIC_SPAD_NONE;
    must(AT(o.nic[rank], nic_counter_create(o.nic[rank], &c, &counter)) == 0);
    return counter;
}

static uint64_t counter_of(unsigned rank, unsigned bits, uint64_t size)
{
    return counter_as(rank, bits, size, (struct nic_notification){ .bytes = 0 });
}

static int64_t value_of(unsigned rank, uint64_t counter)
{
    int64_t value = INT64_MIN;
    must(AT(o.nic[rank], nic_counter_read(o.nic[rank], counter, &value)) == 0);
    return value;
}

static int add(unsigned from, unsigned rank, uint64_t counter, uint64_t amount)
{
    return AT(o.nic[from], nic_counter_add(o.nic[from], rank, counter, amount));
}

static _Atomic uint64_t *word(unsigned rank, uint64_t offset)
{
    return nic_spad_at(o.nic[rank], rank, offset, 8);
}

static uint64_t space(unsigned rank, size_t bytes) { return offload_space(&o, rank, bytes, 0); }

/* Executes `call` each time the counter fires. */
static void call_on(unsigned rank, uint64_t counter, void *cookie)
{
    struct nic_operation call = { .kind = NIC_OPERATION_CALL, .cookie = cookie };
    must(AT(o.nic[rank], nic_counter_trigger(o.nic[rank], counter, &call, 1)) == 0);
}

static unsigned long calls(unsigned rank) { return atomic_load(&o.program[rank].calls); }

/* -- one thread */

START_TEST(counts_to_zero)
{
    setup_as(3, (enum way)_i);
    uint64_t at[4] = { space(0, 64), space(1, 64), space(2, 64), space(0, 64) };
    struct nic_counter_config c = { .bits = 24, .size = 100,
                                    .notify = { { 0, 4, at[0] + 4, 1 },
                                                { 1, 8, at[1], UINT64_MAX - 5 }, { 2,
            4, at[2], 7 }, { 0, 8, at[3] + 8, 9 } } };
    uint64_t counter;
    ck_assert_int_eq(AT(o.nic[1], nic_counter_create(o.nic[1], &c, &counter)), 0);
    ck_assert_int_eq(value_of(1, counter), -100);
    for (unsigned round = 0; round < 3; round++) {
        ck_assert_int_eq(add(0, 1, counter, 60), 0);
        ck_assert_int_eq(add(2, 1, counter, 39), 0);
        settle(&o);
        ck_assert_int_eq(value_of(1, counter), -1);
        ck_assert(!nic_counter_done(o.nic[1], counter));
        ck_assert_uint_eq(atomic_load(word(0, at[0])) | atomic_load(word(1, at[1]))
                          | atomic_load(word(2,
                at[2])) | atomic_load(word(0, at[3] + 8)), 0);
        ck_assert_int_eq(add(round % 3, 1, counter, 1), 0);
        settle(&o);
        ck_assert_int_eq(value_of(1, counter), 0);
        ck_assert_uint_eq(atomic_load(word(0, at[0])), UINT64_C(1) << 32);
        ck_assert_uint_eq(atomic_load(word(1, at[1])), UINT64_MAX - 5);
        ck_assert_uint_eq(atomic_load(word(2, at[2])), 7);
        ck_assert_uint_eq(atomic_load(word(0, at[3] + 8)), 9);
        atomic_store(word(0, at[0]), 0), atomic_store(word(1, at[1]), 0),
            atomic_store(word(2, at[2]), 0), atomic_store(word(0, at[3] + 8), 0);
        ck_assert_int_eq(add(0, 1, counter, 5), 0);         /* past zero: nothing more */
        settle(&o);
        ck_assert_int_eq(value_of(1, counter), 5);
        ck_assert_uint_eq(atomic_load(word(1, at[1])), 0);
        ck_assert_int_eq(AT(o.nic[1], nic_counter_reset(o.nic[1], counter)), 0);
    }
    ck_assert_int_eq(AT(o.nic[1], nic_counter_destroy(o.nic[1], counter)), 0);
    offload_close(&o);
}
END_TEST

static uint64_t fired(unsigned rank) { return o.nic[rank]->stats.value[NIC_STAT_counters_fired]; }

/* To the size that it was preset to last, not to the one that it was made with. */
START_TEST(reset)
{
    setup_as(1, DIRECT);
    struct nic *n = o.nic[0];
    uint64_t counter = counter_of(0, 24, 10);
    ck_assert_int_eq(AT(n, nic_counter_preset(n, counter, 3)), 0);
    ck_assert_int_eq(add(0, 0, counter, 3), 0);
    ck_assert_int_eq(AT(n, nic_counter_reset(n, counter)), 0);
    ck_assert_int_eq(value_of(0, counter), -3);
    ck_assert_int_eq(add(0, 0, counter, 2), 0);
    ck_assert_uint_eq(fired(0), 1);
    ck_assert_int_eq(add(0, 0, counter, 1), 0);
    ck_assert_uint_eq(fired(0), 2);
    offload_close(&o);
}
END_TEST

START_TEST(preset_by_a_remote_store)
{
    setup_as(2, (enum way)_i);
    uint64_t counter = counter_of(0, 24, 5);
    call_on(0, counter, NULL);
    ck_assert_int_eq(AT(o.nic[1], nic_store(o.nic[1], 0, counter, -(uint64_t)3, 8)), 0);
    ck_assert_int_eq(add(1, 0, counter, 3), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 1);
    ck_assert_int_eq(value_of(0, counter), 0);
    offload_close(&o);
}
END_TEST

/* A count of zero is done and has fired nothing; adding nothing is nothing. */
START_TEST(nothing_to_count)
{
    setup_as(1, DIRECT);
    uint64_t counter = counter_of(0, 64, 0);
    call_on(0, counter, NULL);
    ck_assert(nic_counter_done(o.nic[0], counter));
    ck_assert_int_eq(AT(o.nic[0], nic_counter_wait(o.nic[0], counter)), 0);
    ck_assert_int_eq(add(0, 0, counter, 0), 0);
    ck_assert_int_eq(add(0, 0, NIC_SPAD_NONE, 8), 0);
    ck_assert_int_eq(add(0, 9, NIC_SPAD_NONE, 8), 0);
    ck_assert_int_eq(AT(o.nic[0], nic_counter_expect(o.nic[0], counter, 0)), 0);
    ck_assert_uint_eq(calls(0), 0);
    offload_close(&o);
}
END_TEST

START_TEST(early_arrivals)
{
    setup_as(2, (enum way)_i);
    uint64_t counter = counter_of(0, 64, 0);
    call_on(0, counter, NULL);
    add(1, 0, counter, 10);                 /* all of it early */
    settle(&o);
    ck_assert_uint_eq(calls(0), 0);
    AT(o.nic[0], nic_counter_expect(o.nic[0], counter, 10));
    settle(&o);
    ck_assert_uint_eq(calls(0), 1);
    add(1, 0, counter, 4);                  /* a part of it */
    settle(&o);
    AT(o.nic[0], nic_counter_expect(o.nic[0], counter, 10));
    settle(&o);
    ck_assert_uint_eq(calls(0), 1);
    add(1, 0, counter, 9);                  /* more than the rest */
    settle(&o);
    ck_assert_uint_eq(calls(0), 2);
    AT(o.nic[0], nic_counter_expect(o.nic[0], counter, 3));        /* of which the excess is all */
    settle(&o);
    ck_assert_uint_eq(calls(0), 3);
    ck_assert_int_eq(value_of(0, counter), 0);
    offload_close(&o);
}
END_TEST

START_TEST(wrong_arguments)
{
    setup_as(2, (enum way)_i);
    struct nic *n = o.nic[0];
    uint64_t size = 1 << 20, counter = 77, good = counter_of(1, 24, 10),
        mine = counter_of(0, 64, 10);
    struct nic_counter_config bad[] = {
        { .bits = 23 }, { .bits = 32 }, { .bits = 0 }, { .bits = 24, .size = (1 << 23) + 1 },
        { .bits = 64, .size = (UINT64_C(1) << 63) + 1 },
        { .bits = 64, .notify = { { 2, 4, 0, 1 } } }, { .bits = 64, .notify = { { 0, 4, 2, 1 } } },
        { .bits = 64, .notify = { { 0, 8, 4, 1 } } },
        { .bits = 64, .notify = { { 0, 2, 0, 1 } } },
        { .bits = 64, .notify = { { 0 }, { 0 }, { 0 }, { 1, 8, size, 1 } } },
        { .bits = 64, .notify = { { 1, 4, UINT64_MAX - 3, 1 } } },
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(AT(n, nic_counter_create(n, &bad[i], &counter)), -EINVAL);
    ck_assert_uint_eq(counter, 77);
    ck_assert_int_eq(add(0, 2, good, 1), -EINVAL);
    ck_assert_int_eq(add(0, 1, good + 8, 1), -EINVAL);
    ck_assert_int_eq(add(0, 1, size, 1), -EINVAL);
    ck_assert_int_eq(add(0, 1, size - 64, 1), -EINVAL);
    ck_assert_int_eq(add(0, 1, UINT64_MAX - 63, 1), -EINVAL);
    ck_assert_int_eq(add(0, 0, mine, (UINT64_C(1) << 63) + 1), -ERANGE);
    int rc = add(0, 1, good + 128, 1);              /* no counter there */
    ck_assert_int_eq(rc, _i == DIRECT ? -EINVAL : 0);
    rc = add(0, 1, good, (1 << 23) + 1);
    ck_assert_int_eq(rc, _i == DIRECT ? -ERANGE : 0);
    settle(&o);
    ck_assert_uint_eq(o.nic[1]->counts.hw_dropped, _i == DIRECT ? 0 : 2);
    ck_assert_int_eq(value_of(1, good), -10);
    ck_assert_int_eq(value_of(0, mine), -10);
    ck_assert_int_eq(AT(n, nic_counter_preset(n, good + 128, 1)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_counter_preset(n, mine, (UINT64_C(1) << 63) + 1)), -ERANGE);
    ck_assert_int_eq(AT(n, nic_counter_expect(n, 64 * 1024, 1)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_counter_reset(n, 3)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_counter_destroy(n, 3)), -EINVAL);
    ck_assert_int_eq(AT(n, nic_counter_wait(n, 64 * 1024)), -EINVAL);
    ck_assert(!nic_counter_done(n, 64 * 1024));
    ck_assert_int_eq(AT(n, nic_counter_destroy(n, mine)), 0);
    ck_assert_int_eq(AT(n, nic_counter_destroy(n, mine)), -EINVAL);
    ck_assert_int_eq(add(0, 0, mine, 1), -EINVAL);
    offload_close(&o);
}
END_TEST

START_TEST(scratchpad_exhausted)
{
    setup_as(1, DIRECT);
    struct nic_counter_config c = { .bits = 64, .size = 1 };
    uint64_t counter, made = 0, last = 0;
    int rc;
    while (!(rc = AT(o.nic[0], nic_counter_create(o.nic[0], &c, &counter))))
        made++, last = counter;
    ck_assert_int_eq(rc, -ENOMEM);
    ck_assert_uint_ge(made, 1000);
    ck_assert_int_eq(AT(o.nic[0], nic_counter_destroy(o.nic[0], last)), 0);
    ck_assert_int_eq(AT(o.nic[0], nic_counter_create(o.nic[0], &c, &counter)), 0);
    offload_close(&o);
}
END_TEST

/* -- random programs against an oracle: one counter of each width, its count in whole numbers */

struct oracle { unsigned bits; uint64_t counter; __int128 value; unsigned long fired; };

static __int128 wrapped(const struct oracle *r, __int128 v)
{
    __int128 span = (__int128)1 << r->bits;
    while (v >= span / 2)
        v -= span;
    while (v < -span / 2)
        v += span;
    return v;
}

static uint64_t any_amount(uint64_t *random, unsigned bits)
{
    uint64_t limit = UINT64_C(1) << (bits - 1);
    return loop_below(random, 3) ? 1 + loop_below(random, 1000) : loop_below(random, 2)
           ? limit - loop_below(random, 3) : loop_random(random) % limit;
}

static void random_step(struct oracle *r, uint64_t *random)
{
    struct nic *n = o.nic[0];
    uint64_t amount = any_amount(random, r->bits);
    int rc;
    switch (loop_below(random, 8)) {
    case 0:
        rc = AT(n, nic_counter_preset(n, r->counter, amount));
        r->value = -(__int128)amount;
        break;
    case 1:
        rc = AT(n, nic_counter_expect(n, r->counter, amount));
        r->fired += r->value >= 0 && r->value >= (__int128)amount;
        r->value = wrapped(r, r->value - amount);
        break;
    default:
        rc = add(loop_below(random, 2), 0, r->counter, amount);
        settle(&o);
        r->fired += r->value < 0 && r->value + amount >= 0;
        r->value = wrapped(r, r->value + amount);
    }
    must(rc == 0);
}

START_TEST(random_program)
{
    setup_as(2, (enum way)_i);
    uint64_t random = 4711;
    struct oracle r[2] = { { .bits = 24, .counter = counter_of(0, 24, 0) },
                           { .bits = 64, .counter = counter_of(0, 64, 0) } };
    call_on(0, r[0].counter, NULL);
    call_on(0, r[1].counter, NULL);
    for (unsigned step = 0; step < 20000; step++) {
        struct oracle *which = &r[loop_below(&random, 2)];
        random_step(which, &random);
        must(value_of(0, which->counter) == (int64_t)which->value);
        must(calls(0) == r[0].fired + r[1].fired);
    }
    ck_assert_uint_ge(r[0].fired, 1000);
    ck_assert_uint_ge(r[1].fired, 500);
    offload_close(&o);
}
END_TEST

/* -- damaged by a peer: what it wrote over the notifications is refused, the NIC lives on */

START_TEST(damaged_counters)
{
    setup_as(2, DIRECT);
    uint64_t random = 99;
    for (unsigned round = 0; round < 3000; round++) {
        uint64_t counter = counter_of(0, 64, 1);
        struct nic_counter_line *l = nic_spad_at(o.nic[1], 0, counter, sizeof *l);
        for (unsigned i = 0; i < 4; i++) {
            uint64_t at = loop_below(&random, 2) ? loop_random(&random)
                          : (UINT64_C(1) << 20) - loop_below(&random, 9);
            atomic_store(&l->notify[i].rank, loop_below(&random, 2) ? 2 + loop_below(&random, 3)
                         : (uint32_t)loop_random(&random) | 2);
            atomic_store(&l->notify[i].bytes, loop_below(&random, 2) ? 1u << loop_below(&random, 5)
                         : (uint32_t)loop_random(&random));
            atomic_store(&l->notify[i].offset, at);
        }
        atomic_store(&l->triggers, 1);
        if (round % 2)
            atomic_store(&l->generation, (uint32_t)loop_random(&random));
        must(add(round % 2, 0, counter, 1) == 0);
        settle(&o);
        if (round % 7 == 0)
            atomic_store(&l->kind, (uint32_t)loop_random(&random));
        int64_t value;
        AT(o.nic[0], nic_counter_read(o.nic[0], counter, &value));
        must(AT(o.nic[0], nic_counter_destroy(o.nic[0], counter)) == 0);
    }
    offload_close(&o);
}
END_TEST

/* Packets of any content: nothing of them arrives anywhere
 * that is not allowed, and nothing falls over. */
START_TEST(senseless_packets)
{
    setup_as(2, PACKET);
    uint64_t random = 5, queue, counter = counter_of(0, 24, 1 << 20);
    call_on(0, counter, NULL);
    must(AT(o.nic[0], nic_queue_create(o.nic[0], 4, &queue)) == 0);
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t words[12],
            places[] = { counter, queue, loop_random(&random), loop_below(&random, 1 << 20),
                (UINT64_C(1) << 32) + loop_below(&random, 20) };
        for (unsigned k = 0; k < 12; k++)
            words[k] = loop_below(&random, 2) ? loop_below(&random, 10) : loop_random(&random);
        enum nic_hw_type type = NIC_HW_COUNT + loop_below(&random,
                                                          NIC_HW_ATOMIC_REPLY - NIC_HW_COUNT + 1);
        uint64_t match = places[loop_below(&random, 5)];
        /* sound ones may go anywhere, also over the queue: not those */
        if (type == NIC_HW_STORE || type == NIC_HW_WRITE)
            match |= UINT64_C(1) << 40;
        nic_enter(o.nic[1]);
        nic_hw_send(o.nic[1], 0, type, match, NULL, 0, words,
                    loop_below(&random, 2) ? loop_below(&random, sizeof words)
                : 8 * loop_below(&random, 8));
        nic_leave(o.nic[1]);
        if (i % 16 == 0)
            settle(&o);
    }
    settle(&o);
    ck_assert_uint_gt(o.nic[0]->counts.hw_dropped, 1000);
    offload_close(&o);
}
END_TEST

/* -- many at once: each adds its share, some of it in several
 * pieces, after it has written its data */

enum { ROUNDS = 300 };

static struct { uint64_t counter, flag, data, meeting; unsigned bits; } shared;

static void counting(struct program *program)
{
    struct nic *nic = program->nic;
    unsigned rank = nic_rank(nic), others = nic_ranks(nic) - 1;
    uint64_t random = rank + 1;
    for (unsigned round = 1; round <= ROUNDS; round++) {
        if (!rank) {
            must(AT(nic, nic_counter_preset(nic, shared.counter, 64 * others)) == 0);
            *(_Atomic uint64_t *)nic_spad_at(nic, 0, shared.flag, 8) = 0;
        }
        meet(nic, shared.meeting, 2 * round - 1);
        if (!rank) {
            must(AT(nic, nic_counter_wait(nic, shared.counter)) == 0);
            uint64_t value;
            must(AT(nic, nic_word_wait(nic, shared.flag, 8, 0, &value)) == 0 && value == 1);
            uint64_t *data = nic_spad_at(nic, 0, shared.data, 8 * others);
            for (unsigned r = 0; r < others; r++)
                must(data[r] == round);             /* plain: ordered by the counter */
        } else {
            if (!nic_in_reach(nic, 0))
                must(AT(nic, nic_store(nic, 0, shared.data + 8 * (rank - 1), round, 8)) == 0);
            else
                *((uint64_t *)nic_spad_at(nic, 0, shared.data, 8 * others) + rank - 1) = round;
            for (uint64_t left = 64, piece; left; left -= piece) {
                piece = 1 + loop_below(&random, (uint32_t)left);
                must(AT(nic, nic_counter_add(nic, 0, shared.counter, piece)) == 0);
            }
        }
        meet(nic, shared.meeting, 2 * round);
    }
    for (bool served = rank != 0; !served; served = atomic_load(&program->calls) >= ROUNDS)
        AT(nic, nic_step(nic));             /* who fired it has told this NIC by a packet */
    must(rank || atomic_load(&program->calls) == ROUNDS);
}

static void prepare_counting(struct program *program)
{
    struct nic *nic = program->nic;
    struct nic_counter_config c = { .bits = 24, .size = 1 };
    struct nic_operation call = { .kind = NIC_OPERATION_CALL };
    nic_enter(nic);
    shared.meeting = nic_spad_alloc(nic, NIC_SPAD_USER, 64, 64);
    shared.flag = nic_spad_alloc(nic, NIC_SPAD_USER, 64, 64);
    shared.data = nic_spad_alloc(nic, NIC_SPAD_USER, 64, 64);
    c.notify[0] = (struct nic_notification){ 0, 8, shared.flag, 1 };
    must(nic_counter_create(nic, &c, &shared.counter) == 0);
    if (!nic_rank(nic))
        must(nic_counter_trigger(nic, shared.counter, &call, 1) == 0);
    nic_leave(nic);
}

static const struct work counting_work = { NIC_PROGRESS_AUTO, prepare_counting, counting };

START_TEST(many_threads) { work_in_threads(4, (enum way)_i, &counting_work); } END_TEST
START_TEST(many_processes) { work_in_processes(4, (enum way)_i, &counting_work); } END_TEST

/* -- a host that sleeps is woken by whoever fires its counter */

static uint64_t sleepers_counter;
static atomic_uint woken;

static void sleeper(struct program *p)
{
    struct nic *n = p->nic;
    for (unsigned i = 0; i < 20; i++) {
        if (nic_rank(n)) {
            while (atomic_load(&woken) != i
                   || !(atomic_load(&n->publics[0].attention) & NIC_PARKED))
                usleep(100);
            must(AT(n, nic_counter_add(n, 0, sleepers_counter, 1)) == 0);
        } else {
            must(AT(n, nic_counter_wait(n, sleepers_counter)) == 0);
            must(AT(n, nic_counter_preset(n, sleepers_counter, 1)) == 0);
            atomic_store(&woken, i + 1);
        }
    }
}

START_TEST(wakes_a_sleeper)
{
    setup_as(2, (enum way)_i);
    sleepers_counter = counter_of(0, 64, 1);
    atomic_store(&woken, 0);
    run_all(&o, sleeper);
    offload_close(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("counter");
    TCase *tcase = tcase_create("counter");

    tcase_add_loop_test(tcase, counts_to_zero, DIRECT, IN_TURN);
    tcase_add_test(tcase, reset);
    tcase_add_loop_test(tcase, preset_by_a_remote_store, DIRECT, MIXED);
    tcase_add_test(tcase, nothing_to_count);
    tcase_add_loop_test(tcase, early_arrivals, DIRECT, MIXED);
    tcase_add_loop_test(tcase, wrong_arguments, DIRECT, MIXED);
    tcase_add_test(tcase, scratchpad_exhausted);
    tcase_add_loop_test(tcase, random_program, DIRECT, IN_TURN);
    tcase_add_test(tcase, damaged_counters);
    tcase_add_test(tcase, senseless_packets);
    tcase_add_loop_test(tcase, many_threads, DIRECT, WAYS);
    tcase_add_loop_test(tcase, many_processes, DIRECT, WAYS);
    tcase_add_loop_test(tcase, wakes_a_sleeper, DIRECT, MIXED);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
