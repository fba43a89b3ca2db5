/* Operations queued on counters of nicemu: what a NIC does by itself when a count reaches zero.
 *
 * A chain of operations belongs to a counter.  Each time the counter fires its owner's NIC executes
 * the chain once, in order, whoever took it to zero and wherever the hosts are: while a NIC has
 * such counters its thread serves when the host is away. Operations are started, not waited for:
 * one that must come after the end of another belongs on a counter which that other counts.  Chains
 * of several counters run one after the other, in the order in which the counters fired; one that
 * finds a hardware queue full waits for room and holds up no other.  A chain may fire further
 * counters, its own too: that is a program for the NIC, and a ring of such counters runs for ever.
 *
 * All functions need the baton. */
#ifndef NICEMU_TRIGGER_H
#define NICEMU_TRIGGER_H

#include "atomic.h"
#include "counter.h"
#include "queue.h"
#include "remote.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum nic_operation_kind {
    NIC_OPERATION_PUT,          /* transfer */
    NIC_OPERATION_GET,          /* transfer */
    NIC_OPERATION_STORE,        /* store: nic_store */
    NIC_OPERATION_WRITE,        /* message: nic_message_write to the place */
    NIC_OPERATION_MESSAGE,      /* message: nic_message_send; place is not looked at */
    NIC_OPERATION_QUEUE,        /* message: nic_queue_send to the queue at the place */
    NIC_OPERATION_ATOMIC,       /* atomic */
    NIC_OPERATION_ADD,          /* add: nic_counter_add */
    /* add: nic_counter_expect of `amount` on a counter of one's own; rank is not looked at */
    NIC_OPERATION_EXPECT,
    NIC_OPERATION_CALL,         /* cookie: the program's handler `counter` */
    NIC_OPERATION_KINDS,
};

struct nic_operation {
    enum nic_operation_kind kind;
    union {
        struct nic_transfer transfer;       /* lists of blocks and the memory stay the caller's */
        struct nic_atomic atomic;
        struct { uint32_t rank; unsigned bytes; uint64_t offset, value; } store;
        struct { uint32_t rank; unsigned count; uint64_t place, word[NIC_WORDS_MAX]; } message;
        struct { uint32_t rank; uint64_t counter, amount; } add;
        void *cookie;
    };
};

enum { NIC_CHAIN_MAX = 1024 };

/* Sets the chain of a counter of one's own, in place of the one that it had; no operations: none.
 * The operations are copied.  A chain that is being executed is broken off.  -EINVAL: no counter, a
 * kind that does not exist, a call for a program without the handler; -E2BIG: more than
 * NIC_CHAIN_MAX; -ENOMEM. */
int nic_counter_trigger(struct nic *nic, uint64_t counter, const struct nic_operation *operations,
                        unsigned count);

/* Operations of chains that could not be started or ended in an
 * error, so far.  The chain goes on behind them. */
uint64_t nic_trigger_failures(const struct nic *nic);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
