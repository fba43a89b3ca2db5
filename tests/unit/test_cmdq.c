/* The command ring: order, a full ring, many laps, many producers. */
#include <pthread.h>
#include <sched.h>
#include "base/cmdq.h"
#include "loop.h"

static struct nic_cmdq queue;

static bool push(uint32_t op, uint32_t arg)
{
    struct nic_command c = { .op = op, .arg = arg, .object = &queue.cell[arg % NIC_CMDQ_CELLS] };
    return nic_cmdq_push(&queue, &c);
}

/* Takes the next command, which has to be this one. */
static void expect(uint32_t op, uint32_t arg)
{
    struct nic_command c;

    must(nic_cmdq_pending(&queue));
    must(nic_cmdq_pop(&queue, &c));
    must(c.op == op);
    must(c.arg == arg);
    must(c.object == &queue.cell[arg % NIC_CMDQ_CELLS]);
}

static void expect_empty(void)
{
    struct nic_command c;

    must(!nic_cmdq_pending(&queue));
    must(!nic_cmdq_pop(&queue, &c));
}

START_TEST(empty)
{
    nic_cmdq_init(&queue);
    expect_empty();
    must(push(1, 2));
    expect(1, 2);
    expect_empty();
}
END_TEST

START_TEST(full)
{
    nic_cmdq_init(&queue);
    for (int round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < NIC_CMDQ_CELLS; i++)
            must(push(1, i));
        must(!push(2, 0));
        expect(1, 0);
        must(push(1, NIC_CMDQ_CELLS));
        must(!push(2, 0));
        for (uint32_t i = 1; i <= NIC_CMDQ_CELLS; i++)
            expect(1, i);
        expect_empty();
    }
}
END_TEST

/* Random fills, so that each lap starts elsewhere. */
START_TEST(laps)
{
    uint64_t random = 5;
    uint32_t in = 0, out = 0;

    nic_cmdq_init(&queue);
    while (in < 100 * NIC_CMDQ_CELLS) {
        for (uint32_t n = loop_below(&random, 200); n; n--) {
            must(push(7, in) == (in - out < NIC_CMDQ_CELLS));
            in += in - out < NIC_CMDQ_CELLS;
        }
        for (uint32_t n = loop_below(&random, 200); n && out < in; n--)
            expect(7, out++);
    }
    while (out < in)
        expect(7, out++);
    expect_empty();
}
END_TEST

enum { PRODUCERS = 4, EACH = 20000 };

static void *producer(void *argument)
{
    for (uint32_t i = 0; i < EACH;)
        if (push((uint32_t)(uintptr_t)argument, i))
            i++;
        else
            sched_yield();
    return NULL;
}

START_TEST(many_producers)
{
    pthread_t thread[PRODUCERS];
    uint32_t next[PRODUCERS] = { 0 };
    struct nic_command c;

    nic_cmdq_init(&queue);
    for (uintptr_t i = 0; i < PRODUCERS; i++)
        must(pthread_create(&thread[i], NULL, producer, (void *)i) == 0);
    for (uint32_t n = 0; n < PRODUCERS * EACH;) {
        if (!nic_cmdq_pop(&queue, &c)) {
            sched_yield();
            continue;
        }
        must(c.op < PRODUCERS);
        must(c.arg == next[c.op]++);
        must(c.object == &queue.cell[c.arg % NIC_CMDQ_CELLS]);
        n++;
    }
    for (unsigned i = 0; i < PRODUCERS; i++)
        pthread_join(thread[i], NULL);
    expect_empty();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cmdq");
    TCase *tcase = tcase_create("cmdq");

    tcase_add_test(tcase, empty);
    tcase_add_test(tcase, full);
    tcase_add_test(tcase, laps);
    tcase_add_test(tcase, many_producers);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
