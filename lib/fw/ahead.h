/* How far eager messages run ahead of their receives on the model clock (ahead.c). */
#ifndef FW_AHEAD_H
#define FW_AHEAD_H

#include "fw/packets.h"
#include "fw/state.h"

/* After the NIC has been attached.  0, or -ENOMEM. */
int mpi_fw_ahead_attach(struct fw *fw);
void mpi_fw_ahead_delete(struct fw *fw);

/* Sender.  Counts an eager message that is to leave, and holds its send if it is too far ahead: the
 * type of its packet. */
enum fw_packet mpi_fw_ahead_count(struct fw *fw, struct fw_req *send);
/* A send that is held is so no more, and is done if its message has left. */
void mpi_fw_ahead_release(struct fw *fw, struct fw_req *send);
/* The packet is cancelled before it has left for the peer. */
void mpi_fw_ahead_dropped(struct fw *fw, uint32_t peer, const struct nic_tx *packet);
void mpi_fw_matched_arrived(struct fw *fw, const struct nic_packet *p);

static inline bool fw_is_counted(unsigned type)
{
    return type == FW_PACKET_AHEAD || type == FW_PACKET_ASKS || type == FW_PACKET_TELLS;
}

/* Receiver.  One that is counted has come; false: nobody counts here. */
bool mpi_fw_ahead_arrived(struct fw *fw, const struct nic_packet *p);
/* It is matched; asks: its packet did. */
void mpi_fw_ahead_matched(struct fw *fw, uint32_t source, bool asks);

#endif
