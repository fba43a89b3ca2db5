/* The model clock's hooks: what each thing costs, event keys on packets, and that the live clock charges nothing. */
#include <errno.h>
#include "core/demand.h"
#include "core/nic.h"
#include "loop.h"

/* Costs that are all different, and such that sums do not collide. */
static const uint64_t costs[NIC_COST_COUNT] = {
    [NIC_COST_COMMAND] = 3, [NIC_COST_DOORBELL] = 50, [NIC_COST_DISPATCH] = 700, [NIC_COST_MATCH] = 11000, [NIC_COST_MATCH_ENTRY] = 130000,
    [NIC_COST_SEND] = 1700000, [NIC_COST_SEND_BYTE] = 19000000, [NIC_COST_RECEIVE_BYTE] = 230000000, [NIC_COST_RDMA] = 2900000000,
    [NIC_COST_RDMA_BYTE] = 31000000000, [NIC_COST_HOP] = 370000000000,
};

static struct nic_clock new_clock(void)
{
    struct nic_clock c = { .now = 0 };

    memcpy(c.cost, costs, sizeof c.cost);
    return c;
}

static void set_clock(struct nic *nic, struct nic_clock *clock)
{
    nic_enter(nic);
    nic->clock = clock;
    nic_refresh_careful(nic);
    nic_leave(nic);
}

/* -- arithmetic */

START_TEST(charges_add_up)
{
    struct nic_clock c = new_clock();

    nic_clock_charge(&c, NIC_COST_SEND, 1);
    nic_clock_charge(&c, NIC_COST_SEND_BYTE, 100);
    ck_assert_uint_eq(c.now, 1700000 + 100 * UINT64_C(19000000));
    ck_assert_uint_eq(c.free_at[NIC_RES_TX], c.now);
    ck_assert_uint_eq(c.charged[NIC_COST_SEND], 1);
    ck_assert_uint_eq(c.charged[NIC_COST_SEND_BYTE], 100);
    for (int r = 0; r < NIC_RESOURCES; r++)
        ck_assert(r == NIC_RES_TX || c.free_at[r] == 0);
}
END_TEST

/* A busy resource makes the event wait, an idle one begins at once. */
START_TEST(busy_resources)
{
    struct nic_clock c = new_clock();

    c.free_at[NIC_RES_ALPU] = 1000000;
    nic_clock_charge(&c, NIC_COST_MATCH, 2);
    ck_assert_uint_eq(c.now, 1000000 + 2 * 11000);
    nic_clock_charge(&c, NIC_COST_DISPATCH, 1);
    ck_assert_uint_eq(c.now, 1022000 + 700);
    c.now = 5000000;
    nic_clock_charge(&c, NIC_COST_MATCH, 1);
    ck_assert_uint_eq(c.free_at[NIC_RES_ALPU], 5011000);
    nic_clock_charge(&c, NIC_COST_MATCH, 0);
    ck_assert_uint_eq(c.now, 5011000);
}
END_TEST

START_TEST(events)
{
    struct nic_clock c = new_clock();

    nic_clock_event(&c, 100);
    ck_assert_uint_eq(c.now, 100);
    nic_clock_event(&c, 99);        /* never back */
    ck_assert_uint_eq(c.now, 100);
    for (unsigned i = 0; i < 5; i++) {
        struct nic_event_key key = nic_clock_key(&c, 7);
        ck_assert_uint_eq(key.time, 100);
        ck_assert_uint_eq(key.source, 7);
        ck_assert_uint_eq(key.sequence, i);
    }
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(nic_cost_name(NIC_COST_COMMAND), "COMMAND");
    ck_assert_str_eq(nic_cost_name(NIC_COST_HOP), "HOP");
    ck_assert_str_eq(nic_cost_name(NIC_COST_COUNT), "?");
    for (unsigned i = 0; i < NIC_COST_COUNT; i++)
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(nic_cost_name((enum nic_cost)i), nic_cost_name((enum nic_cost)j));
}
END_TEST

/* -- packets */

static struct loop l;
static struct nic_clock clocks[2];

static void setup(void)
{
    loop_open(&l, 2);
    for (unsigned r = 0; r < 2; r++) {
        clocks[r] = new_clock();
        set_clock(l.nic[r], &clocks[r]);
    }
}

static void teardown(void)
{
    loop_close(&l);
}

static void expect_charged(const struct nic_clock *c, const uint64_t *units)
{
    for (unsigned i = 0; i < NIC_COST_COUNT; i++)
        if (c->charged[i] != units[i])
            ck_abort_msg("%s: %lu units charged, expected %lu", nic_cost_name((enum nic_cost)i), (unsigned long)c->charged[i],
                         (unsigned long)units[i]);
}

/* Keys ride in front of the payload, whatever its length and head, and are gone when the packet is handled. */
START_TEST(keys_arrive)
{
    uint64_t sent[NIC_COST_COUNT] = { 0 }, got[NIC_COST_COUNT] = { 0 };
    unsigned long n = 0;

    for (unsigned head = 0; head <= 32; head += 8)
        for (uint32_t bytes = 0; bytes <= NIC_MESSAGE_BYTES_MAX; bytes += bytes < 150 ? 1 : 541) {
            struct nic_message m = { .type = 5, .flags = 3, .head_bytes = (uint16_t)head, .match = n, .head = loop_payload(bytes),
                                     .data = loop_payload(bytes) + head, .data_bytes = bytes };
            must(loop_send(l.nic[0], 1, &m) == 0);
            uint64_t left = clocks[0].now, idle = clocks[1].now;
            loop_drain(l.nic[1]);
            n++;
            sent[NIC_COST_SEND]++;
            sent[NIC_COST_SEND_BYTE] += head + bytes;
            sent[NIC_COST_HOP]++;
            got[NIC_COST_DISPATCH]++;
            got[NIC_COST_RECEIVE_BYTE] += head + bytes;
            const struct nic_packet *p = &l.catcher[1]->packet;
            must(l.catcher[1]->packets == n && p->length == head + bytes && p->type == 5 && p->flags == 3 && p->match == n - 1);
            must(p->time == left);
            must(loop_is_payload(l.catcher[1]->data, p->length, bytes));
            must(clocks[0].now == left && clocks[0].sequence == n);
            must(clocks[1].now == (left > idle ? left : idle) + costs[NIC_COST_DISPATCH] + p->length * costs[NIC_COST_RECEIVE_BYTE]);
        }
    expect_charged(&clocks[0], sent);
    expect_charged(&clocks[1], got);
}
END_TEST

/* A head that leaves no room for the key is refused. */
START_TEST(head_and_key_share_a_line)
{
    struct nic_message m = { .type = 5, .head_bytes = 40, .head = loop_payload(0) };
    uint64_t none[NIC_COST_COUNT] = { 0 };

    ck_assert_int_eq(loop_send(l.nic[0], 1, &m), -EMSGSIZE);
    expect_charged(&clocks[0], none);
}
END_TEST

/* What was not sent costs nothing, however often it is tried. */
START_TEST(refused_sends_are_free)
{
    struct nic_message m = { .type = 5, .data = loop_payload(0), .data_bytes = 8 };
    uint64_t sent = 0;

    while (!loop_send(l.nic[0], 1, &m))
        sent++;
    ck_assert_int_eq(loop_send(l.nic[0], 1, &m), -EAGAIN);
    uint64_t want[NIC_COST_COUNT] = { [NIC_COST_SEND] = sent, [NIC_COST_SEND_BYTE] = 8 * sent, [NIC_COST_HOP] = sent };
    expect_charged(&clocks[0], want);
    ck_assert_uint_eq(clocks[0].sequence, sent);
    loop_drain(l.nic[1]);
    ck_assert_uint_eq(l.catcher[1]->packets, sent);
}
END_TEST

/* The short ways know no keys: they step back. */
START_TEST(no_short_ways)
{
    struct nic_message m = { .type = 5, .match = 1 };
    struct nic_taken taken;

    ck_assert(nic_modelled(l.nic[0]));
    ck_assert(!nic_send_now(l.nic[0], 1, 5, 1, NULL, 0));
    ck_assert_int_eq(loop_send(l.nic[0], 1, &m), 0);
    nic_enter(l.nic[1]);
    ck_assert(!nic_take(l.nic[1], 5, 1, 0, NULL, 0, &taken));
    nic_leave(l.nic[1]);
    loop_drain(l.nic[1]);
    ck_assert_uint_eq(l.catcher[1]->packets, 1);
}
END_TEST

/* -- matching, commands, RDMA */

START_TEST(matching)
{
    struct nic_alpu *a = nic_alpu_new();
    uint32_t tag;

    for (uint32_t i = 0; i < 10; i++)
        ck_assert_int_eq(nic_alpu_append(a, i, 0, i), 0);
    ck_assert(nic_match(l.nic[0], a, 0, 0, &tag));      /* the first: 1 entry */
    ck_assert(nic_match(l.nic[0], a, 5, 0, &tag));      /* four before it */
    ck_assert_uint_eq(tag, 5);
    ck_assert(!nic_match(l.nic[0], a, 50, 0, &tag));    /* all eight */
    uint64_t want[NIC_COST_COUNT] = { [NIC_COST_MATCH] = 3, [NIC_COST_MATCH_ENTRY] = 1 + 5 + 8 };
    expect_charged(&clocks[0], want);
    ck_assert_uint_eq(clocks[0].now, 3 * costs[NIC_COST_MATCH] + 14 * costs[NIC_COST_MATCH_ENTRY]);
    nic_alpu_delete(a);
}
END_TEST

START_TEST(commands)
{
    struct nic_command c = { .op = 1 };
    uint64_t want[NIC_COST_COUNT] = { [NIC_COST_COMMAND] = 5 };

    for (int i = 0; i < 3; i++)
        nic_submit(l.nic[0], &c);
    nic_enter(l.nic[0]);                    /* the baton is taken: these wait */
    must(nic_cmdq_push(&l.nic[0]->cmdq, &c) && nic_cmdq_push(&l.nic[0]->cmdq, &c));
    nic_step(l.nic[0]);
    nic_leave(l.nic[0]);
    expect_charged(&clocks[0], want);
}
END_TEST

START_TEST(rdma)
{
    char from[1000], to[1000];
    uint64_t want[NIC_COST_COUNT] = { [NIC_COST_RDMA] = 2, [NIC_COST_RDMA_BYTE] = 1010 };

    memset(from, 1, sizeof from);
    nic_enter(l.nic[0]);
    ck_assert_int_eq(nic_rdma_read(l.nic[0], 1, (uint64_t)(uintptr_t)from, to, 1000), 0);
    ck_assert_int_eq(nic_rdma_write(l.nic[0], 1, from, (uint64_t)(uintptr_t)to, 10), 0);
    nic_leave(l.nic[0]);
    expect_charged(&clocks[0], want);
    ck_assert_uint_eq(clocks[0].free_at[NIC_RES_TX], 2 * costs[NIC_COST_RDMA] + 1010 * costs[NIC_COST_RDMA_BYTE]);
}
END_TEST

/* -- the live clock */

START_TEST(live_charges_nothing)
{
    struct nic_command c = { .op = 1 };
    struct nic_message m = { .type = 5, .data = loop_payload(0), .data_bytes = 2000 };
    uint64_t none[NIC_COST_COUNT] = { 0 };
    char to[8];

    set_clock(l.nic[0], NULL);
    set_clock(l.nic[1], NULL);
    ck_assert(!nic_modelled(l.nic[0]));
    ck_assert_int_eq(loop_send(l.nic[0], 1, &m), 0);
    loop_drain(l.nic[1]);
    ck_assert_uint_eq(l.catcher[1]->packets, 1);
    ck_assert_uint_eq(l.catcher[1]->packet.time, 0);
    nic_submit(l.nic[0], &c);
    nic_enter(l.nic[0]);
    ck_assert_int_eq(nic_rdma_read(l.nic[0], 1, (uint64_t)(uintptr_t)loop_payload(0), to, sizeof to), 0);
    nic_leave(l.nic[0]);
    for (unsigned r = 0; r < 2; r++) {
        expect_charged(&clocks[r], none);
        ck_assert_uint_eq(clocks[r].now, 0);
        ck_assert_uint_eq(clocks[r].sequence, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clock");
    TCase *arithmetic = tcase_create("arithmetic"), *hooks = tcase_create("hooks");

    tcase_add_test(arithmetic, charges_add_up);
    tcase_add_test(arithmetic, busy_resources);
    tcase_add_test(arithmetic, events);
    tcase_add_test(arithmetic, names);
    suite_add_tcase(suite, arithmetic);
    tcase_add_checked_fixture(hooks, setup, teardown);
    tcase_add_test(hooks, keys_arrive);
    tcase_add_test(hooks, head_and_key_share_a_line);
    tcase_add_test(hooks, refused_sends_are_free);
    tcase_add_test(hooks, no_short_ways);
    tcase_add_test(hooks, matching);
    tcase_add_test(hooks, commands);
    tcase_add_test(hooks, rdma);
    tcase_add_test(hooks, live_charges_nothing);
    suite_add_tcase(suite, hooks);
    return loop_run(suite);
}
