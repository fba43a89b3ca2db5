/* Claim words: one per transfer in which either end may copy, in the sender's scratchpad.  A word
 * is named by its index + 1 in units of 64 bytes from the start of the scratchpad, 0: none.  Its
 * upper half counts the transfers that it was used for, its lower half the claims in the present
 * one, so that an end which has come too late changes nothing. */
#ifndef FW_CLAIM_WORD_H
#define FW_CLAIM_WORD_H

#include "fw/state.h"

enum { FW_CLAIM_WORD_BYTES = 64 };

/* 0: there is no word free. */
uint16_t mpi_fw_claim_word_new(struct fw *fw);
void mpi_fw_claim_word_free(struct fw *fw, uint16_t name);

/* The word in the scratchpad of `owner`; NULL: there cannot be one (another rank's word for it is
 * never trusted unchecked). */
static inline _Atomic uint64_t *fw_claim_word(const struct fw *fw, uint32_t owner, uint16_t name)
{
    uint64_t offset = (uint64_t)(name - 1) * FW_CLAIM_WORD_BYTES;
    return nic_spad_at(fw->nic, owner, offset, FW_CLAIM_WORD_BYTES);
}

/* Claims made so far. */
static inline uint32_t fw_claims_made(uint64_t word) { return (uint32_t)word; }

/* The word of a transfer in which nobody has claimed anything, from any value in it. */
static inline uint64_t fw_claim_word_unclaimed(uint64_t word) { return word >> 32 << 32; }

/* One end alone does the whole transfer, of which that is the word as nobody has claimed anything:
 * true, it is this one.  Relaxed: who has it is all that the word says; what is copied is published
 * by packets. */
static inline bool fw_claim_all(_Atomic uint64_t *word, uint64_t unclaimed)
{
    return atomic_compare_exchange_strong_explicit(word, &unclaimed, unclaimed + 1,
                                                   memory_order_relaxed, memory_order_relaxed);
}

#endif
