/* The NIC's loop. */
#ifndef NIC_CORE_STEP_H
#define NIC_CORE_STEP_H

#include "core/nic.h"

/* The commands that hosts have left in the ring; true: there was one. */
bool nic_execute_commands(struct nic *nic);
/* A turn for the requests under way: the hardware's, then the program's. */
bool nic_engine_advance(struct nic *nic);

#endif
