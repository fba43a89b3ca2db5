/* What is under way, and what makes the short ways impossible. */
#include "core/demand.h"

#include "core/baton.h"

void nic_refresh_slow_reasons(struct nic *n)
{
    enum { MODEL = NIC_SLOW_SHARED | NIC_SLOW_FENCE | NIC_SLOW_LEAVE | NIC_SLOW_MOVE
           | NIC_SLOW_MODEL };
    uint32_t slow_reasons = (n->shared ? NIC_SLOW_SHARED : 0) | (n->asymmetric ? 0
            : NIC_SLOW_FENCE) | (n->service > 0 ? NIC_SLOW_LEAVE : 0)
                       | (n->active > 0 || n->pgas || n->held || !n->inbox_link ? NIC_SLOW_MOVE
                          : 0);
    __atomic_store_n(&n->fast_path.slow_reasons, n->model ? MODEL : slow_reasons, __ATOMIC_RELAXED);
}

void nic_hold_polling(struct nic *n, int change)
{
    nic_baton_check(n);
    n->active += change;
    if (unlikely(n->model != NULL) && change > 0)
        n->model_ops->activate(n);
    nic_refresh_slow_reasons(n);
}

void nic_hold_service(struct nic *n, int change)
{
    nic_baton_check(n);
    n->service += change;
    nic_refresh_slow_reasons(n);
}

void nic_hw_busy(struct nic *n, int change)
{
    n->hw_busy += change;
    nic_hold_polling(n, change);
    nic_hold_service(n, change);
}
