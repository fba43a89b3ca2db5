/* What the engine of the model clock does with the lists of a NIC; see include/nicemu/list.h. */
#ifndef NIC_MODEL_LISTS_H
#define NIC_MODEL_LISTS_H

struct nic;
struct nic_model;

/* Fourth action of the NIC's loop: what waits goes into the units.  Inside a handler. */
void nic_timed_lists_update(struct nic *nic);
void nic_timed_lists_delete(struct nic_model *model);

#endif
