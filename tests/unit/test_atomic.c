/* Remote atomic operations: what each does to a word, errors, completion, requests that arrive
 * twice, and many ranks at one word by both ways. */
#include "offload/atomic_op.h"
#include "offload/guard.h"
#include "offload.h"
#include "nicemu/mutex.h"

#include <errno.h>
#include <math.h>
#include <sched.h>

static struct offload o;

#define NAME_OF(name) #name,
static const char *const op_names[] = { NIC_ATOMIC_OPS(NAME_OF) };

/* -- the atomic unit against an oracle in the types themselves */

#define INTEGER_ORACLE(type, without_sign) \
    static uint64_t oracle_##type(unsigned op, uint64_t x, uint64_t d, uint64_t c) \
    { \
        type a = (type)x, b = (type)d; \
        switch (op) { \
        case NIC_ATOMIC_ADD: return (without_sign)((without_sign)x + (without_sign)d); \
        case NIC_ATOMIC_WRITE: return (without_sign)d; \
        case NIC_ATOMIC_COMPARE: return a == (type)c ? (without_sign)d : (without_sign)x; \
        case NIC_ATOMIC_AND: return (without_sign)(a & b); \
        case NIC_ATOMIC_OR: return (without_sign)(a | b); \
        case NIC_ATOMIC_XOR: return (without_sign)(a ^ b); \
        case NIC_ATOMIC_MIN: return (without_sign)(a < b ? a : b); \
        default: return (without_sign)(a < b ? b : a); \
        } \
    }
INTEGER_ORACLE(int32_t, uint32_t)
INTEGER_ORACLE(int64_t, uint64_t)
INTEGER_ORACLE(uint32_t, uint32_t)
INTEGER_ORACLE(uint64_t, uint64_t)

/* MIN and MAX over a total order: -0 before +0, and NaNs
 * behind all else whichever way one looks. */
#define FLOATING_ORACLE(type, word) \
    static uint64_t oracle_##type(unsigned op, uint64_t x, uint64_t d, uint64_t c) \
    { \
        union { type value; word bits; } a = { .bits = (word)x }, b = { .bits = (word)d }, sum; \
        sum.value = a.value + b.value; \
        bool least = op == NIC_ATOMIC_MIN, b_low = signbit(b.value), a_low = signbit(a.value); \
        bool swapped = isnan(b.value) ? false : isnan(a.value) ? true \
                       : b.value == a.value ? b_low != a_low && b_low == least \
                       : least == (b.value < a.value); \
        switch (op) { \
        case NIC_ATOMIC_ADD: return sum.bits; \
        case NIC_ATOMIC_WRITE: return b.bits; \
        case NIC_ATOMIC_COMPARE: return a.bits == (word)c ? b.bits : a.bits; \
        default: return swapped ? b.bits : a.bits; \
        } \
    }
FLOATING_ORACLE(float, uint32_t)
FLOATING_ORACLE(double, uint64_t)

#define ORACLE_OF(name, type) oracle_##type,
static uint64_t (*const oracle[])(unsigned op, uint64_t x, uint64_t d,
                                  uint64_t c) = { NIC_ATOMIC_TYPES(ORACLE_OF) };

static uint64_t any_bits(uint64_t *random, unsigned type)
{
    static const double special[] = { 0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY, NAN, 1e30, 3, 3 };
    double value = special[loop_below(random, 10)];
    if (type == NIC_ATOMIC_DOUBLE && loop_below(random, 4))
        return nic_bits_of_double(value);
    if (type == NIC_ATOMIC_FLOAT && loop_below(random, 4))
        return nic_bits_of_float((float)value);
    return loop_below(random, 2) ? loop_random(random) : loop_below(random, 4) - (uint64_t)2;
}

static bool is_nan(unsigned type, uint64_t bits)
{
    union { uint64_t bits; double value; } d = { bits };
    union { uint32_t bits; float value; } f = { (uint32_t)bits };
    return type == NIC_ATOMIC_DOUBLE ? isnan(d.value) : type == NIC_ATOMIC_FLOAT && isnan(f.value);
}

START_TEST(the_unit)
{
    uint64_t random = 2024;
    for (unsigned i = 0; i < 400000; i++) {
        unsigned op = loop_below(&random, NIC_ATOMIC_OP_COUNT),
            type = loop_below(&random, NIC_ATOMIC_TYPE_COUNT), bytes = nic_atomic_bytes(type);
        if (!nic_atomic_exists(op, type))
            continue;
        uint64_t x = any_bits(&random, type), d = any_bits(&random, type),
            c = loop_below(&random, 2) ? x : any_bits(&random, type), old, got = 0;
        uint64_t guarded[3] = { 0x1111111111111111, 0x2222222222222222, 0x3333333333333333 };
        memcpy(&guarded[1], &x, bytes);
        old = nic_atomic_apply(&guarded[1], op, type, d, c);
        memcpy(&got, &guarded[1], bytes);
        must(old == (bytes == 4 ? (uint32_t)x : x));
        if (bytes == 4)
            must(guarded[1] >> 32 == 0x22222222);
        must(guarded[0] == 0x1111111111111111 && guarded[2] == 0x3333333333333333);
        uint64_t want = oracle[type](op, x, d, c);
        if (got != want && !(op == NIC_ATOMIC_ADD && is_nan(type, got) && is_nan(type, want))) {
            fprintf(stderr, "%s of type %u: %llx, %llx, %llx gives %llx, not %llx\n", op_names[op],
                    type, (unsigned long long)x,
                    (unsigned long long)d,
                    (unsigned long long)c, (unsigned long long)got, (unsigned long long)want);
            must(!"the oracle agrees");
        }
    }
    for (unsigned op = 0; op < NIC_ATOMIC_OP_COUNT; op++)
        for (unsigned type = 0; type < NIC_ATOMIC_TYPE_COUNT; type++)
            ck_assert(nic_atomic_exists(op, type) == !(type >= NIC_ATOMIC_FLOAT
                    && op >= NIC_ATOMIC_AND && op <= NIC_ATOMIC_XOR));
    ck_assert(!nic_atomic_exists(NIC_ATOMIC_OP_COUNT, 0)
              && !nic_atomic_exists(0, NIC_ATOMIC_TYPE_COUNT));
}
END_TEST

/* -- through NICs */

static uint64_t space(unsigned rank, size_t bytes) { return offload_space(&o, rank, bytes, 0); }

static uint64_t *word(unsigned rank, uint64_t offset)
{
    return nic_spad_at(o.nic[rank], rank, offset, 8);
}

static struct nic_atomic fetch_add(unsigned rank, uint64_t offset, uint64_t operand, void *result)
{
    return (struct nic_atomic){ .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64,
                                .target = { .rank = rank, .offset = offset },
            .operand = operand, .result = result,
                                .counter = NIC_SPAD_NONE };
}

static int start(unsigned rank, const struct nic_atomic *a, struct nic_outcome *outcome)
{
    return AT(o.nic[rank], nic_atomic(o.nic[rank], a, outcome));
}

/* Starts it, settles, and returns the status. */
static int outcome_of(unsigned rank, const struct nic_atomic *a)
{
    struct nic_outcome outcome = { .status = 12345 };
    int rc = start(rank, a, &outcome);
    settle(&o);
    if (rc)
        must(outcome.status == 12345);
    return rc ? rc : nic_outcome_status(&outcome);
}

START_TEST(completion)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t at = space(1, 64), counter, result[3] = { 9, 9, 9 };
    struct nic_counter_config c = { .bits = 24, .size = 3 };
    ck_assert_int_eq(AT(o.nic[0], nic_counter_create(o.nic[0], &c, &counter)), 0);
    for (unsigned i = 0; i < 3; i++) {
        struct nic_atomic a = fetch_add(1, at, 10 + i, i == 2 ? NULL : &result[i]);
        a.counter = counter;
        ck_assert(!nic_counter_done(o.nic[0], counter));
        ck_assert_int_eq(outcome_of(0, &a), 0);
    }
    ck_assert(nic_counter_done(o.nic[0], counter));
    ck_assert_uint_eq(result[0], 0);
    ck_assert_uint_eq(result[1], 10);
    ck_assert_uint_eq(result[2], 9);
    ck_assert_uint_eq(*word(1, at), 33);
    *word(1, at) = UINT64_C(0xaaaaaaaabbbbbbbb);           /* a word of 4 bytes and a result of 4 */
    struct nic_atomic a = { .op = NIC_ATOMIC_COMPARE, .type = NIC_ATOMIC_INT32,
                            .target = { 1, NIC_KEY_SCRATCHPAD, at + 4 },
            .operand = 5, .compare = 0xaaaaaaaa,
                            .result = &result[2], .counter = NIC_SPAD_NONE };
    ck_assert_int_eq(outcome_of(0, &a), 0);
    ck_assert_uint_eq(*word(1, at), UINT64_C(0x00000005bbbbbbbb));
    ck_assert_uint_eq(result[2], 0xaaaaaaaa);
    offload_close(&o);
}
END_TEST

START_TEST(wrong_arguments)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t at = space(1, 64), result = 77, size = 1 << 20, counter;
    struct nic_counter_config c = { .bits = 24, .size = 100 };
    ck_assert_int_eq(AT(o.nic[0], nic_counter_create(o.nic[0], &c, &counter)), 0);
    struct nic_atomic good = fetch_add(1, at, 1, &result), a;
    good.counter = counter;
    a = good, a.op = NIC_ATOMIC_OP_COUNT;
    ck_assert_int_eq(outcome_of(0, &a), -EINVAL);
    a = good, a.type = NIC_ATOMIC_TYPE_COUNT;
    ck_assert_int_eq(outcome_of(0, &a), -EINVAL);
    a = good, a.op = NIC_ATOMIC_XOR, a.type = NIC_ATOMIC_DOUBLE;
    ck_assert_int_eq(outcome_of(0, &a), -EINVAL);
    a = good, a.target.rank = 2;
    ck_assert_int_eq(outcome_of(0, &a), -EINVAL);
    a = good, a.counter = counter + 128;
    ck_assert_int_eq(outcome_of(0, &a), -EINVAL);
    a = good, a.target.offset += 4;
    ck_assert_int_eq(outcome_of(0, &a), -EINVAL);
    a = good, a.target.offset = size;
    ck_assert_int_eq(outcome_of(0, &a), -ERANGE);
    a = good, a.target.offset = size - 4;
    ck_assert_int_eq(outcome_of(0, &a), -ERANGE);
    a = good, a.target.offset = UINT64_MAX - 7;
    ck_assert_int_eq(outcome_of(0, &a), -ERANGE);
    a = good, a.target.key = NIC_KEY_FIRST + 5;
    ck_assert_int_eq(outcome_of(0, &a), -ENOKEY);
    ck_assert_uint_eq(result, 77);
    ck_assert_uint_eq(*word(1, at), 0);
    int64_t value;
    ck_assert_int_eq(AT(o.nic[0], nic_counter_read(o.nic[0], counter, &value)), 0);
    ck_assert_int_eq(value, -100);
    ck_assert_int_eq(outcome_of(0, &good), 0);
    ck_assert_uint_eq(result, 0);
    offload_close(&o);
}
END_TEST

/* Memory that was registered: by its owner, and by a peer, for whom it is out of reach. */
START_TEST(registered_memory)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    _Alignas(64) uint64_t memory[8] = { 0 }, result = 7;
    uint32_t key, readable;
    ck_assert_int_eq(AT(o.nic[1],
                        nic_register(o.nic[1], memory, sizeof memory, NIC_RIGHT_ATOMIC, &key)), 0);
    ck_assert_int_eq(AT(o.nic[1],
                        nic_register(o.nic[1], memory, sizeof memory,
                                     NIC_RIGHT_READ | NIC_RIGHT_WRITE, &readable)), 0);
    for (unsigned from = 0; from < 2; from++) {
        struct nic_atomic a = fetch_add(1, 56, 5, &result);
        a.target.key = key;
        ck_assert_int_eq(outcome_of(from, &a), 0);
        ck_assert_uint_eq(result, 5 * from);
        a.target.offset = 64;
        ck_assert_int_eq(outcome_of(from, &a), -ERANGE);
        a.target.offset = 4;
        ck_assert_int_eq(outcome_of(from, &a), -EINVAL);
        a.target.offset = 0, a.target.key = readable;
        ck_assert_int_eq(outcome_of(from, &a), -EACCES);
    }
    ck_assert_uint_eq(memory[7], 10);
    ck_assert_int_eq(AT(o.nic[1], nic_deregister(o.nic[1], key)), 0);
    struct nic_atomic a = fetch_add(1, 56, 5, &result);
    a.target.key = key;
    ck_assert_int_eq(outcome_of(0, &a), -ENOKEY);
    ck_assert_uint_eq(memory[7], 10);
    offload_close(&o);
}
END_TEST

static void noting(void *context, int status)
{
    must(status == 0);
    ++*(unsigned *)context;
}

/* More at once than the window holds: all are executed, in order. */
START_TEST(beyond_the_window)
{
    enum { MANY = 10 * NIC_ATOMIC_WINDOW + 3 };
    offload_open(&o, 2, NIC_PROGRESS_HOST, (enum way)_i);
    uint64_t at = space(1, 64), result[MANY];
    unsigned done = 0;
    struct nic_outcome outcome[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        struct nic_atomic a = fetch_add(1, at, 1, &result[i]);
        outcome[i] = (struct nic_outcome){ .done = noting, .context = &done };
        ck_assert_int_eq(start(0, &a, &outcome[i]), 0);
    }
    ck_assert_uint_eq(done, _i == DIRECT ? MANY : 0);
    settle(&o);
    ck_assert_uint_eq(done, MANY);
    for (unsigned i = 0; i < MANY; i++)
        must(result[i] == i && nic_outcome_status(&outcome[i]) == 0);
    offload_close(&o);
}
END_TEST

/* As many as the window has slots are under way at once, and no more. */
START_TEST(window)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, PACKET);
    uint64_t at = space(1, 64), before = o.nic[0]->counts.hw_sent;
    struct nic_atomic a = fetch_add(1, at, 1, NULL);
    for (unsigned i = 1; i <= 2 * NIC_ATOMIC_WINDOW; i++) {
        ck_assert_int_eq(start(0, &a, NULL), 0);
        ck_assert_uint_eq(o.nic[0]->counts.hw_sent - before,
                          i < NIC_ATOMIC_WINDOW ? i : NIC_ATOMIC_WINDOW);
    }
    settle(&o);
    ck_assert_uint_eq(o.nic[0]->counts.hw_sent - before, 2 * NIC_ATOMIC_WINDOW);
    ck_assert_int_eq(o.nic[0]->service, 0);     /* nothing is due any more */
    offload_close(&o);
}
END_TEST

/* Closed while answers are due: nothing is left over. */
START_TEST(closed_early)
{
    offload_open(&o, 2, NIC_PROGRESS_HOST, PACKET);
    uint64_t at = space(1, 64);
    struct nic_atomic a = fetch_add(1, at, 1, NULL);
    for (unsigned i = 0; i < 3 * NIC_ATOMIC_WINDOW; i++)
        ck_assert_int_eq(start(0, &a, NULL), 0);
    offload_close(&o);
}
END_TEST

/* -- a link that doubles requests and answers, at once or much later */

enum { DELAYED = 64 };

static struct nic_link_ops doubling;
static const struct nic_link_ops *sound_link;
static struct { struct nic *from; unsigned peer; struct nic_tx m; uint64_t head[4];
                } delayed[DELAYED];
static uint64_t fate = 31;
static unsigned long doubled;

static void send_again(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    doubled += !sound_link->send(n, peer, m, true);
}

static int doubling_send(struct nic *n, unsigned peer, const struct nic_tx *m, bool service)
{
    int rc = sound_link->send(n, peer, m, service);
    if (rc || m->type < NIC_HW_ATOMIC || m->type > NIC_HW_ATOMIC_REPLY)
        return rc;
    unsigned slot = loop_below(&fate, DELAYED);
    if (loop_below(&fate, 3) == 0)
        send_again(n, peer, m);
    if (loop_below(&fate, 4) == 0) {
        if (delayed[slot].from)
            send_again(delayed[slot].from, delayed[slot].peer, &delayed[slot].m);
        delayed[slot].from = n;
        delayed[slot].peer = peer;
        delayed[slot].m = *m;
        memcpy(delayed[slot].head, m->head, m->head_bytes);
        delayed[slot].m.head = delayed[slot].head;
    }
    return 0;
}

START_TEST(executed_once)
{
    enum { STEPS = 20000 };
    offload_open(&o, 3, NIC_PROGRESS_HOST, PACKET);
    uint64_t random = 8, at = space(1, 64), want = 0, result[STEPS];
    unsigned done = 0;
    memset(delayed, 0, sizeof delayed);
    sound_link = o.nic[0]->link;
    doubling = *sound_link;
    doubling.send = doubling_send;
    for (unsigned r = 0; r < 3; r++)
        o.nic[r]->link = &doubling;
    static struct nic_outcome outcome[STEPS];
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t operand = loop_below(&random, 1000);
        struct nic_atomic a = fetch_add(1, at, operand, &result[i]);
        outcome[i] = (struct nic_outcome){ .done = noting, .context = &done };
        must(start(loop_below(&random, 2) * 2, &a, &outcome[i]) == 0);
        want += operand;
        if (loop_below(&random, 20) == 0)
            settle(&o);
    }
    settle(&o);
    ck_assert_uint_eq(done, STEPS);
    ck_assert_uint_eq(*word(1, at), want);
    ck_assert_uint_gt(doubled, STEPS / 4);
    ck_assert_uint_gt(o.nic[1]->counts.atomic_repeats, STEPS / 8);
    /* requests older than the table */
    ck_assert_uint_gt(o.nic[1]->counts.hw_dropped, 100);
    /* answers that had come before */
    ck_assert_uint_gt(o.nic[0]->counts.hw_dropped, 1000);
    offload_close(&o);
}
END_TEST

/* -- many at one word */

enum { EACH = LOOP_SANITIZED ? 300 : 1500 };

static struct { uint64_t meeting, sum, fsum, least, bits, lock, inside; } at;

static void prepare(struct program *p)
{
    struct nic *n = p->nic;
    uint64_t *all[] = { &at.meeting, &at.sum, &at.fsum, &at.least, &at.bits, &at.lock, &at.inside };
    nic_enter(n);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = nic_spad_alloc(n, NIC_SPAD_USER, 64, 64);
    nic_leave(n);
}

static uint64_t perform(struct nic *n, enum nic_atomic_op op, enum nic_atomic_type type,
                        uint64_t offset, uint64_t operand, uint64_t compare)
{
    uint64_t old = 0;
    struct nic_atomic a = { .op = op, .type = type, .target = { .rank = 0, .offset = offset },
                            .operand = operand, .compare = compare,
            .result = &old, .counter = NIC_SPAD_NONE };
    must(AT(n, nic_atomic_wait(n, &a)) == 0);
    return old;
}

/* A lock by compare&swap over a plain word: as many additions as there were holders. */
static void locked_add(struct nic *n)
{
    while (perform(n, NIC_ATOMIC_COMPARE, NIC_ATOMIC_INT32, at.lock, nic_rank(n) + 1, 0)) {
        AT(n, nic_step(n));
        sched_yield();
    }
    uint64_t inside = perform(n, NIC_ATOMIC_ADD, NIC_ATOMIC_INT64, at.inside, 0, 0);
    must(perform(n, NIC_ATOMIC_WRITE, NIC_ATOMIC_INT64, at.inside, inside + 1, 0) == inside);
    must(perform(n, NIC_ATOMIC_WRITE, NIC_ATOMIC_INT32, at.lock, 0, 0) == nic_rank(n) + 1);
}

static void many(struct program *p)
{
    struct nic *n = p->nic;
    unsigned rank = nic_rank(n), ranks = nic_ranks(n);
    uint64_t last = 0;
    meet(n, at.meeting, 1);
    for (unsigned i = 0; i < EACH; i++) {
        uint64_t old = perform(n, NIC_ATOMIC_ADD, NIC_ATOMIC_UINT32, at.sum, 1, 0);
        must(!i || old > last);
        last = old;
        perform(n, NIC_ATOMIC_ADD, NIC_ATOMIC_DOUBLE, at.fsum, nic_bits_of_double(0.5), 0);
        perform(n, NIC_ATOMIC_MIN, NIC_ATOMIC_INT64, at.least, -(uint64_t)(i * ranks + rank), 0);
        perform(n, NIC_ATOMIC_XOR, NIC_ATOMIC_UINT64, at.bits, UINT64_C(1) << (rank * 8 + i % 8),
                0);
        if (i % 50 == 0)
            locked_add(n);
    }
    meet(n, at.meeting, 2);
    if (rank)
        return;
    double fsum;
    memcpy(&fsum, nic_spad_at(n, 0, at.fsum, 8), sizeof fsum);
    must(*(uint32_t *)nic_spad_at(n, 0, at.sum, 4) == EACH * ranks);
    must(fsum == EACH * ranks * 0.5);
    must(*(int64_t *)nic_spad_at(n, 0, at.least, 8) == -(int64_t)((EACH - 1) * ranks + ranks - 1));
    must(*(uint64_t *)nic_spad_at(n, 0, at.inside, 8) == (EACH / 50) * ranks);
    for (unsigned r = 0; r < ranks; r++)
        for (unsigned i = 0; i < 8; i++)
            must((*(uint64_t *)nic_spad_at(n, 0, at.bits, 8) >> (8 * r + i) & 1)
                 == (EACH / 8 + (i < EACH % 8)) % 2);
}

static const struct work work = { NIC_PROGRESS_HOST, prepare, many };

START_TEST(many_threads) { work_in_threads(4, (enum way)_i, &work); } END_TEST
START_TEST(many_processes) { work_in_processes(3, (enum way)_i, &work); } END_TEST

/* -- a host that changes its registered memory by plain loads and stores; a mutex between it and
 * its NIC (nicemu/mutex.h) */

enum { TIMES = 150 };

static struct { uint64_t count; struct nic_mutex mutex; uint32_t key; } guarded;

static void guard(struct program *p)
{
    p->cookie = NULL;
    at.meeting = nic_spad_alloc(p->nic, NIC_SPAD_USER, 64, 64);
    must(at.meeting != NIC_SPAD_NONE);
    if (nic_rank(p->nic))
        return;
    memset(&guarded, 0, sizeof guarded);
    must(AT(p->nic, nic_guard(p->nic, 12345, &guarded.mutex)) == -ENOKEY);
    must(AT(p->nic, nic_register(p->nic, &guarded.count, sizeof guarded.count, NIC_RIGHT_ALL,
                                 &guarded.key)) == 0);
    must(AT(p->nic, nic_guard(p->nic, guarded.key, &guarded.mutex)) == 0);
}

/* In the middle of it the NIC would have time for many. */
static void add_plainly(struct nic *n)
{
    nic_mutex_enter(n, &guarded.mutex);
    uint64_t before = guarded.count;
    for (unsigned i = 0; i < 300; i++)
        nic_relax();
    guarded.count = before + 1;
    nic_mutex_leave(n, &guarded.mutex);
}

static void add_by_both(struct program *p)
{
    struct nic *n = p->nic;
    struct nic_outcome outcome = { .done = NULL };
    struct nic_atomic a = { .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64, .operand = 1,
                            .target = { .rank = 0, .key = guarded.key },
                            .counter = NIC_SPAD_NONE };
    meet(n, at.meeting, 1);
    for (unsigned i = 0; i < TIMES; i++) {
        if (nic_rank(n))
            must(AT(n, nic_atomic_wait(n, &a)) == 0);
        else
            add_plainly(n);
    }
    must(AT(n, nic_atomic(n, &a, &outcome)) == 0);          /* rank 0: its own NIC, too */
    must(AT(n, nic_outcome_wait(n, &outcome)) == 0);
    meet(n, at.meeting, 2);
    if (!nic_rank(n))
        must(guarded.count == (TIMES + 1) * (uint64_t)nic_ranks(n));
}

START_TEST(guarded_words)
{
    const struct work both = { NIC_PROGRESS_THREAD, guard, add_by_both };
    work_in_threads(3, (enum way)_i, &both);
}
END_TEST

/* Who comes second, the host or the NIC, is not inside before the first has left, or comes again:
 * then it is the first's turn to wait. */
static struct { struct nic *nic; struct nic_mutex mutex; bool is_nic; _Atomic bool inside; } second;

static void *come_second(void *argument)
{
    (second.is_nic ? nic_mutex_enter_nic : nic_mutex_enter)(second.nic, &second.mutex);
    second.inside = true;
    (second.is_nic ? nic_mutex_leave_nic : nic_mutex_leave)(second.nic, &second.mutex);
    return argument;
}

START_TEST(guarded_in_turns)
{
    enum { HOST, NIC, LEAVES = 0, LOOKS = 200 };
    struct loop l;
    pthread_t thread;
    struct nic_mutex *m = &second.mutex;
    const uint32_t own = _i % 2 ? NIC : HOST, other = own == NIC ? HOST : NIC;

    loop_open(&l, 1);
    memset(&second, 0, sizeof second);
    second.nic = l.nic[0];
    second.is_nic = own == NIC;
    uint32_t *first = own == NIC ? &m->host_interested : &m->nic_interested;
    *first = 1;
    m->turn = other;
    must(!pthread_create(&thread, NULL, come_second, NULL));
    while (__atomic_load_n(&m->turn, __ATOMIC_SEQ_CST) != own)
        sched_yield();
    must(__atomic_load_n(own == NIC ? &m->nic_interested : &m->host_interested, __ATOMIC_SEQ_CST));
    for (int i = 0; i < LOOKS; i++) {
        must(!second.inside);
        sched_yield();
    }
    if (_i / 2 == LEAVES)
        __atomic_store_n(first, 0, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n(&m->turn, other, __ATOMIC_SEQ_CST);
    must(!pthread_join(thread, NULL));
    must(second.inside && !m->nic_interested + !m->host_interested == (_i / 2 == LEAVES ? 2 : 1));
    loop_close(&l);
}
END_TEST

/* What gets the place of a region that was guarded is not guarded itself. */
START_TEST(guarded_no_more)
{
    struct loop l;
    struct nic_mutex mutex = { 0 };
    uint64_t memory = 0;
    uint32_t key;
    loop_open(&l, 1);
    struct nic *n = l.nic[0];
    nic_enter(n);
    must(nic_register(n, &memory, sizeof memory, NIC_RIGHT_ALL, &key) == 0);
    must(nic_guard(n, key, &mutex) == 0 && nic_mutex_of(n, key) == &mutex);
    for (unsigned i = 0; i < NIC_REGIONS_MAX; i++) {    /* a place comes back as late as possible */
        must(nic_deregister(n, key) == 0 && !nic_mutex_of(n, key));
        must(nic_register(n, &memory, sizeof memory, NIC_RIGHT_ALL, &key) == 0);
        must(!nic_mutex_of(n, key));
    }
    nic_leave(n);
    loop_close(&l);
}
END_TEST

/* On the model clock the host waits for the NIC, by looks at the turn that become rarer. */
static uint64_t host_time(struct nic *n)
{
    nic_enter(n);
    uint64_t time = nic_time(n);
    nic_leave(n);
    return time;
}

START_TEST(guarded_time)
{
    struct nic_job *job = model_job(1, false, NULL);
    struct program program = { .nic = NULL };
    struct nic *n = loop_nic(job, 0, NIC_PROGRESS_HOST, &offload_program, &program);
    static struct nic_mutex mutex;
    uint64_t before = host_time(n), idle, waited, until = 50 * 1000 * 1000;
    memset(&mutex, 0, sizeof mutex);
    nic_mutex_enter(n, &mutex);
    nic_mutex_leave(n, &mutex);
    idle = host_time(n) - before;
    must(mutex.host_until > before && mutex.host_until <= before + idle);
    mutex.nic_until = host_time(n) + until;
    before = host_time(n);
    nic_mutex_enter(n, &mutex);
    nic_mutex_leave(n, &mutex);
    waited = host_time(n) - before;
    must(waited >= until && waited < 2 * until + 100 * idle);
    nic_close(n);
    nic_job_close(job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("atomic");
    TCase *tcase = tcase_create("atomic");

    tcase_add_test(tcase, the_unit);
    tcase_add_loop_test(tcase, completion, DIRECT, MIXED);
    tcase_add_loop_test(tcase, wrong_arguments, DIRECT, MIXED);
    tcase_add_loop_test(tcase, registered_memory, DIRECT, MIXED);
    tcase_add_loop_test(tcase, beyond_the_window, DIRECT, MIXED);
    tcase_add_test(tcase, window);
    tcase_add_test(tcase, closed_early);
    tcase_add_test(tcase, executed_once);
    tcase_add_loop_test(tcase, many_threads, DIRECT, WAYS);
    tcase_add_loop_test(tcase, many_processes, DIRECT, WAYS);
    tcase_add_loop_test(tcase, guarded_words, DIRECT, WAYS);
    tcase_add_loop_test(tcase, guarded_in_turns, 0, 4);
    tcase_add_test(tcase, guarded_no_more);
    tcase_add_test(tcase, guarded_time);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
