/* Rendezvous with another machine, read by the wire itself. */
#ifndef FW_FAR_GET_H
#define FW_FAR_GET_H

#include "fw/packets.h"
#include "fw/state.h"

/* The NIC is open. */
void mpi_fw_far_attach(struct fw *fw);
/* Sender: the receiver may read the message until the send has ended, if the wire can, as the RTS
 * says. */
void mpi_fw_far_offer(struct fw *fw, struct fw_req *send, struct fw_rts *rts);
/* Receiver: by that, before it is begun. */
void mpi_fw_far_note(struct fw *fw, struct fw_req *recv, const struct fw_rts *rts);
/* Reads are under way into the receive's buffer, which therefore cannot end yet. */
bool mpi_fw_far_reads(const struct fw_req *recv);

#endif
