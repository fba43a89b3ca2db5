/* Packets that found their peer's inbox full: per peer in order, sent by later turns. */
#ifndef NIC_REMOTE_BACKLOG_H
#define NIC_REMOTE_BACKLOG_H

#include "core/nic.h"

enum { NIC_BACKLOG_HEAD_MAX = 32 };

/* Of one peer.  `slot` is where its owner finds it: NULL there when nothing is left. */
struct nic_backlog {
    struct nic_backlog *next, **slot;
    unsigned peer;
    struct nic_kept_packet *first, **end;
};

/* Keeps a copy of the packet, behind those that *slot has; `list` gets the backlog if it is new.
 * head_bytes at most NIC_BACKLOG_HEAD_MAX.  Out of memory here would lose a packet: there is no one
 * to tell, and no way on, so the process ends.  True: it is the peer's first. */
bool nic_backlog_keep(struct nic_backlog **list, struct nic_backlog **slot, unsigned peer,
                      const struct nic_tx *message);

/* Sends what there is room for; *ended becomes how many backlogs
 * are gone.  Returns how many packets. */
unsigned nic_backlogs_send(struct nic *nic, struct nic_backlog **list, unsigned *ended);
void nic_backlogs_free(struct nic_backlog **list);

#endif
