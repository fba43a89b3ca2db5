/* Claim bytes of sends that may be cancelled: whoever writes a send's byte first decides. */
#ifndef FW_CLAIMS_H
#define FW_CLAIMS_H

#include "fw/state.h"

uint32_t mpi_fw_claim_new(struct fw *fw, const struct fw_req *send);   /* 0: none */

/* The send's message is matched, or has not left. */
void mpi_fw_claim_end(struct fw *fw, struct fw_req *send);

/* A claim of this rank and the number of its byte; NULL: there is none such. */
struct fw_claim_area *mpi_fw_claim_find(struct fw_claims *claims, uint64_t claim, uint32_t *number);

/* Sender: it has a claim, and its peer looks at it. */
bool mpi_fw_claim_is_seen(struct fw *fw, const struct fw_req *send);

/* Sender: the message is its own again, and the byte is kept until the peer has answered; false:
 * the receiver was first. */
bool mpi_fw_claim_withdraw(struct fw *fw, uint32_t claim);

/* The peer has answered; false: that claim waits for no answer. */
bool mpi_fw_claim_answered(struct fw *fw, uint64_t claim);

/* Receiver: the message may be matched, and from now on belongs to the receive; false: its sender
 * has withdrawn it. */
bool mpi_fw_claim_take(struct fw *fw, uint32_t source, uint32_t claim);
bool mpi_fw_claim_is_withdrawn(struct fw *fw, uint32_t source, uint32_t claim);

void mpi_fw_claims_delete(struct fw *fw);

#endif
