/* What is under way, and what makes the short ways impossible. */
#include "core/demand.h"

#include "core/baton.h"

void nic_refresh_careful(struct nic *n)
{
    enum { MODEL = NIC_CAREFUL_SHARED | NIC_CAREFUL_FENCE | NIC_CAREFUL_LEAVE | NIC_CAREFUL_MOVE
           | NIC_CAREFUL_MODEL };
    uint32_t careful = (n->shared ? NIC_CAREFUL_SHARED : 0) | (n->asymmetric ? 0
            : NIC_CAREFUL_FENCE) | (n->service > 0 ? NIC_CAREFUL_LEAVE : 0)
                       | (n->active > 0 || n->pgas || n->held || !n->inbox_link ? NIC_CAREFUL_MOVE
                          : 0);
    __atomic_store_n(&n->front.careful, n->model ? MODEL : careful, __ATOMIC_RELAXED);
}

void nic_active(struct nic *n, int change)
{
    nic_baton_check(n);
    n->active += change;
    if (unlikely(n->model != NULL) && change > 0)
        n->model_ops->activate(n);
    nic_refresh_careful(n);
}

void nic_service(struct nic *n, int change)
{
    nic_baton_check(n);
    n->service += change;
    nic_refresh_careful(n);
}

void nic_hw_busy(struct nic *n, int change)
{
    n->hw_busy += change;
    nic_active(n, change);
    nic_service(n, change);
}
