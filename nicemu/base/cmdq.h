/* The command ring: host threads that find the baton taken leave their commands here, whoever holds
 * the baton executes them in order.
 *
 * Many producers, one consumer; a cell's sequence says whose turn it is (C0/C1: cell filled; C2/C3:
 * cell emptied). */
#ifndef NIC_BASE_CMDQ_H
#define NIC_BASE_CMDQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nicemu.h"

enum { NIC_CMDQ_CELLS = 256 };

struct nic_cmdq_cell { _Atomic uint64_t sequence; struct nic_command command; };

struct nic_cmdq {
    _Alignas(64) _Atomic uint64_t tail;
    _Alignas(64) _Atomic uint64_t head;     /* written by the consumer */
    struct nic_cmdq_cell cell[NIC_CMDQ_CELLS];
};

void nic_cmdq_init(struct nic_cmdq *q);

/* Multiple producers.  False: full. */
bool nic_cmdq_push(struct nic_cmdq *q, const struct nic_command *command);

/* Single consumer.  False: empty. */
bool nic_cmdq_pop(struct nic_cmdq *q, struct nic_command *command);

/* A command has been pushed, or is being pushed. */
static inline bool nic_cmdq_pending(const struct nic_cmdq *q)
{
    return atomic_load_explicit(&q->tail, memory_order_relaxed) != atomic_load_explicit(&q->head,
            memory_order_relaxed);
}

#endif
