/* From a profile to what each thing costs on the model clock, in picoseconds per unit (bytes: per
 * 1024 of them). */
#include "time/costs.h"

#include <string.h>

#include "time/clock.h"

enum { NIC_PGAS_COPIED_LINE = 64 };     /* bytes to which pgas.line refers */

/* On the host's processor, and on the way to the NIC and back. */
static void host_costs(const struct nic_profile *p, uint64_t *cost)
{
    bool interrupt = p->completion.kind == NIC_COMPLETION_INTERRUPT;
    cost[NIC_COST_CALL] = p->call.enter;
    cost[NIC_COST_COMPLETION] = p->call.completion + (interrupt ? p->completion.handler : 0);
    cost[NIC_COST_LOOK] = p->call.test;
    cost[NIC_COST_TIME] = p->call.wtime;
    cost[NIC_COST_SEND_BEFORE] = p->call.send_before;
    cost[NIC_COST_SEND_AFTER] = p->call.send_after;
    cost[NIC_COST_RECV_BEFORE] = p->call.recv_before;
    cost[NIC_COST_RECV_AFTER] = p->call.recv_after;
    cost[NIC_COST_WAIT] = p->call.wait;
    cost[NIC_COST_PROBE] = p->call.probe;
    cost[NIC_COST_COLLECTIVE] = p->call.collective;
    cost[NIC_COST_COMMAND] = p->call.command + nic_profile_bytes(p->bus.pio_byte,
                                                                 p->bus.command_bytes);
    cost[NIC_COST_PIO_BYTE] = p->bus.pio_byte;
    cost[NIC_COST_SEND_BEFORE] += p->call.send_trips * 2 * p->bus.latency;
    cost[NIC_COST_POSTED] = p->call.post_trips * 2 * p->bus.latency;
    cost[NIC_COST_PACK] = p->call.pack_block;
    cost[NIC_COST_PACK_BYTE] = p->call.pack_byte;
    cost[NIC_COST_PGAS_ISSUE] = p->pgas.issue;
    cost[NIC_COST_PGAS_LINE] = p->pgas.line;
    cost[NIC_COST_PGAS_SPACE] = p->pgas.space;
    cost[NIC_COST_PGAS_WORD] = p->pgas.word;
    cost[NIC_COST_PGAS_COPY_BYTE] = p->pgas.line * 1024 / NIC_PGAS_COPIED_LINE;
    cost[NIC_COST_HOST_ADD] = p->host.add;
    cost[NIC_COST_HOST_ADD_REAL] = p->host.add_real;
    cost[NIC_COST_DOORBELL] = p->bus.latency + nic_profile_bytes(p->bus.byte, p->bus.command_bytes);
    cost[NIC_COST_CROSSING] = p->bus.latency + nic_profile_bytes(p->bus.byte,
                                                                 p->bus.completion_bytes)
                              + (interrupt ? p->completion.interrupt : p->completion.poll);
}

/* Where the host runs the handlers nothing of its own crosses the bus, and it is interrupted for
 * packets, not for completions. */
void nic_model_host_costs(const struct nic_profile *p, uint64_t *cost)
{
    nic_model_processor_costs(p, &p->host, cost);
    cost[NIC_COST_SEND_BEFORE] = p->call.send_before + p->call.system;
    cost[NIC_COST_RECV_BEFORE] = p->call.recv_before + p->call.system;
    cost[NIC_COST_POSTED] = 0;
    cost[NIC_COST_COMPLETION] = p->call.completion;
    cost[NIC_COST_COMMAND] = p->call.command;
    cost[NIC_COST_DOORBELL] = cost[NIC_COST_CROSSING] = 0;
    cost[NIC_COST_INTERRUPT] = p->completion.handler;
    cost[NIC_COST_WORD_READ] = cost[NIC_COST_WORD_WRITE] = 0;
    if (p->protocol.copies) {
        cost[NIC_COST_BUFFER] = p->host.copy;
        cost[NIC_COST_BUFFER_BYTE] = p->host.copy_byte;
    }
}

/* On the processor that runs the handlers. */
void nic_model_processor_costs(const struct nic_profile *p, const struct nic_profile_processor *r,
                               uint64_t *cost)
{
    cost[NIC_COST_DISPATCH] = r->packet;
    cost[NIC_COST_EXECUTE] = r->command;
    cost[NIC_COST_ADVANCE] = r->advance;
    cost[NIC_COST_COMPLETE] = r->complete;
    cost[NIC_COST_MATCH_ENTRY] = r->entry_hit;
    cost[NIC_COST_LIST_ENTRY] = r->entry_hit;
    cost[NIC_COST_LIST_MISS] = r->entry_miss;
    cost[NIC_COST_LIST_APPEND] = r->append;
    cost[NIC_COST_LIST_UNLINK] = r->unlink;
    cost[NIC_COST_CONTROL] = r->control;
    cost[NIC_COST_STEP] = r->step;
    cost[NIC_COST_SCHEDULE] = r->schedule;
    cost[NIC_COST_COPY] = r->copy;
    cost[NIC_COST_COPY_BYTE] = r->copy_byte;
    cost[NIC_COST_COPY_ODD] = r->copy_odd;
    cost[NIC_COST_UPDATE] = r->update;
    cost[NIC_COST_ADD] = r->add;
    cost[NIC_COST_ADD_REAL] = r->add_real;
    cost[NIC_COST_TRANSLATE] = r->control;
    cost[NIC_COST_QUEUE] = r->append;
    cost[NIC_COST_ATOMIC] = r->control;
    cost[NIC_COST_COUNTER] = p->counter.local;
    cost[NIC_COST_ALPU_COMMAND] = p->alpu.write;
    cost[NIC_COST_ALPU_RESULT] = p->alpu.read + p->alpu.result;
    cost[NIC_COST_ALPU_CYCLE] = UINT64_C(1000000000000) / p->alpu.clock;
}

/* Of the engines and the wire. */
static void engine_costs(const struct nic_profile *p, uint64_t *cost)
{
    cost[NIC_COST_FLOW_CHECK] = p->flow.check;
    cost[NIC_COST_FLOW_ANSWER] = p->flow.answer;
    cost[NIC_COST_FLOW_ANSWERED] = p->flow.answered;
    cost[NIC_COST_FORWARD_OUT] = p->nic.command;
    cost[NIC_COST_FORWARD_AGAIN] = p->nic.advance;
    cost[NIC_COST_FORWARD_IN] = p->nic.packet;
    cost[NIC_COST_FORWARD_TELL] = p->nic.complete;
    cost[NIC_COST_BUS_READ] = p->bus.read;
    cost[NIC_COST_BUS_READ_BYTE] = p->bus.read_byte;
    cost[NIC_COST_BUS_WRITE] = p->bus.write;
    cost[NIC_COST_BUS_WRITE_BYTE] = p->bus.write_byte;
    cost[NIC_COST_WORD_READ] = p->bus.read + nic_profile_bytes(p->bus.read_byte, p->protocol.word);
    cost[NIC_COST_WORD_WRITE] = p->bus.write + nic_profile_bytes(p->bus.write_byte,
                                                                 p->protocol.word);
    cost[NIC_COST_SEND] = p->tx.start;
    cost[NIC_COST_SEND_BYTE] = p->tx.byte;
    cost[NIC_COST_SEND_LINE] = p->tx.line;
    cost[NIC_COST_RECEIVE_LINE] = p->rx.line;
    cost[NIC_COST_RECEIVE] = p->rx.start;
    cost[NIC_COST_RECEIVE_BYTE] = p->rx.byte;
    cost[NIC_COST_WIRE_BYTE] = p->link.byte;
    cost[NIC_COST_HOP] = p->link.latency;
    cost[NIC_COST_PRESET] = p->counter.preset;
    cost[NIC_COST_RDMA_SETUP] = p->rdma.setup;
    cost[NIC_COST_RDMA] = p->rdma.start;
    cost[NIC_COST_RDMA_SHORT] = p->rdma.short_byte;
    cost[NIC_COST_RDMA_BYTE] = p->rdma.byte;
    cost[NIC_COST_RDMA_ODD] = p->rdma.odd;
    cost[NIC_COST_RDMA_READ] = p->rdma.read;
    cost[NIC_COST_NOTICE_LOCAL] = p->counter.local;
    cost[NIC_COST_NOTICE_REMOTE] = p->counter.remote;
    cost[NIC_COST_STORE_ISSUE] = p->store.issue;
    cost[NIC_COST_STORE_WAY] = p->store.latency;
    cost[NIC_COST_PGAS_UPDATE] = p->pgas.update;
    cost[NIC_COST_PGAS_COMMAND] = p->pgas.command;
    cost[NIC_COST_PGAS_BUS_BYTE] = p->bus.byte;
    cost[NIC_COST_PGAS_WIRE_BYTE] = p->link.byte;
    cost[NIC_COST_PGAS_OUT_BYTE] = p->bus.write_byte;
    cost[NIC_COST_RDMA_BLOCK] = p->rdma.setup;
    cost[NIC_COST_NOTIFICATION] = p->counter.remote;
    cost[NIC_COST_STORE] = p->store.issue;
}

void nic_model_costs(const struct nic_profile *p, uint64_t *cost)
{
    memset(cost, 0, NIC_COST_COUNT * sizeof *cost);
    host_costs(p, cost);
    nic_model_processor_costs(p, &p->nic, cost);
    engine_costs(p, cost);
    for (unsigned own = NIC_COST_OWN_HOST; own <= NIC_COST_OWN_LINK; own++)
        cost[own] = 1;
}
