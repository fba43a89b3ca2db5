#include "base/cmdq.h"

void nic_cmdq_init(struct nic_cmdq *q)
{
    atomic_init(&q->tail, 0);
    atomic_init(&q->head, 0);
    for (uint64_t i = 0; i < NIC_CMDQ_CELLS; i++)
        atomic_init(&q->cell[i].sequence, i);
}

bool nic_cmdq_push(struct nic_cmdq *q, const struct nic_command *command)
{
    uint64_t pos = atomic_load_explicit(&q->tail, memory_order_relaxed);
    for (;;) {
        struct nic_cmdq_cell *c = &q->cell[pos % NIC_CMDQ_CELLS];
        /* C3, pairs with C2 */
        uint64_t seq = atomic_load_explicit(&c->sequence, memory_order_acquire);
        if (seq == pos) {
            if (atomic_compare_exchange_weak_explicit(&q->tail, &pos, pos + 1,
                                                      memory_order_relaxed, memory_order_relaxed)) {
                c->command = *command;
                /* C0, pairs with C1 */
                atomic_store_explicit(&c->sequence, pos + 1, memory_order_release);
                return true;
            }
        } else if ((int64_t)(seq - pos) < 0) {
            return false;
        } else {
            pos = atomic_load_explicit(&q->tail, memory_order_relaxed);
        }
    }
}

bool nic_cmdq_pop(struct nic_cmdq *q, struct nic_command *command)
{
    uint64_t pos = atomic_load_explicit(&q->head, memory_order_relaxed);
    struct nic_cmdq_cell *c = &q->cell[pos % NIC_CMDQ_CELLS];
    /* C1, pairs with C0 */
    if (atomic_load_explicit(&c->sequence, memory_order_acquire) != pos + 1)
        return false;
    *command = c->command;
    /* C2, pairs with C3 */
    atomic_store_explicit(&c->sequence, pos + NIC_CMDQ_CELLS, memory_order_release);
    atomic_store_explicit(&q->head, pos + 1, memory_order_relaxed);
    return true;
}
