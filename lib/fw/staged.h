/* Staged rendezvous: bytes in chunks.  The table is in protocol.h. */
#ifndef FW_STAGED_H
#define FW_STAGED_H

#include "fw/state.h"

void mpi_fw_data_arrived(struct fw *fw, const struct nic_packet *p);
void mpi_fw_credit_arrived(struct fw *fw, const struct nic_packet *p);
/* Those that lost ranks have come back: others' sends go on.  True: there were some. */
bool mpi_fw_credits_lose(struct fw *fw);
/* What the packet of a chunk held behind its first line is in the receive's buffer. */
void mpi_fw_chunk_landed(struct fw *fw, struct fw_req *recv);

#endif
