/* What the engine tells who draws; see include/nicemu/trace.h. */
#ifndef NIC_MODEL_TRACER_H
#define NIC_MODEL_TRACER_H

#include "model/state.h"

/* The event has been handled; its handler began at `start` and ends now. */
void nic_trace_handled(struct nic_model *model, const struct nic_event *event, uint64_t start);

#endif
