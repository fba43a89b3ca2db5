/* Rendezvous in which both ends copy: the table is in protocol.h. */
#ifndef FW_BOTH_ENDS_H
#define FW_BOTH_ENDS_H

#include "fw/state.h"

/* The sender's share is done. */
void mpi_fw_done_arrived(struct fw *fw, const struct nic_packet *p);

#endif
