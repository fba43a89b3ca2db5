/* What is under way, and what makes the short ways impossible. */
#ifndef NIC_CORE_DEMAND_H
#define NIC_CORE_DEMAND_H

#include "core/nic.h"

/* Sets fast_path.slow_reasons anew after one of the things
 * that it sums up has changed.  Baton held. */
void nic_refresh_slow_reasons(struct nic *nic);

/* Work of the hardware's own: while the sum is above 0, it gets its turn. */
void nic_hw_busy(struct nic *nic, int change);

#endif
