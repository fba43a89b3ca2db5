/* The NIC's side of the command queues: what the engine calls.  Baton held. */
#ifndef NIC_OFFLOAD_PGAS_H
#define NIC_OFFLOAD_PGAS_H

#include <stdbool.h>

struct nic;

/* One turn for all queues of this NIC; true: something moved. */
bool nic_pgas_advance(struct nic *nic);

/* Something is written that the NIC has not consumed. */
bool nic_pgas_pending(const struct nic *nic);

/* Frees what the program has left open. */
void nic_pgas_delete(struct nic *nic);

#endif
