/* The model clock's hooks: what each thing costs, and that the live clock charges nothing. */
#include <errno.h>
#include "core/nic.h"
#include "loop.h"
#include "modelled.h"

/* Costs that are all different, and such that sums do not collide. */
static const uint64_t costs[NIC_COST_COUNT] = {
    [NIC_COST_COMMAND] = 3, [NIC_COST_DOORBELL] = 50, [NIC_COST_DISPATCH] = 700,
        [NIC_COST_MATCH] = 11000, [NIC_COST_MATCH_ENTRY] = 130000,
    [NIC_COST_SEND] = 1700000, [NIC_COST_SEND_BYTE] = 19000000,
        [NIC_COST_RECEIVE_BYTE] = 230000000, [NIC_COST_RDMA] = 2900000000,
    [NIC_COST_RDMA_BYTE] = 31000000000, [NIC_COST_HOP] = 370000000000,
};

static struct nic_clock new_clock(void)
{
    struct nic_clock c = { .now = 0 };

    memcpy(c.cost, costs, sizeof c.cost);
    return c;
}

/* -- arithmetic */

/* What moves data works beside the processor; bytes are priced by 1024 of them. */
START_TEST(charges_add_up)
{
    struct nic_clock c = new_clock();

    nic_clock_charge(&c, NIC_COST_SEND, 1);
    nic_clock_charge(&c, NIC_COST_SEND_BYTE, 1024);
    ck_assert_uint_eq(c.now, 0);
    ck_assert_uint_eq(c.dma_done, 1700000 + UINT64_C(19000000));
    ck_assert_uint_eq(c.free_at[NIC_RES_TX], c.dma_done);
    ck_assert_uint_eq(nic_clock_complete(&c), c.dma_done);
    ck_assert_uint_eq(c.charged[NIC_COST_SEND], 1);
    ck_assert_uint_eq(c.charged[NIC_COST_SEND_BYTE], 1024);
    for (int r = 0; r < NIC_RESOURCES; r++)
        ck_assert(r == NIC_RES_TX || c.free_at[r] == 0);
    nic_clock_charge(&c, NIC_COST_DISPATCH, 2);
    ck_assert_uint_eq(c.now, 1400);
    ck_assert_uint_eq(c.free_at[NIC_RES_PROCESSOR], 1400);
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

START_TEST(departures)
{
    struct nic_clock c = new_clock();

    c.tx_line = 64;
    for (unsigned i = 0; i < 5; i++) {
        struct nic_event_key key = nic_clock_depart(&c, 7, 0);
        ck_assert_uint_eq(key.time, (i + 1) * UINT64_C(1700000) + costs[NIC_COST_HOP]);
        ck_assert_uint_eq(key.source, 7);
        ck_assert_uint_eq(key.sequence, i);
    }
}
END_TEST

/* The receiver hears of the header, and may begin; how long the rest takes, both sides know. */
START_TEST(begins_before_the_end)
{
    struct nic_clock c = { .cut_through = true, .header = 24, .tx_line = 64, .rx_line = 64,
                           .bus_line = 64 };
    c.cost[NIC_COST_SEND] = 100;
    c.cost[NIC_COST_SEND_BYTE] = 2 * 1024;
    c.cost[NIC_COST_WIRE_BYTE] = 3 * 1024;
    c.cost[NIC_COST_HOP] = 5000;

    ck_assert_uint_eq(nic_clock_stream(&c, 1000), 3000);
    struct nic_event_key key = nic_clock_depart(&c, 0, 1000);
    ck_assert_uint_eq(key.time, 100 + 5000);    /* the engine starts; the wire's 24 * 3 are less */
    ck_assert_uint_eq(c.free_at[NIC_RES_LINK], 1024 * 3);
    c.cost[NIC_COST_SEND_BYTE] = 4 * 1024;              /* now the engine is slower */
    ck_assert_uint_eq(nic_clock_stream(&c, 1000), 4000);
    key = nic_clock_depart(&c, 0, 1000);                /* it was free at 2100, the wire at 3072 */
    ck_assert_uint_eq(key.time, 2100 + 100 + 5000);
    c.cut_through = false;
    ck_assert_uint_eq(nic_clock_stream(&c, 1000), 0);
    ck_assert_uint_eq(nic_clock_transfer(&c, 1000), 4000);
}
END_TEST

/* Whatever is the slower one: neither the header nor the last byte of a message comes sooner
 * because the link, or the engine, takes longer. */
START_TEST(slower_is_never_sooner)
{
    for (unsigned engine = 0; engine < 2; engine++) {
        uint64_t header = 0, last = 0;
        for (uint64_t byte = 1; byte < 8; byte++) {
            struct nic_clock c = { .cut_through = true, .header = 24, .tx_line = 64,
                                   .rx_line = 64, .bus_line = 64 };
            c.cost[NIC_COST_SEND] = 500;
            c.cost[NIC_COST_SEND_BYTE] = (engine ? byte : 4) * 1024;
            c.cost[NIC_COST_WIRE_BYTE] = (engine ? 4 : byte) * 1024;
            uint64_t there = nic_clock_depart(&c, 0, 100).time;
            uint64_t all = there + nic_clock_stream(&c, 100);
            ck_assert_uint_ge(there, header);
            ck_assert_uint_ge(all, last);
            ck_assert_uint_ge(there, c.cost[NIC_COST_SEND]);
            header = there;
            last = all;
        }
    }
}
END_TEST

/* What lands is there when the engine has done, and its last byte has come. */
START_TEST(lands_with_its_tail)
{
    struct nic_clock c = { .rx_line = 64, .bus_line = 64 };
    c.cost[NIC_COST_RECEIVE] = 50;
    c.now = 1000;
    c.landing = 10;
    c.tail = 1040;
    nic_clock_land(&c);
    ck_assert_uint_eq(c.dma_done, 1050);
    c.landing = 10;
    c.tail = 9000;
    nic_clock_land(&c);
    ck_assert_uint_eq(c.dma_done, 9000);
    ck_assert_uint_eq(c.free_at[NIC_RES_RX], 1100);     /* others land meanwhile */
    ck_assert_uint_eq(nic_clock_complete(&c), 9000);
}
END_TEST

/* The first bytes of a transfer have a price of their own, in whatever pieces it comes. */
START_TEST(first_bytes_of_rdma)
{
    struct nic_clock c = { .short_bytes = 100, .word = 8 };
    c.cost[NIC_COST_RDMA_SHORT] = 7 * 1024;
    c.cost[NIC_COST_RDMA_BYTE] = 3 * 1024;
    nic_clock_rdma_piece(&c, 0, 60);
    nic_clock_rdma_piece(&c, 60, 60);
    nic_clock_rdma_piece(&c, 120, 50);
    nic_clock_rdma_piece(&c, 100, 1);
    ck_assert_uint_eq(c.charged[NIC_COST_RDMA_SHORT], 100);
    ck_assert_uint_eq(c.charged[NIC_COST_RDMA_BYTE], 20 + 50 + 1);
    ck_assert_uint_eq(nic_clock_complete(&c), 100 * 7 + 71 * 3);
    nic_clock_rdma_start(&c, 16);
    ck_assert_uint_eq(c.charged[NIC_COST_RDMA_ODD], 0);
    nic_clock_rdma_start(&c, 17);
    ck_assert_uint_eq(c.charged[NIC_COST_RDMA_ODD], 1);
}
END_TEST

/* What is written there is not there sooner because something lands here, nor does it keep that. */
START_TEST(writes_go_elsewhere)
{
    struct nic_clock c = { .word = 8, .dma_done = 77 };
    c.cost[NIC_COST_RDMA_BYTE] = 2 * 1024;
    c.cost[NIC_COST_WIRE_BYTE] = 5 * 1024;
    c.cost[NIC_COST_HOP] = 1000;
    ck_assert_uint_eq(nic_clock_write(&c, 100), 5 * 100 + 1000);
    ck_assert_uint_eq(c.dma_done, 77);
    c.loops = true;         /* not over the wire */
    ck_assert_uint_lt(nic_clock_write(&c, 100), 5 * 100 + 1000);
}
END_TEST

/* There and back, with the slower one of engine and wire; the next one waits for the engine. */
START_TEST(reads_take_turns)
{
    struct nic_clock c = { .now = 10, .to_engine = 20, .short_bytes = 10, .word = 8 };
    c.cost[NIC_COST_HOP] = 1000;
    c.cost[NIC_COST_RDMA_READ] = 300;
    c.cost[NIC_COST_RDMA] = 40;
    c.cost[NIC_COST_RDMA_SHORT] = 7 * 1024;
    c.cost[NIC_COST_RDMA_BYTE] = 3 * 1024;
    c.cost[NIC_COST_RDMA_ODD] = 5;
    c.cost[NIC_COST_WIRE_BYTE] = 2 * 1024;
    const uint64_t begin = 10 + 20 + 1000 + 300 + 40 + 1000;
    ck_assert_uint_eq(nic_clock_read(&c, 16), begin + 10 * 7 + 6 * 3);
    ck_assert_uint_eq(nic_clock_read(&c, 17), begin + 2 * (10 * 7 + 6 * 3) + 3 + 5);
    c.cost[NIC_COST_WIRE_BYTE] = 100 * 1024;
    c.free_at[NIC_RES_RX] = 0;
    ck_assert_uint_eq(nic_clock_read(&c, 16), begin + 1600);
    c.free_at[NIC_RES_RX] = 0;
    c.loops = true;
    c.cost[NIC_COST_LOOP] = 1;
    ck_assert_uint_eq(nic_clock_read(&c, 16), begin - 2 * 999 + 10 * 7 + 6 * 3);
}
END_TEST

/* A line that is begun crosses the bus as a whole where lines are what is counted; else what its
 * share of them is, and no less. */
START_TEST(lines_of_the_bus)
{
    struct nic_clock c = { .bus_line = 64, .bus_overhead = 8, .rx_line = 64, .to_host = 65 };
    c.cost[NIC_COST_BUS_WRITE_BYTE] = 1024;
    ck_assert_uint_eq(nic_clock_bus_bytes(&c, 0), 0);
    ck_assert_uint_eq(nic_clock_bus_bytes(&c, 64), 72);
    ck_assert_uint_eq(nic_clock_bus_bytes(&c, 8), 9);
    ck_assert_uint_eq(nic_clock_bus_bytes(&c, 9), 11);
    ck_assert_uint_eq(nic_clock_bus_bytes(&c, 1), 2);
    nic_clock_land(&c);
    ck_assert_uint_eq(c.charged[NIC_COST_BUS_WRITE_BYTE], 65 + 2 * 8);
    ck_assert_uint_eq(c.to_host, 0);
    nic_clock_land(&c);
    ck_assert_uint_eq(c.charged[NIC_COST_BUS_WRITE], 1);
}
END_TEST

/* A cost that a profile does not have leaves no trace in the hash. */
START_TEST(some_cost_nothing)
{
    struct nic_clock c = { .now = 0 }, untouched = c;
    nic_clock_charge_some(&c, NIC_COST_FLOW_CHECK, 1);
    ck_assert_mem_eq(&c, &untouched, sizeof c);
    c.cost[NIC_COST_FLOW_CHECK] = 7;
    nic_clock_charge_some(&c, NIC_COST_FLOW_CHECK, 2);
    ck_assert_uint_eq(c.now, 14);
    ck_assert_uint_ne(c.hash, untouched.hash);
}
END_TEST

/* The same of the hooks for what many profiles do not have. */
START_TEST(some_hooks_cost_nothing)
{
    struct nic_clock c = { .now = 0 }, untouched = c;
    struct nic nic = { .clock = &c };
    NIC_CHARGE_SOME(&nic, FLOW_CHECK, 1);
    ck_assert_mem_eq(&c, &untouched, sizeof c);
    c.cost[NIC_COST_FLOW_CHECK] = 7;
    NIC_CHARGE_SOME(&nic, FLOW_CHECK, 2);
    ck_assert_uint_eq(c.now, 14);
}
END_TEST

/* Between nodes each hop takes its time besides the way from engine to engine. */
START_TEST(hops_take_time)
{
    struct nic_clock c = { .hops = 3 };
    c.cost[NIC_COST_HOP] = 1000;
    c.cost[NIC_COST_LOOP] = 70;
    c.cost[NIC_COST_ROUTER] = 200;
    ck_assert_uint_eq(nic_clock_latency(&c), 1000 + 3 * 200);
    c.hops = 0;
    ck_assert_uint_eq(nic_clock_latency(&c), 1000);
    c.loops = true;
    ck_assert_uint_eq(nic_clock_latency(&c), 70);
}
END_TEST

/* What a NIC does for its peers is its processor's work: the handler, and the next one, wait. */
START_TEST(serving_takes_the_processor)
{
    static const enum nic_cost served[] = { NIC_COST_TRANSLATE, NIC_COST_COUNTER, NIC_COST_QUEUE,
                                            NIC_COST_ATOMIC };
    for (unsigned i = 0; i < sizeof served / sizeof *served; i++) {
        struct nic_clock c = { .now = 10 };
        c.cost[served[i]] = 300;
        nic_clock_charge(&c, served[i], 1);
        ck_assert_uint_eq(c.now, 310);
        ck_assert_uint_eq(c.free_at[NIC_RES_PROCESSOR], 310);
        ck_assert_uint_eq(c.dma_done, 0);
    }
}
END_TEST

START_TEST(names)
{
    ck_assert_str_eq(nic_cost_name(NIC_COST_COMMAND), "COMMAND");
    ck_assert_str_eq(nic_cost_name(NIC_COST_HOP), "HOP");
    ck_assert_str_eq(nic_cost_name(NIC_COST_COUNT), "?");
    ck_assert_str_eq(nic_unit_name(NIC_UNIT_COUNT), "?");
    ck_assert_str_eq(nic_part_name(NIC_PART_COUNT), "?");
    for (unsigned i = 0; i < NIC_COST_COUNT; i++)
        for (unsigned j = 0; j < i; j++)
            ck_assert_str_ne(nic_cost_name((enum nic_cost)i), nic_cost_name((enum nic_cost)j));
}
END_TEST

/* -- hooks, in a job of one rank */

static struct loop l;

static void setup(void) { loop_open_in(&l, model_job(1, false, NULL), NIC_PROGRESS_HOST); }
static void teardown(void) { loop_close(&l); }

static uint64_t charged(enum nic_cost cost) { return l.nic[0]->clock->charged[cost]; }

/* A head that leaves no room for the key is refused, and costs nothing. */
START_TEST(head_and_key_share_a_line)
{
    struct nic_tx m = { .type = 5, .head_bytes = 40, .head = loop_payload(0) };

    ck_assert_int_eq(loop_send(l.nic[0], 0, &m), -EMSGSIZE);
    ck_assert_uint_eq(charged(NIC_COST_SEND), 0);
}
END_TEST

/* The short ways know no keys: they step back. */
START_TEST(no_short_ways)
{
    struct nic_tx m = { .type = 5, .match = 1 };
    struct nic_received taken;

    ck_assert(nic_modelled(l.nic[0]));
    ck_assert(!nic_send_now(l.nic[0], 0, 5, 1, NULL, 0));
    ck_assert_int_eq(loop_send(l.nic[0], 0, &m), 0);
    nic_enter(l.nic[0]);
    ck_assert(!nic_try_receive(l.nic[0], 5, 1, 0, NULL, 0, &taken));
    nic_leave(l.nic[0]);
    while (!l.catcher[0]->packets)      /* the host looks until it is late enough */
        loop_drain(l.nic[0]);
    ck_assert_uint_eq(charged(NIC_COST_SEND), 1);
    ck_assert_uint_eq(charged(NIC_COST_DISPATCH), 1);
}
END_TEST

/* Packets and commands: see test_model. */
START_TEST(matching)
{
    struct nic_match_list *a = nic_match_list_new();
    uint32_t tag;

    for (uint32_t i = 0; i < 10; i++)
        ck_assert_int_eq(nic_match_list_append(a, i, 0, i), 0);
    nic_enter(l.nic[0]);
    ck_assert(nic_match(l.nic[0], a, 0, 0, &tag));      /* the first: 1 entry */
    ck_assert(nic_match(l.nic[0], a, 5, 0, &tag));      /* four before it */
    ck_assert_uint_eq(tag, 5);
    ck_assert(!nic_match(l.nic[0], a, 50, 0, &tag));    /* all eight */
    nic_leave(l.nic[0]);
    ck_assert_uint_eq(charged(NIC_COST_MATCH), 3);
    ck_assert_uint_eq(charged(NIC_COST_MATCH_ENTRY), 1 + 5 + 8);
    nic_match_list_delete(a);
}
END_TEST

START_TEST(rdma)
{
    char from[1000], to[1000];

    memset(from, 1, sizeof from);
    nic_enter(l.nic[0]);
    ck_assert_int_eq(nic_rdma_read(l.nic[0], 0, (uint64_t)(uintptr_t)from, to, 1000), 0);
    ck_assert_int_eq(nic_rdma_write(l.nic[0], 0, from, (uint64_t)(uintptr_t)to, 10), 0);
    nic_leave(l.nic[0]);
    ck_assert_uint_eq(charged(NIC_COST_RDMA), 2);
    ck_assert_uint_eq(charged(NIC_COST_RDMA_SHORT) + charged(NIC_COST_RDMA_BYTE), 1010);
}
END_TEST

/* -- the live clock has none */

START_TEST(live_charges_nothing)
{
    struct nic_tx m = { .type = 5, .data = loop_payload(0), .data_bytes = 2000 };
    struct loop live;

    loop_open(&live, 2);
    ck_assert(!nic_modelled(live.nic[0]));
    ck_assert_ptr_null(live.nic[0]->clock);
    ck_assert_int_eq(loop_send(live.nic[0], 1, &m), 0);
    loop_drain(live.nic[1]);
    ck_assert_uint_eq(live.catcher[1]->packets, 1);
    ck_assert_uint_eq(live.catcher[1]->packet.time, 0);
    loop_close(&live);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clock");
    TCase *arithmetic = tcase_create("arithmetic"), *hooks = tcase_create("hooks");

    tcase_add_test(arithmetic, charges_add_up);
    tcase_add_test(arithmetic, busy_resources);
    tcase_add_test(arithmetic, departures);
    tcase_add_test(arithmetic, begins_before_the_end);
    tcase_add_test(arithmetic, slower_is_never_sooner);
    tcase_add_test(arithmetic, lands_with_its_tail);
    tcase_add_test(arithmetic, first_bytes_of_rdma);
    tcase_add_test(arithmetic, writes_go_elsewhere);
    tcase_add_test(arithmetic, reads_take_turns);
    tcase_add_test(arithmetic, lines_of_the_bus);
    tcase_add_test(arithmetic, some_cost_nothing);
    tcase_add_test(arithmetic, some_hooks_cost_nothing);
    tcase_add_test(arithmetic, hops_take_time);
    tcase_add_test(arithmetic, serving_takes_the_processor);
    tcase_add_test(arithmetic, names);
    tcase_add_test(arithmetic, live_charges_nothing);
    suite_add_tcase(suite, arithmetic);
    tcase_add_checked_fixture(hooks, setup, teardown);
    tcase_add_test(hooks, head_and_key_share_a_line);
    tcase_add_test(hooks, no_short_ways);
    tcase_add_test(hooks, matching);
    tcase_add_test(hooks, rdma);
    suite_add_tcase(suite, hooks);
    return loop_run(suite);
}
