/* Claim bytes: where they are, and who gets which. */
#include "fw/claims.h"

#include <stdlib.h>

#include "fw/tuning.h"

enum { OPEN, TAKEN, WITHDRAWN };                                        /* a claim byte */
enum { AREA_MIN = 64, ROOM_FIRST = 64 };
/* fw_claims.next of a byte that has no next one: of a send; until its peer answers. */
static const uint32_t in_use = UINT32_MAX, awaited = UINT32_MAX - 1;

/* NULL: there is no such byte. */
static _Atomic uint8_t *byte_of(struct fw *fw, uint32_t owner, uint32_t claim)
{
    return claim ? nic_spad_at(fw->nic, owner, claim - 1, 1) : NULL;
}

static uint32_t number_of(const struct fw_claims *c, uint32_t claim)
{
    return claim - 1 - (uint32_t)c->area;
}

/* Its share of the scratchpad, or as much of that as there is. */
static void find_area(struct fw *fw)
{
    struct fw_claims *c = &fw->claims;
    c->looked = true;
    for (size_t n = nic_spad_size(fw->nic) / FW_CLAIMS_SHARE; n >= AREA_MIN && !c->all; n /= 2) {
        c->area = nic_spad_alloc(fw->nic, NIC_SPAD_CLAIMS, n, AREA_MIN);
        if (c->area != NIC_SPAD_NONE && c->area + n <= UINT32_MAX)
            c->all = (uint32_t)n;
    }
}

/* Place for one more that was never used. */
static bool grow(struct fw_claims *c)
{
    if (c->used < c->room)
        return true;
    uint32_t room = c->room ? 2 * c->room : ROOM_FIRST;
    uint32_t *next = realloc(c->next, room * sizeof *next);
    if (!next)
        return false;
    c->next = next;
    c->room = room;
    return true;
}

static uint32_t take_free(struct fw_claims *c)
{
    uint32_t claim = c->free;
    if (claim)
        c->free = c->next[number_of(c, claim)];
    else if (c->used < c->all && grow(c))
        claim = (uint32_t)c->area + 1 + c->used++;
    if (claim)
        c->next[number_of(c, claim)] = in_use;
    return claim;
}

static void give_back(struct fw_claims *c, uint32_t claim)
{
    c->next[number_of(c, claim)] = c->free;
    c->free = claim;
}

/* -- the sender */

uint32_t mpi_fw_claim_new(struct fw *fw, const struct fw_req *send)
{
    if (send->firm || send->inside || fw->modelled)
        return 0;
    if (!fw->claims.looked)
        find_area(fw);
    uint32_t claim = take_free(&fw->claims);
    /* The envelope's line is published behind it, so that a receiver that knows the claim sees it
     * open. */
    if (claim)
        atomic_store_explicit(byte_of(fw, fw->rank, claim), OPEN, memory_order_relaxed);
    return claim;
}

void mpi_fw_claim_end(struct fw *fw, struct fw_req *send)
{
    if (send->claim)
        give_back(&fw->claims, send->claim);
    send->claim = 0;
}

bool mpi_fw_claim_withdraw(struct fw *fw, uint32_t claim)
{
    uint8_t was = OPEN;
    if (!atomic_compare_exchange_strong(byte_of(fw, fw->rank, claim), &was, WITHDRAWN))
        return false;
    fw->claims.next[number_of(&fw->claims, claim)] = awaited;
    return true;
}

static bool is_awaited(const struct fw_claims *c, uint64_t claim)
{
    return claim > c->area && claim - 1 - c->area < c->used
           && c->next[claim - 1 - c->area] == awaited;
}

bool mpi_fw_claim_answered(struct fw *fw, uint64_t claim)
{
    if (!is_awaited(&fw->claims, claim))
        return false;
    give_back(&fw->claims, (uint32_t)claim);
    return true;
}

void mpi_fw_claims_delete(struct fw *fw) { free(fw->claims.next); }

/* -- the receiver: what names no byte is matched as if it had no claim */

/* acq_rel: the receiver that takes it reads what the sender wrote before; nothing else is handed
 * over by it. */
bool mpi_fw_claim_take(struct fw *fw, uint32_t source, uint32_t claim)
{
    _Atomic uint8_t *byte = byte_of(fw, source, claim);
    uint8_t was = OPEN;
    if (byte)
        atomic_compare_exchange_strong_explicit(byte, &was, TAKEN,
                                                memory_order_acq_rel, memory_order_acquire);
    return was != WITHDRAWN;
}

bool mpi_fw_claim_is_withdrawn(struct fw *fw, uint32_t source, uint32_t claim)
{
    const _Atomic uint8_t *byte = byte_of(fw, source, claim);
    return byte && atomic_load_explicit(byte, memory_order_acquire) == WITHDRAWN;
}
