/* From a profile to what each thing costs on the model clock, in picoseconds per unit (bytes: per
 * 1024 of them), key by key. */
#include "time/costs.h"

#include <string.h>

#include "time/clock.h"

enum { NIC_PGAS_COPIED_LINE = 64 };     /* bytes to which pgas.line refers */

/* Who asks, and of what. */
struct asked {
    const struct nic_profile *p;
    nic_cost_part_fn *told;
    void *context;
};

static void part(const struct asked *a, enum nic_cost cost, const char *key, uint64_t price)
{
    a->told(a->context, cost, key, price);
}

#define PART(COST, section, key) \
    part(a, NIC_COST_##COST, #section "." #key, a->p->section.key)

/* On the host's processor, whoever runs the handlers. */
static void call_parts(const struct asked *a)
{
    PART(CALL, call, enter);
    PART(COMPLETION, call, completion);
    PART(LOOK, call, test);
    PART(TIME, call, wtime);
    PART(SEND_BEFORE, call, send_before);
    PART(SEND_AFTER, call, send_after);
    PART(RECV_BEFORE, call, recv_before);
    PART(RECV_AFTER, call, recv_after);
    PART(WAIT, call, wait);
    PART(PROBE, call, probe);
    PART(COLLECTIVE, call, collective);
    PART(COMMAND, call, command);
    PART(PIO_BYTE, bus, pio_byte);
    PART(PACK, call, pack_block);
    PART(PACK_BYTE, call, pack_byte);
    PART(HOST_ADD, host, add);
    PART(HOST_ADD_REAL, host, add_real);
    PART(CHANGE, node, change);
    PART(PGAS_ISSUE, pgas, issue);
    PART(PGAS_LINE, pgas, line);
    PART(PGAS_SPACE, pgas, space);
    PART(PGAS_WORD, pgas, word);
    part(a, NIC_COST_PGAS_COPY_BYTE, "pgas.line", a->p->pgas.line * 1024 / NIC_PGAS_COPIED_LINE);
}

/* Across the bus and back. */
static void crossing_parts(const struct asked *a)
{
    const struct nic_profile *p = a->p;
    PART(DOORBELL, bus, latency);
    part(a, NIC_COST_DOORBELL, "bus.byte", nic_profile_bytes(p->bus.byte, p->bus.command_bytes));
    PART(CROSSING, bus, latency);
    part(a, NIC_COST_CROSSING, "bus.byte", nic_profile_bytes(p->bus.byte, p->bus.completion_bytes));
    if (p->completion.kind == NIC_COMPLETION_INTERRUPT)
        PART(CROSSING, completion, interrupt);
    else
        PART(CROSSING, completion, poll);
}

/* What the host does for a NIC that runs the handlers. */
static void far_parts(const struct asked *a)
{
    const struct nic_profile *p = a->p;
    crossing_parts(a);
    if (p->completion.kind == NIC_COMPLETION_INTERRUPT)
        PART(COMPLETION, completion, handler);
    part(a, NIC_COST_COMMAND, "bus.pio_byte",
         nic_profile_bytes(p->bus.pio_byte, p->bus.command_bytes));
    part(a, NIC_COST_SEND_BEFORE, "call.send_trips", p->call.send_trips * 2 * p->bus.latency);
    part(a, NIC_COST_POSTED, "call.post_trips", p->call.post_trips * 2 * p->bus.latency);
    PART(WORD_READ, bus, read);
    part(a, NIC_COST_WORD_READ, "bus.read_byte",
         nic_profile_bytes(p->bus.read_byte, p->protocol.word));
    PART(WORD_WRITE, bus, write);
    part(a, NIC_COST_WORD_WRITE, "bus.write_byte",
         nic_profile_bytes(p->bus.write_byte, p->protocol.word));
}

/* A host that runs the handlers: nothing of its own crosses the bus, and it is interrupted for
 * packets, not for completions. */
static void near_parts(const struct asked *a)
{
    PART(SEND_BEFORE, call, system);
    PART(RECV_BEFORE, call, system);
    PART(INTERRUPT, completion, handler);
    PART(CHANGE_HANDLER, node, change);
    if (a->p->protocol.copies) {
        PART(BUFFER, host, copy);
        PART(BUFFER_BYTE, host, copy_byte);
    }
}

/* On the processor that runs the handlers. */
static void processor_parts(const struct asked *a, bool host)
{
    const struct nic_profile_processor *r = host ? &a->p->host : &a->p->nic;
#define OF(COST, key) part(a, NIC_COST_##COST, host ? "host." #key : "nic." #key, r->key)
    OF(DISPATCH, packet);
    OF(EXECUTE, command);
    OF(ADVANCE, advance);
    OF(COMPLETE, complete);
    OF(MATCH_ENTRY, entry_hit);
    OF(LIST_ENTRY, entry_hit);
    OF(LIST_MISS, entry_miss);
    OF(LIST_APPEND, append);
    OF(LIST_UNLINK, unlink);
    OF(CONTROL, control);
    OF(STEP, step);
    OF(SCHEDULE, schedule);
    OF(COPY, copy);
    OF(COPY_BYTE, copy_byte);
    OF(COPY_ODD, copy_odd);
    OF(UPDATE, update);
    OF(ADD, add);
    OF(ADD_REAL, add_real);
    OF(TRANSLATE, control);
    OF(QUEUE, append);
    OF(ATOMIC, control);
#undef OF
    PART(COUNTER, counter, local);
    PART(ALPU_COMMAND, alpu, write);
    PART(ALPU_RESULT, alpu, read);
    PART(ALPU_RESULT, alpu, result);
    part(a, NIC_COST_ALPU_CYCLE, "alpu.clock", UINT64_C(1000000000000) / a->p->alpu.clock);
}

/* Of the engines, the wire and a NIC that forwards. */
static void engine_parts(const struct asked *a)
{
    PART(FLOW_CHECK, flow, check);
    PART(FLOW_ANSWER, flow, answer);
    PART(FLOW_ANSWERED, flow, answered);
    PART(FORWARD_OUT, nic, command);
    PART(FORWARD_AGAIN, nic, advance);
    PART(FORWARD_IN, nic, packet);
    PART(FORWARD_TELL, nic, complete);
    PART(BUS_READ, bus, read);
    PART(BUS_READ_BYTE, bus, read_byte);
    PART(BUS_WRITE, bus, write);
    PART(BUS_WRITE_BYTE, bus, write_byte);
    PART(SEND, tx, start);
    PART(SEND_BYTE, tx, byte);
    PART(SEND_LINE, tx, line);
    PART(RECEIVE_LINE, rx, line);
    PART(RECEIVE, rx, start);
    PART(RECEIVE_BYTE, rx, byte);
    PART(WIRE_BYTE, link, byte);
    PART(HOP, link, latency);
    PART(LOOP, node, loop);
    PART(ROUTER, link, router);
    PART(PRESET, counter, preset);
    PART(RDMA_SETUP, rdma, setup);
    PART(RDMA, rdma, start);
    PART(RDMA_SHORT, rdma, short_byte);
    PART(RDMA_BYTE, rdma, byte);
    PART(RDMA_ODD, rdma, odd);
    PART(RDMA_READ, rdma, read);
    PART(NOTICE_LOCAL, counter, local);
    PART(NOTICE_REMOTE, counter, remote);
    PART(STORE_ISSUE, store, issue);
    PART(STORE_WAY, store, latency);
    PART(PGAS_UPDATE, pgas, update);
    PART(PGAS_COMMAND, pgas, command);
    PART(PGAS_BUS_BYTE, bus, byte);
    PART(PGAS_WIRE_BYTE, link, byte);
    PART(PGAS_OUT_BYTE, bus, write_byte);
    PART(PGAS_LATENCY, bus, latency);
    PART(RDMA_BLOCK, rdma, setup);
    PART(NOTIFICATION, counter, remote);
    PART(STORE, store, issue);
}

void nic_model_cost_parts(const struct nic_profile *p, bool host, nic_cost_part_fn *told,
                          void *context)
{
    const struct asked asked = { p, told, context }, *a = &asked;
    call_parts(a);
    processor_parts(a, host);
    if (host)
        near_parts(a);
    else
        far_parts(a);
    engine_parts(a);
}

void nic_model_crossing_parts(const struct nic_profile *p, nic_cost_part_fn *told, void *context)
{
    crossing_parts(&(struct asked){ p, told, context });
}

static void add(void *costs, enum nic_cost cost, const char *key, uint64_t price)
{
    uint64_t *sum = costs;
    (void)key;
    sum[cost] += price;
}

static void sum_up(const struct nic_profile *p, bool host, uint64_t *cost)
{
    memset(cost, 0, NIC_COST_COUNT * sizeof *cost);
    nic_model_cost_parts(p, host, add, cost);
    for (unsigned own = NIC_COST_OWN_HOST; own <= NIC_COST_OWN_LINK; own++)
        cost[own] = 1;
}

void nic_model_costs(const struct nic_profile *p, uint64_t *cost) { sum_up(p, false, cost); }
void nic_model_host_costs(const struct nic_profile *p, uint64_t *cost) { sum_up(p, true, cost); }
