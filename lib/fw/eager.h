/* Eager messages: the data travel with the envelope. */
#ifndef FW_EAGER_H
#define FW_EAGER_H

#include "fw/state.h"

/* Of a message of at most eager_max bytes. */
void mpi_fw_start_eager(struct fw *fw, struct fw_req *send);
void mpi_fw_eager_arrived(struct fw *fw, const struct nic_packet *p);

/* To the sender of a synchronous message, which is matched. */
void mpi_fw_acknowledge(struct fw *fw, const struct fw_origin *origin);
void mpi_fw_ack_arrived(struct fw *fw, const struct nic_packet *p);

#endif
