/* What a rank promises the others: no packet that it has not sent yet arrives before. */
#ifndef NIC_MODEL_PROMISE_H
#define NIC_MODEL_PROMISE_H

#include "model/state.h"

/* From the job's profile, who runs the handlers, and what the program promises: how soon things can
 * lead to a packet.  Before the rank's first promise, and again when that changes. */
void nic_model_reckon(struct nic *nic);
/* The least time at which a packet of ours may arrive at another rank, from what is in the heap and
 * the host, which goes on then (NIC_NEVER: it waits for an event). */
uint64_t nic_model_promise(const struct nic *nic, uint64_t host);
/* A packet has been taken out of the ring: what it leads to comes no sooner than its reaction. */
void nic_model_promise_less(struct nic_model *model, const struct nic_event *event);
/* Ends the process if a packet that is sent to another rank breaks the promise: others may have
 * gone past its time. */
void nic_model_keep_promise(const struct nic *nic, uint64_t arrival);

#endif
