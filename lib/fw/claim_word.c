#include "fw/claim_word.h"

#include "fw/tuning.h"

enum { WORD_BYTES = FW_CLAIM_WORD_BYTES };

/* All that an RTS can name, in units of words. */
static bool nameable(uint64_t area) { return area / WORD_BYTES + FW_CLAIM_WORDS <= UINT16_MAX; }

/* As many as there is room for in their share of the scratchpad. */
static void find_words(struct fw *fw)
{
    size_t share = nic_spad_size(fw->nic) / FW_CLAIM_WORDS_SHARE / WORD_BYTES;
    unsigned n = share < FW_CLAIM_WORDS ? (unsigned)share : FW_CLAIM_WORDS;
    uint64_t area = NIC_SPAD_NONE;
    fw->claim_words_free = fw->claim_words_all = 0;
    for (; n && area == NIC_SPAD_NONE; n /= 2) {
        area = nic_spad_alloc(fw->nic, NIC_SPAD_CLAIMS, n * WORD_BYTES, WORD_BYTES);
        fw->claim_words_all = UINT64_MAX >> (64 - n);
    }
    if (area != NIC_SPAD_NONE && !nameable(area)) {
        nic_spad_free(fw->nic, area);
        area = NIC_SPAD_NONE;
    }
    if (area == NIC_SPAD_NONE)
        fw->claim_words_all = 0;
    fw->claim_word_area = area;
    fw->claim_words_free = fw->claim_words_all;
}

uint16_t mpi_fw_claim_word_new(struct fw *fw)
{
    if (fw->claim_word_area == NIC_SPAD_NONE)
        find_words(fw);
    if (!fw->claim_words_free)
        return 0;
    unsigned i = (unsigned)__builtin_ctzll(fw->claim_words_free);
    uint16_t name = (uint16_t)(fw->claim_word_area / WORD_BYTES + i + 1);
    fw->claim_words_free &= ~(UINT64_C(1) << i);
    _Atomic uint64_t *word = fw_claim_word(fw, fw->rank, name);
    /* Published by the envelope's line, which is stored behind it: who knows the name sees it.  An
     * end that is late may try to claim meanwhile, and fails before and after the store. */
    uint64_t last = atomic_load_explicit(word, memory_order_relaxed);
    atomic_store_explicit(word, fw_claim_word_unclaimed(last) + (UINT64_C(1) << 32),
                          memory_order_relaxed);
    return name;
}

void mpi_fw_claim_word_free(struct fw *fw, uint16_t name)
{
    fw->claim_words_free |= UINT64_C(1) << (name - 1 - fw->claim_word_area / WORD_BYTES);
}
