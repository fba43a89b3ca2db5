/* Cancelling a send whose envelope may have left. */
#ifndef FW_WITHDRAW_H
#define FW_WITHDRAW_H

#include "fw/state.h"

/* As mpi_fw_cancel, of a send that is not done. */
bool mpi_fw_cancel_send(struct fw *fw, struct fw_req *send);
void mpi_fw_withdraw_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_withdrawn_arrived(struct fw *fw, const struct nic_packet *p);

#endif
