/* Long eager messages from other machines that no receive has asked for.  They are held here, and
 * so that they do not fill this machine's memory, a sender that has sent many of them is told to
 * ask first, by rendezvous, until most of them are gone.  Short ones are not counted, here as
 * within a machine.
 *
 * What has left before the sender hears of it is bounded by the wire, and by FW_HELD_MOST of what
 * waits for the wire at the sender: the order of messages does not allow that to turn back. */
#ifndef FW_HELD_H
#define FW_HELD_H

#include "fw/state.h"

/* From an unexpected message's coming to its going; its source is that of the packet in hand. */
void mpi_fw_held_add(struct fw *fw, struct fw_unexpected *message);
void mpi_fw_held_remove(struct fw *fw, struct fw_unexpected *message);
/* A peer says that it holds too much of ours, or no longer. */
void mpi_fw_hold_arrived(struct fw *fw, const struct nic_packet *packet);
void mpi_fw_held_delete(struct fw *fw);

/* Long messages to that peer are to ask first. */
static inline bool fw_asks_first(const struct fw *fw, uint32_t peer)
{
    return fw->sendq_bytes > FW_HELD_MOST || (fw->held && fw->held[peer].asks);
}

#endif
