/* Looking after ranks on other machines that are waited for: see nicemu/machines.h. */
#ifndef NIC_WIRE_PATROL_H
#define NIC_WIRE_PATROL_H

#include "wire/state.h"

/* From time to time, and after a loss: calls the program's patrol; true: that ended something. */
bool nic_wire_patrol(struct nic *nic);

#endif
