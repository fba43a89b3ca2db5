/* What the files of the model clock's engine share: model/host.c and model/send.c put events into the heap and have model/engine.c handle them. */
#ifndef NIC_MODEL_INSIDE_H
#define NIC_MODEL_INSIDE_H

#include "model/state.h"

static inline uint64_t *nic_model_host(struct nic_model *m) { return &m->clock.free_at[NIC_RES_HOST]; }
/* What a NIC_EVENT_CALL has for an object; `end` is the processor's time then. */
struct nic_model_call { void (*fn)(void *argument); void *argument; uint64_t end; bool done; };

/* -- model/engine.c */

/* An event of one's own; command: NULL if it has none.  crossing: how long the bus has had it. */
struct nic_event *nic_model_event_at(struct nic *nic, enum nic_event_kind kind, uint64_t time, const struct nic_command *command);
struct nic_event *nic_model_crossing_event_at(struct nic *nic, enum nic_event_kind kind, uint64_t time, uint64_t crossing, const struct nic_command *command);

/* Governor's lock held: takes out of our ring what has come. */
void nic_model_collect(struct nic *nic);
/* Publishes how far we are; `host`: what the host may still do first, NIC_NEVER while it waits for an event. */
void nic_model_tell(struct nic *nic, uint64_t host);
/* The same, and sleeps unless the first that is to be done is safe; the caller looks again. */
void nic_model_settle(struct nic *nic, uint64_t host);
/* Handles one event, the least, if its time is at most `limit`.  False: all that there is up to then has been handled.  wait: what
 * the host waits for, or NULL. */
bool nic_model_turn(struct nic *nic, uint64_t limit, const struct nic_wait *wait);

/* -- model/host.c */

/* Charges this visit of the host, once. */
void nic_model_visit(struct nic_model *model);
/* What the host takes from here on is measured, where that is wanted. */
void nic_model_measure_again(struct nic_model *model);

#endif
