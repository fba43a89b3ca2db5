/* What the engine tells who draws; see include/nicemu/trace.h. */
#ifndef NIC_MODEL_TRACER_H
#define NIC_MODEL_TRACER_H

#include "model/state.h"

/* From here on the host is at work, in no handler. */
void nic_trace_host(struct nic_model *model);
/* A handler begins; off_processor: beside the processor. */
void nic_trace_begin(struct nic_model *model, const struct nic_event *event, bool off_processor);
/* The event has been handled; its handler began at `start` and ends now. */
void nic_trace_handled(struct nic_model *model, const struct nic_event *event, uint64_t start);

#endif
