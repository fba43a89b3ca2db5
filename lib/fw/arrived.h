/* A message that came before its receive meets it; and what lands where it shall stay. */
#ifndef FW_ARRIVED_H
#define FW_ARRIVED_H

#include "fw/state.h"

/* The message has left the unexpected queue for the receive. */
void mpi_fw_deliver_message(struct fw *fw, struct fw_unexpected *message, struct fw_req *recv);
/* What a handler gave to nic_receive_body has landed: a receive or a kept message. */
void mpi_fw_landed(struct fw *fw, struct fw_object *object);

#endif
