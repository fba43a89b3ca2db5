#include "fw/claim_word.h"

#include "fw/tuning.h"

enum { WORD_BYTES = FW_CLAIM_WORD_BYTES };

/* All that an RTS can name, in units of words. */
static bool nameable(uint64_t area) { return area / WORD_BYTES + FW_TICKETS <= UINT16_MAX; }

/* As many as there is room for in their share of the scratchpad. */
static void find_words(struct fw *fw)
{
    size_t share = nic_spad_size(fw->nic) / FW_TICKETS_SHARE / WORD_BYTES;
    unsigned n = share < FW_TICKETS ? (unsigned)share : FW_TICKETS;
    uint64_t area = NIC_SPAD_NONE;
    fw->tickets = fw->all_tickets = 0;
    for (; n && area == NIC_SPAD_NONE; n /= 2) {
        area = nic_spad_alloc(fw->nic, NIC_SPAD_CLAIMS, n * WORD_BYTES, WORD_BYTES);
        fw->all_tickets = UINT64_MAX >> (64 - n);
    }
    if (area != NIC_SPAD_NONE && !nameable(area)) {
        nic_spad_free(fw->nic, area);
        area = NIC_SPAD_NONE;
    }
    if (area == NIC_SPAD_NONE)
        fw->all_tickets = 0;
    fw->ticket_area = area;
    fw->tickets = fw->all_tickets;
}

uint16_t mpi_fw_ticket_new(struct fw *fw)
{
    if (fw->ticket_area == NIC_SPAD_NONE)
        find_words(fw);
    if (!fw->tickets)
        return 0;
    unsigned i = (unsigned)__builtin_ctzll(fw->tickets);
    uint16_t ticket = (uint16_t)(fw->ticket_area / WORD_BYTES + i + 1);
    fw->tickets &= ~(UINT64_C(1) << i);
    _Atomic uint64_t *word = fw_claim_word(fw, fw->rank, ticket);
    /* The envelope's line is published behind it, so that a receiver that knows the ticket sees 0. */
    atomic_store_explicit(word, 0, memory_order_relaxed);
    return ticket;
}

void mpi_fw_ticket_free(struct fw *fw, uint16_t ticket)
{
    fw->tickets |= UINT64_C(1) << (ticket - 1 - fw->ticket_area / WORD_BYTES);
}
