/* Control messages of a rendezvous that is matched: CTS to the sender, FIN to the other side. */
#ifndef FW_RNDV_CONTROL_H
#define FW_RNDV_CONTROL_H

#include "fw/state.h"

/* Receiver: the send may go on, by the receive's protocol. */
void mpi_fw_send_cts(struct fw *fw, struct fw_req *recv);
void mpi_fw_cts_arrived(struct fw *fw, const struct nic_packet *p);

/* To the other side of a transfer: everything is where it belongs, or failed. */
void mpi_fw_send_fin(struct fw *fw, struct fw_req *req);
/* The same to a request of which there is none here; error: enum fw_error. */
void mpi_fw_send_fin_to(struct fw *fw, uint32_t peer, uint64_t request, uint64_t error);
void mpi_fw_fin_arrived(struct fw *fw, const struct nic_packet *p);

/* The send is complete, and its claim word free; one in the active queue finds that itself. */
void mpi_fw_finish_send(struct fw *fw, struct fw_req *send);

#endif
