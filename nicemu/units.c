/* The hardware's own units, bound to the engine. */
#include "units.h"

#include "offload/pgas.h"
#include "remote/packets.h"

static bool advance(struct nic *n)
{
    bool moved = n->hw_busy && nic_remote_advance(n);
    if (n->pgas)
        moved |= nic_pgas_advance(n);
    return moved;
}

static const struct nic_units units = { .packet = nic_hw_deliver, .advance = advance, .pending = nic_pgas_pending };

int nic_units_open(struct nic *n)
{
    n->units = &units;
    return nic_remote_open(n);
}
