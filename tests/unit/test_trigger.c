/* Chains of operations on counters: each kind, order, failures, chains that wait for room, that
 * change while they run, and rings that run while all hosts are away. */
#include "remote/counters.h"
#include "offload.h"

#include <errno.h>

static struct offload o;

static uint64_t counter_of(unsigned rank, uint64_t size)
{
    struct nic_counter_config c = { .bits = 64, .size = size };
    uint64_t counter = NIC_SPAD_NONE;
    must(AT(o.nic[rank], nic_counter_create(o.nic[rank], &c, &counter)) == 0);
    return counter;
}

static uint64_t space(unsigned rank, size_t bytes) { return offload_space(&o, rank, bytes, 0); }

static uint64_t *word(unsigned rank, uint64_t offset)
{
    return nic_spad_at(o.nic[rank], rank, offset, 8);
}

static int trigger(unsigned rank, uint64_t counter, const struct nic_operation *operations,
                   unsigned count)
{
    return AT(o.nic[rank], nic_counter_trigger(o.nic[rank], counter, operations, count));
}

static int add(unsigned from, unsigned rank, uint64_t counter, uint64_t amount)
{
    return AT(o.nic[from], nic_counter_add(o.nic[from], rank, counter, amount));
}

static unsigned long calls(unsigned rank) { return atomic_load(&o.program[rank].calls); }

/* Rank 1 takes the counter of rank 0 to zero: rank 0's NIC does it all, to rank 2. */
START_TEST(every_kind)
{
    offload_open(&o, 3, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t to = space(2, 256), *w = word(2, to), first = counter_of(0, 3),
        second = counter_of(0, 2), theirs = counter_of(2, 5),
            queue, result = 0, fetched = 0, data = 4242;
    struct nic_shape eight = nic_contiguous(8);
    must(AT(o.nic[2], nic_queue_create(o.nic[2], 4, &queue)) == 0);
    w[7] = 700;
    w[6] = 66;
    struct nic_operation chain[] = {
        { .kind = NIC_OPERATION_EXPECT, .add = { 0, first, 3 } },
        { .kind = NIC_OPERATION_PUT,
          .transfer = { .local = &data, .local_shape = eight,
                        .remote = { 2, NIC_KEY_SCRATCHPAD, to },
                .remote_shape = eight,
                                                   .local_counter = second, .local_amount = 1,
                                                       .remote_counter = theirs,
                                                           .remote_amount = 2 } },
        { .kind = NIC_OPERATION_GET,
          .transfer = { .local = &fetched, .local_shape = eight, .remote = { 2, NIC_KEY_SCRATCHPAD,
                to + 48 }, .remote_shape = eight,
                                                   .local_counter = NIC_SPAD_NONE,
                                                       .remote_counter = NIC_SPAD_NONE } },
        { .kind = NIC_OPERATION_STORE, .store = { 2, 4, to + 8, 11 } },
        { .kind = NIC_OPERATION_WRITE, .message = { 2, 2, to + 16, { 21, 22 } } },
        { .kind = NIC_OPERATION_MESSAGE, .message = { .rank = 2, .count = 1, .word = { 31 } } },
        { .kind = NIC_OPERATION_QUEUE, .message = { 2, 3, queue, { 41, 42, 43 } } },
        { .kind = NIC_OPERATION_ATOMIC,
          .atomic = { .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_INT64,
                      .target = { 2, NIC_KEY_SCRATCHPAD,
                to + 56 }, .operand = 5,
                                                    .result = &result, .counter = second } },
        { .kind = NIC_OPERATION_ADD, .add = { 2, theirs, 3 } },
        { .kind = NIC_OPERATION_CALL, .cookie = &data },
    };
    struct nic_operation call = { .kind = NIC_OPERATION_CALL, .cookie = &result };
    ck_assert_int_eq(trigger(0, first, chain, sizeof chain / sizeof *chain), 0);
    ck_assert_int_eq(trigger(0, second, &call, 1), 0);
    ck_assert_int_eq(trigger(2, theirs, &call, 1), 0);
    memset(chain, 0xff, sizeof chain);              /* they were copied */
    for (unsigned round = 0; round < 2; round++) {
        struct nic_words m;
        ck_assert_int_eq(add(1, 0, first, 3), 0);
        settle(&o);
        ck_assert_uint_eq(w[0], 4242);
        ck_assert_uint_eq(fetched, 66);
        ck_assert_uint_eq(w[1], 11);
        ck_assert_uint_eq(w[2], 21);
        ck_assert_uint_eq(w[3], 22);
        ck_assert_uint_eq(w[7], 705 + 5 * round);
        ck_assert_uint_eq(result, 700 + 5 * round);
        ck_assert_uint_eq(o.program[2].words.word[0], 31);
        ck_assert_uint_eq(o.program[2].words.source, 0);
        ck_assert_int_eq(AT(o.nic[2], nic_queue_receive(o.nic[2], queue, &m)), 0);
        ck_assert_uint_eq(m.word[2], 43);
        /* the second counter is done for good in the first round */
        ck_assert_uint_eq(calls(0), 2 + round);
        ck_assert_uint_eq(calls(2), 1);
        memset(w, 0, 32);
        fetched = 0;
    }
    ck_assert_uint_eq(nic_trigger_failures(o.nic[0]), 0);
    offload_close(&o);
}
END_TEST

START_TEST(wrong_chains)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, DIRECT);
    uint64_t counter = counter_of(0, 1);
    struct nic_operation call = { .kind = NIC_OPERATION_CALL },
        bad = { .kind = NIC_OPERATION_KINDS };
    static struct nic_operation many[NIC_CHAIN_MAX + 1];
    for (unsigned i = 0; i <= NIC_CHAIN_MAX; i++)
        many[i] = call;
    ck_assert_int_eq(trigger(0, counter + 128, &call, 1), -EINVAL);
    ck_assert_int_eq(trigger(1, counter, &call, 1), -EINVAL);
    ck_assert_int_eq(trigger(0, counter, many, NIC_CHAIN_MAX + 1), -E2BIG);
    ck_assert_int_eq(trigger(0, counter, many, NIC_CHAIN_MAX), 0);
    ck_assert_int_eq(trigger(0, counter, &bad, 1), -EINVAL);       /* and leaves what there was */
    ck_assert_int_eq(add(1, 0, counter, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), NIC_CHAIN_MAX);
    ck_assert_int_eq(trigger(0, counter, NULL, 0), 0);
    ck_assert_int_eq(AT(o.nic[0], nic_counter_reset(o.nic[0], counter)), 0);
    ck_assert_int_eq(add(1, 0, counter, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), NIC_CHAIN_MAX);
    offload_close(&o);
}
END_TEST

/* What fails is counted, at once or when the answer comes, and the rest goes on. */
START_TEST(failures)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t counter = counter_of(0, 1), size = 1 << 20, data = 0;
    struct nic_shape eight = nic_contiguous(8);
    struct nic_operation chain[] = {
        { .kind = NIC_OPERATION_STORE, .store = { 9, 4, 0, 11 } },
        { .kind = NIC_OPERATION_PUT,
          .transfer = { .local = &data, .local_shape = eight,
                        .remote = { 1, NIC_KEY_FIRST + 3, 0 }, .remote_shape = eight,
                                                   .local_counter = NIC_SPAD_NONE,
                                                       .remote_counter = NIC_SPAD_NONE } },
        { .kind = NIC_OPERATION_ATOMIC,
          .atomic = { .target = { 1, NIC_KEY_SCRATCHPAD, size }, .counter = NIC_SPAD_NONE } },
        { .kind = NIC_OPERATION_EXPECT, .add = { 0, 8, 3 } },
        { .kind = NIC_OPERATION_CALL },
    };
    ck_assert_int_eq(trigger(0, counter, chain, 5), 0);
    ck_assert_uint_eq(nic_trigger_failures(o.nic[1]), 0);
    ck_assert_int_eq(add(1, 0, counter, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 1);
    ck_assert_uint_eq(nic_trigger_failures(o.nic[0]), 4);
    offload_close(&o);
}
END_TEST

/* A chain that finds a queue full waits there and holds up no other. */
START_TEST(waits_for_room)
{
    enum { MESSAGES = 40 };
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t blocked = counter_of(0, 1), free_one = counter_of(0, 1), queue;
    struct nic_operation chain[MESSAGES + 1], call = { .kind = NIC_OPERATION_CALL };
    must(AT(o.nic[1], nic_queue_create(o.nic[1], 4, &queue)) == 0);
    for (unsigned i = 0; i < MESSAGES; i++)
        chain[i] = (struct nic_operation){ .kind = NIC_OPERATION_QUEUE,
                                           .message = { 1, 1, queue, { i } } };
    chain[MESSAGES] = call;
    ck_assert_int_eq(trigger(0, blocked, chain, MESSAGES + 1), 0);
    ck_assert_int_eq(trigger(0, free_one, &call, 1), 0);
    ck_assert_int_eq(add(0, 0, blocked, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 0);
    ck_assert_int_eq(add(1, 0, free_one, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 1);
    struct nic_words m;
    for (unsigned i = 0; i < MESSAGES; i++) {
        settle(&o);
        ck_assert_int_eq(AT(o.nic[1], nic_queue_receive(o.nic[1], queue, &m)), 0);
        ck_assert_uint_eq(m.word[0], i);
    }
    settle(&o);
    ck_assert_uint_eq(calls(0), 2);
    ck_assert_uint_eq(nic_trigger_failures(o.nic[0]), 0);
    ck_assert_int_eq(o.nic[0]->hw_busy, 0);
    offload_close(&o);
}
END_TEST

/* -- a chain that fires itself for ever leaves room for all else, and ends when its counter goes */

static uint64_t own;

static void destroy_at_last(struct program *p, void *cookie)
{
    (void)cookie;
    if (atomic_load(&p->calls) == 10000)
        must(nic_counter_destroy(p->nic, own) == 0);
}

START_TEST(fires_itself)
{
    offload_open(&o, 1, NIC_PROGRESS_HOST, DIRECT);
    own = counter_of(0, 1);
    struct nic_operation chain[] = { { .kind = NIC_OPERATION_EXPECT, .add = { 0, own, 1 } },
                                     { .kind = NIC_OPERATION_ADD, .add = { 0,
            own, 1 } }, { .kind = NIC_OPERATION_CALL } };
    o.program[0].called = destroy_at_last;
    ck_assert_int_eq(trigger(0, own, chain, 3), 0);
    ck_assert_int_eq(add(0, 0, own, 1), 0);
    ck_assert_uint_lt(calls(0), 1000);          /* it came back */
    settle(&o);
    ck_assert_uint_eq(calls(0), 10000);
    ck_assert_int_eq(o.nic[0]->hw_busy, 0);
    ck_assert_int_eq(o.nic[0]->service, 0);
    offload_close(&o);
}
END_TEST

static void replace(struct program *p, void *cookie)
{
    struct nic_operation call = { .kind = NIC_OPERATION_CALL };
    if (cookie)
        must(nic_counter_trigger(p->nic, own, &call, 1) == 0);
}

/* Replaced in the middle: the rest of the old one is not
 * executed; the next firing is the new one's. */
START_TEST(replaced_by_itself)
{
    offload_open(&o, 1, NIC_PROGRESS_HOST, DIRECT);
    own = counter_of(0, 1);
    struct nic_operation chain[] = { { .kind = NIC_OPERATION_CALL },
                                     { .kind = NIC_OPERATION_CALL, .cookie = &own },
                                     { .kind = NIC_OPERATION_CALL } };
    o.program[0].called = replace;
    ck_assert_int_eq(trigger(0, own, chain, 3), 0);
    ck_assert_int_eq(add(0, 0, own, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 2);
    ck_assert_int_eq(AT(o.nic[0], nic_counter_reset(o.nic[0], own)), 0);
    ck_assert_int_eq(add(0, 0, own, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 3);
    offload_close(&o);
}
END_TEST

/* A chain that is due goes with its counter, and what stood behind or comes behind it is executed
 * all the same. */
static uint64_t due[3];

static void fire_and_destroy(struct program *p, void *cookie)
{
    if (!cookie)
        return;
    for (unsigned i = 0; i < 2; i++)
        must(nic_counter_add(p->nic, 0, due[i], 1) == 0);
    must(nic_counter_destroy(p->nic, due[1]) == 0);
    must(nic_counter_add(p->nic, 0, due[2], 1) == 0);
}

START_TEST(destroyed_while_due)
{
    offload_open(&o, 1, NIC_PROGRESS_HOST, DIRECT);
    struct nic_operation call = { .kind = NIC_OPERATION_CALL },
        first = { .kind = NIC_OPERATION_CALL, .cookie = due };
    own = counter_of(0, 1);
    o.program[0].called = fire_and_destroy;
    ck_assert_int_eq(trigger(0, own, &first, 1), 0);
    for (unsigned i = 0; i < 3; i++) {
        due[i] = counter_of(0, 1);
        ck_assert_int_eq(trigger(0, due[i], &call, 1), 0);
    }
    ck_assert_int_eq(add(0, 0, own, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 3);
    offload_close(&o);
}
END_TEST

/* One that waits for room no longer keeps the engine busy. */
START_TEST(destroyed_while_it_waits)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, DIRECT);
    uint64_t blocked = counter_of(0, 1), queue;
    must(AT(o.nic[1], nic_queue_create(o.nic[1], 2, &queue)) == 0);
    struct nic_operation chain[4];
    for (unsigned i = 0; i < 4; i++)
        chain[i] = (struct nic_operation){ .kind = NIC_OPERATION_QUEUE,
                                           .message = { 1, 1, queue, { i } } };
    ck_assert_int_eq(trigger(0, blocked, chain, 4), 0);
    ck_assert_int_eq(add(0, 0, blocked, 1), 0);
    settle(&o);
    ck_assert_int_ne(o.nic[0]->hw_busy, 0);
    ck_assert_int_eq(AT(o.nic[0], nic_counter_destroy(o.nic[0], blocked)), 0);
    ck_assert_int_eq(o.nic[0]->hw_busy, 0);
    ck_assert_int_eq(o.nic[0]->service, 0);
    offload_close(&o);
}
END_TEST

/* Fired by a packet that was on its way when the counter was destroyed: its successor at the same
 * place is another one. */
START_TEST(late_for_its_successor)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, DIRECT);
    struct nic_operation call = { .kind = NIC_OPERATION_CALL };
    uint64_t counter = counter_of(0, 1), next;
    ck_assert_int_eq(trigger(0, counter, &call, 1), 0);
    ck_assert_int_eq(add(1, 0, counter, 1), 0);
    ck_assert_int_eq(AT(o.nic[0], nic_counter_destroy(o.nic[0], counter)), 0);
    next = counter_of(0, 1);
    ck_assert_uint_eq(next, counter);
    ck_assert_int_eq(trigger(0, next, &call, 1), 0);
    settle(&o);
    ck_assert_uint_eq(calls(0), 0);
    ck_assert_uint_eq(o.nic[0]->counts.hw_dropped, 1);
    offload_close(&o);
}
END_TEST

/* -- a ring: each rank's counter, when it fires, is made ready again and counts the next rank's.
 * The hosts start it and go away: NIC threads do the rest. */

enum { LAPS = 400 };

static struct { uint64_t meeting, counter, laps; } ring;

static void last_lap(struct program *p, void *cookie)
{
    (void)cookie;
    struct nic_operation stop = { .kind = NIC_OPERATION_ADD,
                                  .add = { nic_rank(p->nic), NIC_SPAD_NONE, 0 } };
    if (atomic_load(&p->calls) == LAPS && !nic_rank(p->nic))
        must(nic_counter_trigger(p->nic, ring.counter, &stop, 1) == 0);
}

static void join_ring(struct program *p)
{
    struct nic *n = p->nic;
    struct nic_counter_config c = { .bits = 24, .size = 1 };
    unsigned next = (nic_rank(n) + 1) % nic_ranks(n);
    p->called = last_lap;
    nic_enter(n);
    ring.meeting = nic_spad_alloc(n, NIC_SPAD_USER, 64, 64);
    must(nic_counter_create(n, &c, &ring.counter) == 0);
    struct nic_operation chain[] = {
        { .kind = NIC_OPERATION_EXPECT, .add = { 0, ring.counter, 1 } },
        { .kind = NIC_OPERATION_CALL },
        { .kind = NIC_OPERATION_ADD, .add = { next, ring.counter, 1 } },
    };
    must(nic_counter_trigger(n, ring.counter, chain, 3) == 0);
    nic_leave(n);
}

/* Nobody calls into a NIC while it goes around; but on the
 * model clock handlers run in calls only. */
static void go_around(struct program *p)
{
    struct nic *n = p->nic;
    meet(n, ring.meeting, 1);
    if (!nic_rank(n))
        must(AT(n, nic_counter_add(n, 0, ring.counter, 1)) == 0);
    while (atomic_load(&p->calls) < LAPS - (nic_rank(n) != 0))
        if (nic_modelled(n))
            AT(n, nic_step(n));
        else
            usleep(1000);
    meet(n, ring.meeting, 2);
    /* the first rank's last call ends it */
    must(atomic_load(&p->calls) == LAPS - (nic_rank(n) != 0));
}

static const struct work going_around = { NIC_PROGRESS_AUTO, join_ring, go_around };

START_TEST(ring_of_threads) { work_in_threads(4, (enum way)_i, &going_around); } END_TEST
START_TEST(ring_of_processes) { work_in_processes(3, (enum way)_i, &going_around); } END_TEST

int main(void)
{
    Suite *suite = suite_create("trigger");
    TCase *tcase = tcase_create("trigger");

    tcase_add_loop_test(tcase, every_kind, DIRECT, IN_TURN);
    tcase_add_test(tcase, wrong_chains);
    tcase_add_loop_test(tcase, failures, DIRECT, MIXED);
    tcase_add_loop_test(tcase, waits_for_room, DIRECT, MIXED);
    tcase_add_test(tcase, fires_itself);
    tcase_add_test(tcase, replaced_by_itself);
    tcase_add_test(tcase, destroyed_while_due);
    tcase_add_test(tcase, destroyed_while_it_waits);
    tcase_add_test(tcase, late_for_its_successor);
    tcase_add_loop_test(tcase, ring_of_threads, DIRECT, WAYS);
    tcase_add_loop_test(tcase, ring_of_processes, DIRECT, WAYS);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
