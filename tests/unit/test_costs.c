/* What things cost on the model clock: each key of a profile is
 * the price of what it names, and of nothing else. */
#include "profile/keys.h"
#include "time/costs.h"
#include "profile/parse.h"
#include "loop.h"
#include "model/state.h"

static struct nic_profile p;
static uint64_t cost[NIC_COST_COUNT];

struct price { enum nic_cost cost; const char *key; };

/* A number of its own for each key that has none from a list. */
static void set_up(enum nic_completion_kind completion)
{
    nic_profile_default(&p);
    for (unsigned i = 0; i < NIC_PROFILE_KEYS; i++)
        if (nic_profile_keys[i].kind == NIC_KEY_TIME || nic_profile_keys[i].kind == NIC_KEY_RATE)
            nic_profile_put(&p, &nic_profile_keys[i], 1000 + 13 * i);
    p.completion.kind = completion;
    p.bus.command_bytes = 100;
    p.bus.completion_bytes = 40;
}

static uint64_t value(const char *key)
{
    const struct nic_profile_key *k = nic_profile_find(key);
    if (!k)
        ck_abort_msg("there is no key %s", key);
    return nic_profile_value(&p, k);
}

static void expect(const struct price *price, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (cost[price[i].cost] != value(price[i].key))
            ck_abort_msg("%s is %lu, and costs %lu", price[i].key,
                         (unsigned long)value(price[i].key),
                         (unsigned long)cost[price[i].cost]);
}

#define EXPECT(list) expect(list, sizeof list / sizeof *list)

static const struct price calls[] = {
    { NIC_COST_CALL, "call.enter" }, { NIC_COST_LOOK, "call.test" },
    { NIC_COST_TIME, "call.wtime" },
    { NIC_COST_SEND_BEFORE, "call.send_before" }, { NIC_COST_SEND_AFTER, "call.send_after" },
    { NIC_COST_RECV_BEFORE, "call.recv_before" }, { NIC_COST_RECV_AFTER, "call.recv_after" },
    { NIC_COST_WAIT, "call.wait" },
    { NIC_COST_PROBE, "call.probe" }, { NIC_COST_COLLECTIVE, "call.collective" },
    { NIC_COST_HOST_ADD, "host.add" }, { NIC_COST_HOST_ADD_REAL, "host.add_real" },
    { NIC_COST_PACK, "call.pack_block" }, { NIC_COST_PACK_BYTE, "call.pack_byte" },
};

static const struct price engines[] = {
    { NIC_COST_PGAS_ISSUE, "pgas.issue" }, { NIC_COST_PGAS_LINE, "pgas.line" },
    { NIC_COST_PGAS_SPACE, "pgas.space" }, { NIC_COST_PGAS_UPDATE, "pgas.update" },
    { NIC_COST_PGAS_COMMAND, "pgas.command" }, { NIC_COST_PGAS_WORD, "pgas.word" },
    { NIC_COST_PGAS_BUS_BYTE, "bus.byte" }, { NIC_COST_PGAS_WIRE_BYTE, "link.byte" },
    { NIC_COST_PGAS_OUT_BYTE, "bus.write_byte" },
    { NIC_COST_FLOW_CHECK, "flow.check" }, { NIC_COST_FLOW_ANSWER, "flow.answer" },
    { NIC_COST_FLOW_ANSWERED, "flow.answered" },
    { NIC_COST_FORWARD_OUT, "nic.command" }, { NIC_COST_FORWARD_IN, "nic.packet" },
    { NIC_COST_FORWARD_TELL, "nic.complete" }, { NIC_COST_PIO_BYTE, "bus.pio_byte" },
    { NIC_COST_BUS_READ, "bus.read" }, { NIC_COST_BUS_READ_BYTE, "bus.read_byte" },
    { NIC_COST_BUS_WRITE, "bus.write" }, { NIC_COST_BUS_WRITE_BYTE, "bus.write_byte" },
    { NIC_COST_SEND, "tx.start" }, { NIC_COST_SEND_BYTE, "tx.byte" },
    { NIC_COST_SEND_LINE, "tx.line" },
    { NIC_COST_RECEIVE, "rx.start" }, { NIC_COST_RECEIVE_BYTE, "rx.byte" },
    { NIC_COST_RECEIVE_LINE, "rx.line" },
    { NIC_COST_WIRE_BYTE, "link.byte" }, { NIC_COST_HOP, "link.latency" },
    { NIC_COST_PRESET, "counter.preset" },
    { NIC_COST_RDMA_SETUP, "rdma.setup" }, { NIC_COST_RDMA, "rdma.start" },
    { NIC_COST_RDMA_SHORT, "rdma.short_byte" },
    { NIC_COST_RDMA_BYTE, "rdma.byte" }, { NIC_COST_RDMA_ODD, "rdma.odd" },
    { NIC_COST_RDMA_READ, "rdma.read" },
    { NIC_COST_NOTICE_LOCAL, "counter.local" }, { NIC_COST_NOTICE_REMOTE, "counter.remote" },
    { NIC_COST_STORE_ISSUE, "store.issue" }, { NIC_COST_STORE_WAY, "store.latency" },
    { NIC_COST_NOTIFICATION, "counter.remote" }, { NIC_COST_STORE, "store.issue" },
    { NIC_COST_COUNTER, "counter.local" },
    { NIC_COST_ALPU_COMMAND, "alpu.write" },
};

/* Of the processor that runs the handlers, whichever that is. */
static const struct { enum nic_cost cost; const char *name; } handlers[] = {
    { NIC_COST_DISPATCH, "packet" }, { NIC_COST_EXECUTE, "command" },
    { NIC_COST_ADVANCE, "advance" },
    { NIC_COST_COMPLETE, "complete" }, { NIC_COST_LIST_ENTRY, "entry_hit" },
    { NIC_COST_LIST_MISS, "entry_miss" },
    { NIC_COST_LIST_APPEND, "append" }, { NIC_COST_LIST_UNLINK, "unlink" },
    { NIC_COST_CONTROL, "control" },
    { NIC_COST_STEP, "step" }, { NIC_COST_COPY, "copy" }, { NIC_COST_COPY_BYTE, "copy_byte" },
    { NIC_COST_COPY_ODD, "copy_odd" }, { NIC_COST_UPDATE, "update" },
    { NIC_COST_ADD, "add" }, { NIC_COST_ADD_REAL, "add_real" },
};

static void expect_processor(const char *section)
{
    for (unsigned i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        char key[64];
        snprintf(key, sizeof key, "%s.%s", section, handlers[i].name);
        expect(&(struct price){ handlers[i].cost, key }, 1);
    }
}

static uint64_t crossing(unsigned bytes)
{
    return p.bus.latency + nic_profile_bytes(p.bus.byte, bytes);
}

START_TEST(polled)
{
    set_up(NIC_COMPLETION_POLLING);
    nic_model_costs(&p, cost);
    EXPECT(calls);
    EXPECT(engines);
    expect_processor("nic");
    ck_assert_uint_eq(cost[NIC_COST_COMPLETION], value("call.completion"));
    ck_assert_uint_eq(cost[NIC_COST_DOORBELL], crossing(100));
    ck_assert_uint_eq(cost[NIC_COST_COMMAND],
                      value("call.command") + nic_profile_bytes(p.bus.pio_byte, 100));
    ck_assert_uint_eq(cost[NIC_COST_CROSSING], crossing(40) + value("completion.poll"));
    ck_assert_uint_eq(cost[NIC_COST_ALPU_RESULT], value("alpu.read") + value("alpu.result"));
}
END_TEST

/* A round trip is two crossings; none is waited for where the host matches. */
START_TEST(trips)
{
    set_up(NIC_COMPLETION_POLLING);
    p.call.post_trips = 3;
    p.call.send_trips = 2;
    nic_model_costs(&p, cost);
    ck_assert_uint_eq(cost[NIC_COST_POSTED], 6 * p.bus.latency);
    ck_assert_uint_eq(cost[NIC_COST_SEND_BEFORE], value("call.send_before") + 4 * p.bus.latency);
    nic_model_host_costs(&p, cost);
    ck_assert_uint_eq(cost[NIC_COST_POSTED], 0);
}
END_TEST

START_TEST(interrupted)
{
    set_up(NIC_COMPLETION_INTERRUPT);
    nic_model_costs(&p, cost);
    ck_assert_uint_eq(cost[NIC_COST_COMPLETION],
                      value("call.completion") + value("completion.handler"));
    ck_assert_uint_eq(cost[NIC_COST_CROSSING], crossing(40) + value("completion.interrupt"));
}
END_TEST

/* Where the host runs them nothing of its own crosses the bus, and packets interrupt it. */
START_TEST(on_the_host)
{
    set_up(NIC_COMPLETION_INTERRUPT);
    nic_model_costs(&p, cost);
    nic_model_host_costs(&p, cost);
    expect_processor("host");
    ck_assert_uint_eq(cost[NIC_COST_SEND_BEFORE],
                      value("call.send_before") + value("call.system"));
    ck_assert_uint_eq(cost[NIC_COST_RECV_BEFORE],
                      value("call.recv_before") + value("call.system"));
    p.call.system = 0;
    nic_model_host_costs(&p, cost);
    EXPECT(calls);
    ck_assert_uint_eq(cost[NIC_COST_COMPLETION], value("call.completion"));
    ck_assert_uint_eq(cost[NIC_COST_INTERRUPT], value("completion.handler"));
    ck_assert_uint_eq(cost[NIC_COST_DOORBELL] + cost[NIC_COST_CROSSING], 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("costs");
    TCase *tcase = tcase_create("costs");

    tcase_add_test(tcase, polled);
    tcase_add_test(tcase, trips);
    tcase_add_test(tcase, interrupted);
    tcase_add_test(tcase, on_the_host);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
