/* Sleeping where the doorbell and the wire both wake. */
#ifndef NIC_WIRE_WATCH_H
#define NIC_WIRE_WATCH_H

#include "wire/state.h"

void nic_wire_watch_open(struct nic *nic);
void nic_wire_watch_close(struct nic *nic);
/* As struct nic_link_ops. */
enum nic_arming nic_wire_arm(struct nic *nic);
/* Whether nothing rings for what comes over the wire, although something could. */
static inline bool nic_wire_unwatched(const struct nic_wires *w)
{
    return w->watch.started && !atomic_load(&w->watch.armed);
}
static inline bool nic_wire_watched(const struct nic_wires *w)
{
    return w->watch.started && atomic_load(&w->watch.armed);
}

#endif
