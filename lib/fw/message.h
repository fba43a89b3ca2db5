/* Unexpected messages: kept from their arrival until a receive has taken them. */
#ifndef FW_MESSAGE_H
#define FW_MESSAGE_H

#include "fw/state.h"

/* The packet becomes a message at the end of the unexpected queue. */
void mpi_fw_message_keep(struct fw *fw, const struct nic_packet *p, uint8_t type);
/* The same with data that have been read already, in memory of their own, which the message has
 * from now on. */
void mpi_fw_message_read(struct fw *fw, uint64_t match, void *data, size_t bytes);
/* Nobody needs it any more; nothing for one that is free. */
void mpi_fw_message_free(struct fw *fw, struct fw_unexpected *message);
/* Out of the queue already: its sender has withdrawn it. */
void mpi_fw_message_drop(struct fw *fw, struct fw_unexpected *message);

#endif
