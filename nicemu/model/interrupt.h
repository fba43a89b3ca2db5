/* A host that runs the handlers, and what interrupts it (completion.kind). */
#ifndef NIC_MODEL_INTERRUPT_H
#define NIC_MODEL_INTERRUPT_H

#include "model/state.h"

/* It is the host that takes in what this event brings. */
bool nic_model_is_for_host(const struct nic_event *event);
/* What the host handles: whether it is interrupted for that. */
bool nic_model_is_interrupted(const struct nic_model *model, const struct nic_event *event);
/* While the host computes.  True: the event interrupts nobody, and has been put aside. */
bool nic_model_defer(struct nic_model *model, struct nic_event *event);
/* The first of those, as an event of that time; NULL: there is none. */
struct nic_event *nic_model_take_deferred(struct nic_model *model, uint64_t time);

#endif
