/* The inbox on the model clock, with the governor's lock held but for deliver. */
#ifndef NIC_MODEL_INBOX_H
#define NIC_MODEL_INBOX_H

#include "model/state.h"
#include "time/event.h"

/* Puts a packet into the peer's ring with a key in front of it. */
int nic_inbox_put(struct nic *nic, unsigned peer, const struct nic_tx *message,
                  const struct nic_event_key *key);
/* Of a longer packet than the ring takes, the next part; -EINPROGRESS: it is not the last. */
int nic_inbox_put_part(struct nic *nic, unsigned peer, const struct nic_tx *message,
                       const struct nic_event_key *key, uint32_t *done);
void nic_inbox_drop_partial(struct nic_model *model);
/* Takes one out; NULL: there is none. */
struct nic_event *nic_inbox_take(struct nic *nic);
/* What flow control has behind a packet's data. */
void nic_inbox_take_mark(struct nic *nic, struct nic_event *event);
/* Gives one to the program, or to the hardware's units. */
void nic_inbox_deliver(struct nic *nic, const struct nic_event *event);

#endif
