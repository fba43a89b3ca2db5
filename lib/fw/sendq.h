/* What the firmware sends: in order per peer, nothing is lost. */
#ifndef FW_SENDQ_H
#define FW_SENDQ_H

#include "fw/state.h"

/* Sends at once, or as soon as the peer has room; `carries` is completed, or marked as gone, when
 * the message has left.  `service`: the NIC's own thread may have to go on with it.  What it
 * returns waits for room, and may be marked dead as long as it does; NULL: the message has left. */
struct fw_pending *mpi_fw_post(struct fw *fw, uint32_t peer, const struct nic_tx *message,
                               bool service, struct fw_req *carries);
struct fw_pending *mpi_fw_post_control(struct fw *fw, uint32_t peer, enum fw_packet type,
                                       uint64_t match, const void *head, size_t head_bytes);

/* What mpi_fw_post returned for the envelope of a send: as long as it waits, the send can be
 * cancelled here. */
void mpi_fw_envelope_waits(struct fw_req *send, struct fw_pending *pending);

/* The message of a send has left: the buffer is the host's again. */
void mpi_fw_message_left(struct fw *fw, struct fw_req *send);

/* Something waits for room in that peer's inbox. */
static inline bool fw_is_blocked(const struct fw *fw, uint32_t peer)
{
    return fw->sendq && fw->backlog[peer].first;
}
/* Tries again; true: something left.  The queue is not empty. */
bool mpi_fw_advance_sendq(struct fw *fw);
/* What waits for ranks that are lost is dropped; true: there was some. */
bool mpi_fw_drop_backlogs(struct fw *fw);
void mpi_fw_sendq_delete(struct fw *fw);

#endif
