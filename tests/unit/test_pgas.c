/* The command queue for one-sided operations: what the NIC makes of commands. */
#include <errno.h>
#include <pthread.h>
#include "core/nic.h"
#include "loop.h"
#include "modelled.h"
#include "offload/pgas_ring.h"

static uint64_t seed;

/* -- the unit: ranks whose heaps are compared with what a model of them says */

enum { HEAP = 1 << 20 };
static struct loop l;
static struct nic_pgas *queue;

static void unit_start(unsigned ranks, enum nic_progress progress)
{
    loop_open_in(&l, loop_job_sized(ranks, 0, HEAP), progress);
    ck_assert_int_eq(nic_pgas_open(l.nic[0], &queue), 0);
}

static void unit_end(void)
{
    nic_pgas_close(queue);
    loop_close(&l);
}

static unsigned char *heap(unsigned rank, uint64_t place)
{
    return nic_heap_at(l.nic[0], rank, place, 0);
}

static struct nic_pgas_counts counted(void)
{
    struct nic_pgas_counts c;
    nic_pgas_counted(queue, &c);
    return c;
}

START_TEST(put_and_get)
{
    static unsigned char data[200000];

    unit_start(2, NIC_PROGRESS_HOST);
    for (unsigned i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 167 + (i >> 8) * 31);
    unsigned shift = 0;
    for (unsigned size = 1; size <= 128; size *= 2)
        for (unsigned count = 1; count * size <= sizeof data && count < 65536;
             count = count * 5 + 1, shift++) {
            memset(heap(1, 0), 0, count * size + 300);
            ck_assert_int_eq(nic_pgas_put(queue, 1, 64 + shift % 100, data, size, count), 0);
            ck_assert_int_eq(nic_pgas_get(queue, 300000 + shift, 1, 64 + shift % 100, size, count),
                             0);
            ck_assert_int_eq(nic_pgas_quiet(queue), 0);
            ck_assert_mem_eq(heap(1, 64 + shift % 100), data, count * size);
            ck_assert_mem_eq(heap(0, 300000 + shift), data, count * size);
            must(heap(1, 64 + shift % 100)[-1] == 0
                 && heap(1, 64 + shift % 100)[count * size] == 0);
        }
    struct nic_pgas_counts c = counted();
    ck_assert_uint_eq(c.outstanding + c.garbage + c.failures, 0);
    ck_assert_uint_eq(c.commands, 2 * shift);
    unit_end();
}
END_TEST

START_TEST(strided)
{
    uint16_t data[500];

    unit_start(2, NIC_PROGRESS_HOST);
    for (unsigned i = 0; i < 500; i++)
        data[i] = (uint16_t)(i * 7 + 3);
    for (unsigned stride = 0; stride < 9; stride++) {
        memset(heap(1, 0), 0xff, 20000);
        struct nic_pgas_command c = { .op = NIC_PGAS_PUT, .size = 1, .count = 500, .pid = 1,
                                      .address = 1000, .stride = stride };
        ck_assert_int_eq(nic_pgas_write(queue, &c, data), 0);
        c.op = NIC_PGAS_GET;
        c.local = 5000;
        ck_assert_int_eq(nic_pgas_write(queue, &c, NULL), 0);
        ck_assert_int_eq(nic_pgas_quiet(queue), 0);
        const uint16_t *there = (const uint16_t *)heap(1, 1000),
            *here = (const uint16_t *)heap(0, 5000);
        for (unsigned i = 0; i < 500; i++)
            must(there[i * stride] == data[stride ? i : 499] && here[i] == data[stride ? i : 499]);
        for (unsigned i = 0; i < 500 * stride; i++)
            must(stride == 0 || i % stride == 0 || there[i] == 0xffff);
    }
    unit_end();
}
END_TEST

/* Scratchpads are places too, of others and of one's own. */
START_TEST(scratchpads)
{
    uint64_t value = 77, here, there;

    unit_start(2, NIC_PROGRESS_HOST);
    nic_enter(l.nic[0]);
    here = nic_spad_alloc(l.nic[0], NIC_SPAD_USER, 8, 8);
    nic_leave(l.nic[0]);
    nic_enter(l.nic[1]);
    there = nic_spad_alloc(l.nic[1], NIC_SPAD_USER, 8, 8);
    nic_leave(l.nic[1]);
    ck_assert_int_eq(nic_pgas_put(queue, 1, NIC_PGAS_SCRATCHPAD + there, &value, 8, 1), 0);
    ck_assert_int_eq(nic_pgas_get(queue, NIC_PGAS_SCRATCHPAD + here, 1,
                                  NIC_PGAS_SCRATCHPAD + there, 8, 1), 0);
    ck_assert_int_eq(nic_pgas_quiet(queue), 0);
    ck_assert_uint_eq(*(uint64_t *)nic_spad_at(l.nic[0], 1, there, 8), 77);
    ck_assert_uint_eq(*(uint64_t *)nic_spad_at(l.nic[0], 0, here, 8), 77);
    unit_end();
}
END_TEST

START_TEST(atomics)
{
    static const struct { unsigned op; uint64_t before, operand, compare, after; } cases[] = {
        { NIC_PGAS_ADD, 5, 7, 0, 12 }, { NIC_PGAS_AND, 12, 10, 0, 8 },
        { NIC_PGAS_OR, 12, 3, 0, 15 }, { NIC_PGAS_XOR, 12, 10, 0, 6 },
        { NIC_PGAS_FETCH_ADD, 5, 7, 0, 12 }, { NIC_PGAS_SWAP, 5, 7, 0, 7 },
        { NIC_PGAS_COMPARE_SWAP, 5, 7, 5, 7 }, { NIC_PGAS_COMPARE_SWAP, 5, 7, 6, 5 },
    };

    unit_start(2, NIC_PROGRESS_HOST);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned size = 2; size <= 3; size++) {
            bool pair = cases[i].op == NIC_PGAS_COMPARE_SWAP,
                fetch = cases[i].op >= NIC_PGAS_FETCH_ADD;
            struct nic_pgas_command c = { .op = cases[i].op, .size = size, .count = 5, .pid = 1,
                                          .address = 64, .stride = 2, .local = fetch ? 4096 : 0 };
            unsigned char data[5 * 2 * 8] = { 0 };
            memset(heap(0, 4096), 0xee, 100);
            memset(heap(1, 64), 0, 100);
            /* little endian: the lower bytes are the value in either size */
            for (unsigned e = 0; e < 5; e++) {
                memcpy(data + (e * (1u + pair) << size), &cases[i].operand, 4);
                if (pair)
                    memcpy(data + ((e * 2 + 1) << size), &cases[i].compare, 4);
                memcpy(heap(1, 64 + (e * 2 << size)), &cases[i].before, 4);
            }
            ck_assert_int_eq(nic_pgas_write(queue, &c, data), 0);
            ck_assert_int_eq(nic_pgas_quiet(queue), 0);
            for (unsigned e = 0; e < 5; e++) {
                must(!memcmp(heap(1, 64 + (e * 2 << size)), &cases[i].after, 1u << size));
                must(!fetch || !memcmp(heap(0, 4096 + (e << size)), &cases[i].before, 1u << size));
            }
            must(heap(0, 4096 + (5 << size))[0] == 0xee && (fetch || heap(0, 4096)[0] == 0xee));
        }
    unit_end();
}
END_TEST

/* What is refused is told by the next quiet, once, touches nothing,
 * and what stands behind it is executed. */
START_TEST(refused)
{
    uint64_t data[4] = { 1, 2, 3, 4 }, good = 99;
    static const struct { unsigned nid, rank; uint64_t place; int error; } cases[] = {
        { 0, 1, HEAP, -ERANGE }, { 0, 1, HEAP - 31, -ERANGE },
        { 0, 1, NIC_PGAS_SCRATCHPAD - 32, -ERANGE }, { 0, 1, NIC_PGAS_PLACES - 32, -ERANGE },
        { 0, 2, 0, -EINVAL }, { 0, 65535, 0, -EINVAL }, { 1, 1, 0, -EINVAL },
    };

    unit_start(2, NIC_PROGRESS_HOST);
    memset(heap(1, 0), 0, HEAP);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct nic_pgas_command c = { .op = NIC_PGAS_PUT, .size = 3, .count = 4,
                                      .nid = cases[i].nid, .pid = cases[i].rank,
                                          .address = cases[i].place,
                                      .stride = 1 };
        good++;
        ck_assert_int_eq(nic_pgas_write(queue, &c, data), 0);
        ck_assert_int_eq(nic_pgas_put(queue, 1, 128, &good, 8, 1), 0);
        ck_assert_int_eq(nic_pgas_quiet(queue), cases[i].error);
        ck_assert_int_eq(nic_pgas_quiet(queue), 0);
        ck_assert_mem_eq(heap(1, 128), &good, 8);
        ck_assert_uint_eq(counted().failures, i + 1);
    }
    /* a place of one's own that is none */
    ck_assert_int_eq(nic_pgas_get(queue, HEAP - 8, 1, 0, 8, 2), 0);
    ck_assert_int_eq(nic_pgas_quiet(queue), -ERANGE);
    /* of several errors the first is told */
    ck_assert_int_eq(nic_pgas_put(queue, 1, HEAP, data, 8, 1), 0);
    ck_assert_int_eq(nic_pgas_put(queue, 2, 0, data, 8, 1), 0);
    ck_assert_int_eq(nic_pgas_quiet(queue), -ERANGE);
    ck_assert_int_eq(nic_pgas_put(queue, 2, 0, data, 8, 1), 0);
    ck_assert_int_eq(nic_pgas_put(queue, 1, HEAP, data, 8, 1), 0);
    ck_assert_int_eq(nic_pgas_quiet(queue), -EINVAL);
    ck_assert_int_eq(nic_pgas_put(queue, 1, 0, data, 3, 1), -EINVAL);
    ck_assert_int_eq(nic_pgas_put(queue, 1, 0, data, 256, 1), -EINVAL);
    ck_assert_int_eq(nic_pgas_put(queue, 1, 0, data, 8, 0), -EINVAL);
    ck_assert_int_eq(nic_pgas_put(queue, 1, 0, NULL, 8, 1), -EINVAL);
    ck_assert_int_eq(nic_pgas_write_raw(queue, data, 12, 1), -EINVAL);
    memset(heap(1, 128), 0, 8);
    for (unsigned i = 0; i < HEAP; i++)
        must(!heap(1, i)[0]);
    unit_end();
}
END_TEST

/* Garbage is dropped up to the next line in which a command begins. */
START_TEST(garbage)
{
    uint64_t random = seed, noise[40];
    unsigned recovered = 0;

    unit_start(2, NIC_PROGRESS_HOST);
    for (unsigned i = 0; i < 3000; i++) {
        uint64_t value = i + 1, last = 0;
        for (unsigned k = 0; k < 40; k++)
            /* no command: a spare bit is set */
            noise[k] = loop_random(&random) | (k % 2 ? 0 : UINT64_C(1) << 63);
        must(!nic_pgas_write_raw(queue, noise, 8 * (2 + loop_below(&random, 38)), 1));
        /* some of these are lost behind the garbage in its line, the last is not */
        for (unsigned k = 0; k < 8; k++)
            must(!nic_pgas_put(queue, 1, 64 * k, &value, 8, 1));
        must(!nic_pgas_quiet(queue));
        memcpy(&last, heap(1, 64 * 7), 8);
        must(last == value);
        memcpy(&last, heap(1, 0), 8);
        recovered += last == value;
    }
    struct nic_pgas_counts c = counted();
    ck_assert_uint_eq(c.garbage, 3000);
    ck_assert_uint_gt(recovered, 0);
    ck_assert_uint_eq(c.failures + c.outstanding, 0);
    unit_end();
}
END_TEST

/* -- random commands against a model of all memory.  In reach operations are done in order. */

static unsigned char model[3][HEAP];

static void random_put(uint64_t *random)
{
    static unsigned char data[1 << 16];
    unsigned size = loop_below(random, 8), rank = loop_below(random, 3),
        stride = loop_below(random, 4),
             count = 1 + loop_below(random, loop_below(random, 20) ? 10 : 400);
    uint64_t place = loop_below(random, HEAP - (uint32_t)(count * (stride + 1) << size));
    struct nic_pgas_command c = { .op = NIC_PGAS_PUT, .size = size, .count = count, .pid = rank,
                                  .address = place, .stride = stride };

    for (unsigned i = 0; i < count << size; i++)
        data[i] = (unsigned char)loop_random(random);
    must(!nic_pgas_write(queue, &c, data));
    for (unsigned i = 0; i < count; i++)
        memcpy(model[rank] + place + ((uint64_t)i * stride << size), data + ((uint64_t)i << size),
               1u << size);
}

static void random_get(uint64_t *random)
{
    unsigned size = loop_below(random, 8), rank = 1 + loop_below(random, 2),
        stride = loop_below(random, 4), count = 1 + loop_below(random, 50);
    uint64_t place = loop_below(random, HEAP - (uint32_t)(count * (stride + 1) << size)),
        local = loop_below(random, HEAP - (uint32_t)(count << size));
    struct nic_pgas_command c = { .op = NIC_PGAS_GET, .size = size, .count = count, .pid = rank,
                                  .address = place, .stride = stride, .local = local };

    must(!nic_pgas_write(queue, &c, NULL));
    for (unsigned i = 0; i < count; i++)
        memcpy(model[0] + local + ((uint64_t)i << size),
               model[rank] + place + ((uint64_t)i * stride << size), 1u << size);
}

static void random_add(uint64_t *random)
{
    uint64_t operand = loop_random(random), place = 8 * loop_below(random, HEAP / 8),
        local = 8 * loop_below(random, HEAP / 8), before;
    unsigned rank = 1 + loop_below(random, 2);
    struct nic_pgas_command c = { .op = NIC_PGAS_FETCH_ADD, .size = 3, .count = 1, .pid = rank,
                                  .address = place, .stride = 1, .local = local };

    must(!nic_pgas_write(queue, &c, &operand));
    memcpy(&before, model[rank] + place, 8);
    memcpy(model[0] + local, &before, 8);
    before += operand;
    memcpy(model[rank] + place, &before, 8);
}

static void random_commands(uint64_t random, unsigned commands)
{
    memset(model, 0, sizeof model);
    for (unsigned i = 0; i < commands; i++) {
        unsigned what = loop_below(&random, 10);
        if (what < 6)
            random_put(&random);
        else if (what < 8)
            random_get(&random);
        else
            random_add(&random);
        if (loop_below(&random, 10) == 0)
            nic_pgas_flush(queue);
        if (loop_below(&random, 100) == 0)
            must(!nic_pgas_quiet(queue));
    }
    must(!nic_pgas_quiet(queue));
    for (unsigned rank = 0; rank < 3; rank++)
        must(!memcmp(model[rank], heap(rank, 0), HEAP));
    struct nic_pgas_counts c = counted();
    ck_assert_uint_eq(c.commands, commands);
    ck_assert_uint_eq(c.outstanding + c.garbage + c.failures, 0);
}

static const enum nic_progress progress[] = { NIC_PROGRESS_HOST, NIC_PROGRESS_AUTO,
                                              NIC_PROGRESS_THREAD };

START_TEST(random_unit)
{
    unit_start(3, progress[_i]);
    random_commands(seed + (uint64_t)_i, 4000);
    unit_end();
}
END_TEST

/* Packets, whose replies are the acknowledgments: more messages than there are buffers for, and a
 * queue that fills up. */
START_TEST(staged)
{
    static uint32_t data[40000];

    unit_start(2, NIC_PROGRESS_THREAD);
    nic_enter(l.nic[0]);
    nic_remote_allow(l.nic[0], 1u << NIC_PATH_STAGED);
    nic_leave(l.nic[0]);
    for (unsigned i = 0; i < 40000; i++)
        data[i] = i * 2654435761u;
    for (unsigned i = 0; i < 3000; i++)
        must(!nic_pgas_put(queue, 1, 4 * i, &data[i], 4, 1));
    must(!nic_pgas_put(queue, 1, 4 * 3000, data + 3000, 4, 37000));
    ck_assert_int_eq(nic_pgas_quiet(queue), 0);
    ck_assert_mem_eq(heap(1, 0), data, sizeof data);
    must(!nic_pgas_get(queue, 8, 1, 0, 4, 40000));
    must(!nic_pgas_put(queue, 1, HEAP - 4, data, 4, 2));
    ck_assert_int_eq(nic_pgas_quiet(queue), -ERANGE);
    ck_assert_mem_eq(heap(0, 8), data, sizeof data);
    ck_assert_uint_eq(counted().outstanding, 0);
    unit_end();
}
END_TEST

/* The host writes and goes away: the NIC's thread executes. */
START_TEST(host_away)
{
    unit_start(2, NIC_PROGRESS_AUTO);
    for (uint64_t i = 1; i < 60; i++) {
        _Atomic uint64_t *word = (_Atomic uint64_t *)(void *)heap(1, 64);
        must(!nic_pgas_put(queue, 1, 64, &i, 8, 1));
        nic_pgas_flush(queue);
        while (atomic_load(word) != i)
            usleep(50);
    }
    unit_end();
}
END_TEST

/* Commands that a host leaves behind are work for its NIC until they are done. */
START_TEST(left_behind)
{
    const uint64_t value = 5;

    unit_start(2, NIC_PROGRESS_HOST);
    ck_assert(!nic_has_work(l.nic[0]));
    must(!nic_pgas_put(queue, 1, 64, &value, 8, 1));
    nic_pgas_flush(queue);
    ck_assert(nic_has_work(l.nic[0]));
    ck_assert_int_eq(nic_pgas_quiet(queue), 0);
    ck_assert(!nic_has_work(l.nic[0]));
    unit_end();
}
END_TEST

/* Several threads, each with its queue, add to the same words. */
enum { ADDERS = 3, ADDS = 3000 };

static void *adder(void *argument)
{
    struct nic_pgas *mine = NULL;
    uint64_t one = 1;
    (void)argument;
    must(!nic_pgas_open(l.nic[0], &mine));
    for (unsigned i = 0; i < ADDS; i++) {
        struct nic_pgas_command c = { .op = NIC_PGAS_ADD, .size = 3, .count = 1, .pid = i % 2,
                                      .address = 8 * (i % 5), .stride = 1 };
        must(!nic_pgas_write(mine, &c, &one));
    }
    must(!nic_pgas_quiet(mine));
    nic_pgas_close(mine);
    return NULL;
}

START_TEST(queues_of_threads)
{
    pthread_t thread[ADDERS];
    uint64_t sum = 0;

    unit_start(2, progress[_i]);
    nic_enter(l.nic[0]);
    nic_share(l.nic[0]);
    nic_leave(l.nic[0]);
    for (unsigned i = 0; i < ADDERS; i++)
        must(!pthread_create(&thread[i], NULL, adder, NULL));
    for (unsigned i = 0; i < ADDERS; i++)
        must(!pthread_join(thread[i], NULL));
    for (unsigned rank = 0; rank < 2; rank++)
        for (unsigned i = 0; i < 5; i++)
            sum += *(uint64_t *)(void *)heap(rank, 8 * i);
    ck_assert_uint_eq(sum, ADDERS * ADDS);
    unit_end();
}
END_TEST

/* A scratchpad without room refuses a queue and is as before. */
START_TEST(no_room)
{
    struct nic_pgas *more[64];
    unsigned n = 0;
    struct nic_spad_usage usage;

    loop_open_in(&l, loop_job_sized(1, 20000, HEAP), NIC_PROGRESS_HOST);
    while (n < 64 && !nic_pgas_open(l.nic[0], &more[n]))
        n++;
    ck_assert_uint_eq(n, 5);
    ck_assert_int_eq(nic_pgas_open(l.nic[0], &queue), -ENOMEM);
    while (n)
        nic_pgas_close(more[--n]);
    nic_enter(l.nic[0]);
    nic_spad_used(l.nic[0], NIC_SPAD_QUEUES, &usage);
    nic_leave(l.nic[0]);
    ck_assert_uint_eq(usage.bytes, 0);
    ck_assert_uint_eq(usage.high, 5 * NIC_PGAS_BYTES);
    ck_assert_int_eq(nic_pgas_open(l.nic[0], &queue), 0);
    loop_close(&l);         /* left open: closed with the NIC */
}
END_TEST

/* What the model clock charges depends on the program alone:
 * an 8-byte put is 24 bytes of the stream. */
START_TEST(charged)
{
    enum { PUTS = 1000 };
    uint64_t lines = (PUTS * 24 + NIC_PGAS_LINE_DATA - 1) / NIC_PGAS_LINE_DATA, value = 5;

    unit_start(1, NIC_PROGRESS_HOST);
    nic_pgas_close(queue);
    loop_close(&l);
    loop_open_in(&l, model_job(1, false, NULL), NIC_PROGRESS_HOST);
    const uint64_t *charged_units = l.nic[0]->clock->charged;
    ck_assert_int_eq(nic_pgas_open(l.nic[0], &queue), 0);
    for (unsigned i = 0; i < PUTS; i++)
        must(!nic_pgas_put(queue, 0, 8 * i, &value, 8, 1));
    ck_assert_int_eq(nic_pgas_quiet(queue), 0);
    ck_assert_uint_eq(charged_units[NIC_COST_PGAS_ISSUE], PUTS);
    ck_assert_uint_eq(charged_units[NIC_COST_PGAS_COMMAND], PUTS);
    ck_assert_uint_eq(charged_units[NIC_COST_PGAS_LINE], lines);
    ck_assert_uint_eq(charged_units[NIC_COST_PGAS_UPDATE], lines / NIC_PGAS_UPDATE_LINES);
    ck_assert_uint_eq(charged_units[NIC_COST_PGAS_SPACE],
                      (lines - NIC_PGAS_LINES + NIC_PGAS_UPDATE_LINES - 1) / NIC_PGAS_UPDATE_LINES);
    for (unsigned i = 0; i < PUTS; i++)
        must(!memcmp(heap(0, 8 * i), &value, 8));
    nic_pgas_close(queue);
    loop_close(&l);
}
END_TEST

/* A modelled unit has room in its queue again by what becomes a message; what becomes none gives
 * its own back.  More of that than the queue holds: all is refused, and what stands behind it
 * done. */
static void unit_refuses(unsigned kind)
{
    uint64_t value = 7;
    const uint64_t noise[2] = { UINT64_MAX, UINT64_MAX };
    int error = 0;
    switch (kind) {
    case 0: must(!nic_pgas_put(queue, 1, 0, &value, 8, 1)); error = -EINVAL; break;
    case 1: must(!nic_pgas_put(queue, 0, 8 * HEAP, &value, 8, 1)); error = -ERANGE; break;
    case 2: must(!nic_pgas_get(queue, 8 * HEAP, 0, 0, 8, 1)); error = -ERANGE; break;
    case 3: must(!nic_pgas_write_raw(queue, noise, sizeof noise, 1)); break;
    }
    must(nic_pgas_quiet(queue) == error);
}

START_TEST(refused_by_a_unit)
{
    enum { MANY = NIC_PGAS_BYTES / 16 + 50 };
    struct nic_profile p = *test_profile();
    struct nic_model_config model = { .profile = &p };
    struct nic_job_config config = { .ranks = 1, .cores = 1, .heap = HEAP, .model = &model };
    struct nic_job *job;
    p.pgas.unit = p.pgas.ranks = 1;
    must(nic_job_create(&config, &job) == 0);
    loop_open_in(&l, job, NIC_PROGRESS_HOST);
    ck_assert_int_eq(nic_pgas_open(l.nic[0], &queue), 0);
    for (unsigned i = 0; i < MANY; i++)
        unit_refuses((unsigned)_i);
    /* what stands in a line behind garbage is lost with it */
    for (uint64_t value = 1; value <= MANY; value++) {
        must(!nic_pgas_put(queue, 0, 64, &value, 8, 1) && !nic_pgas_quiet(queue));
        must((_i == 3 && value < 4) || !memcmp(heap(0, 64), &value, 8));
    }
    unit_end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("pgas");
    TCase *tcase = tcase_create("pgas");

    seed = loop_seed(20081116);
    tcase_add_test(tcase, put_and_get);
    tcase_add_test(tcase, strided);
    tcase_add_test(tcase, scratchpads);
    tcase_add_test(tcase, atomics);
    tcase_add_test(tcase, refused);
    tcase_add_test(tcase, garbage);
    tcase_add_loop_test(tcase, random_unit, 0, 3);
    tcase_add_test(tcase, staged);
    tcase_add_test(tcase, host_away);
    tcase_add_test(tcase, left_behind);
    tcase_add_loop_test(tcase, queues_of_threads, 0, 3);
    tcase_add_test(tcase, no_room);
    tcase_add_test(tcase, charged);
    tcase_add_loop_test(tcase, refused_by_a_unit, 0, 4);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
