/* The engine on the model clock: handles events, and says how far it is. */
#ifndef NIC_MODEL_ENGINE_H
#define NIC_MODEL_ENGINE_H

#include "model/state.h"

/* What a NIC_EVENT_CALL has for an object; `end` is the processor's time then. */
struct nic_model_call { void (*fn)(void *argument); void *argument; uint64_t end; bool done; };

/* An event of one's own; command: NULL if it has none.  crossing: how long the bus has had it. */
struct nic_event *nic_model_event_at(struct nic *nic, enum nic_event_kind kind, uint64_t time,
                                     const struct nic_command *command);
struct nic_event *nic_model_bus_event_at(struct nic *nic, enum nic_event_kind kind,
        uint64_t time, uint64_t crossing, const struct nic_command *command);

/* Governor's lock held: takes out of our ring what has come. */
void nic_model_collect(struct nic *nic);

/* A packet has come, which is an event from now on. */
void nic_model_arrives(struct nic *nic, struct nic_event *packet);

/* Publishes how far we are; `host`: what the host may still do
 * first, NIC_NEVER while it waits for an event. */
void nic_model_publish_bound(struct nic *nic, uint64_t host);
/* The same, and sleeps unless the first that is to be done is safe; the caller looks again. */
void nic_model_wait_until_safe(struct nic *nic, uint64_t host);
/* Handles one event, the least, if its time is at most `limit`.  False: all that there is up to
 * then has been handled.  wait: what the host waits for, or NULL. */
bool nic_model_handle_next(struct nic *nic, uint64_t limit, const struct nic_wait *wait);

/* There are more requests under way. */
void nic_model_activate(struct nic *nic);

#endif
