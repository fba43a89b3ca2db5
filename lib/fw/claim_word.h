/* Claim words: one per transfer in which both ends copy, in the sender's scratchpad.  A word is
 * named by its index + 1 in units of 64 bytes from the start of the scratchpad, 0: none. */
#ifndef FW_CLAIM_WORD_H
#define FW_CLAIM_WORD_H

#include "fw/state.h"

enum { FW_CLAIM_WORD_BYTES = 64 };

/* For a message that both ends may copy; 0: there is no word free, the receiver pulls alone. */
uint16_t mpi_fw_claim_word_new(struct fw *fw);
void mpi_fw_claim_word_free(struct fw *fw, uint16_t name);

/* The word in the scratchpad of `owner`; NULL: there cannot be one (another rank's word for it is
 * never trusted unchecked). */
static inline _Atomic uint64_t *fw_claim_word(const struct fw *fw, uint32_t owner, uint16_t name)
{
    uint64_t offset = (uint64_t)(name - 1) * FW_CLAIM_WORD_BYTES;
    return nic_spad_at(fw->nic, owner, offset, FW_CLAIM_WORD_BYTES);
}

#endif
