/* Rendezvous: the envelope goes first (RTS), the bytes follow once it is matched. */
#ifndef FW_RNDV_H
#define FW_RNDV_H

#include "fw/state.h"

void mpi_fw_start_rndv(struct fw *fw, struct fw_req *send);
/* One that would be eager if others did not fill the peer's inbox. */
void mpi_fw_start_short(struct fw *fw, struct fw_req *send);
void mpi_fw_rts_arrived(struct fw *fw, const struct nic_packet *p);
/* The receive takes the message that the RTS announced. */
void mpi_fw_rts_matched(struct fw *fw, const struct fw_rts *rts, uint64_t match,
                        struct fw_req *recv);

/* By enum fw_protocol_id. */
extern const struct fw_protocol *const mpi_fw_protocols[FW_PROTOCOL_COUNT];
const struct fw_protocol *mpi_fw_protocol_by_name(const char *name);    /* NULL: none */

#endif
