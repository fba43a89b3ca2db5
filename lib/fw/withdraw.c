/* Cancelling a send.  One that its receiver has not matched is withdrawn; one that is matched goes on.  Both ends agree:
 *
 *  - an envelope that still waits here for room in the peer's inbox never leaves;
 *  - else whoever first writes the send's claim byte, in the sender's scratchpad, decides: the receiver (TAKEN) just before it
 *    gives the message to a receive or to a matched probe, or the sender (WITHDRAWN).  So the sender knows at once, whatever the peer's
 *    host and NIC do or do not do.  WITHDRAW then makes the peer forget the envelope, and WITHDRAWN gives the byte back, which the
 *    envelope names until then;
 *  - a send without a claim (the model clock, where no race may decide; more open sends than the scratchpad has bytes for) asks with
 *    WITHDRAW, and is done by WITHDRAWN, or by being matched.
 *
 * WITHDRAW comes behind the envelope, so a peer that does not know the message has matched it, or met its claim.  Eager messages that
 * are not synchronous have left the host's buffer and are done: they are not cancelled.  Sends of blocking calls have no claim. */
#include <stdlib.h>
#include <string.h>

#include "fw/inside.h"

enum { OPEN, TAKEN, WITHDRAWN };                                        /* a claim byte */
enum { SHARE = 16, AREA_MIN = 64, ROOM_FIRST = 64 };
static const uint32_t in_use = UINT32_MAX, awaited = UINT32_MAX - 1;    /* fw_claims.next: of a send; until WITHDRAWN comes */

static _Atomic uint8_t *claim_byte(struct fw *fw, uint32_t owner, uint32_t claim)
{
    return nic_spad_at(fw->nic, owner, claim - 1, 1);
}

/* -- claims of this rank's sends */

/* A sixteenth of the scratchpad, or as much of that as there is. */
static void find_area(struct fw *fw)
{
    struct fw_claims *c = &fw->claims;
    c->looked = true;
    for (size_t n = nic_spad_size(fw->nic) / SHARE; n >= AREA_MIN && !c->all; n /= 2) {
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

static uint32_t number_of(const struct fw_claims *c, uint32_t claim) { return claim - 1 - (uint32_t)c->area; }

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

uint32_t mpi_fw_claim_new(struct fw *fw, const struct fw_req *send)
{
    if (send->firm || send->inside || fw->modelled)
        return 0;
    if (!fw->claims.looked)
        find_area(fw);
    uint32_t claim = take_free(&fw->claims);
    if (claim)      /* published by the envelope's line */
        atomic_store_explicit(claim_byte(fw, fw->rank, claim), OPEN, memory_order_relaxed);
    return claim;
}

static void give_back(struct fw_claims *c, uint32_t claim)
{
    c->next[number_of(c, claim)] = c->free;
    c->free = claim;
}

void mpi_fw_claim_end(struct fw *fw, struct fw_req *send)
{
    if (send->claim)
        give_back(&fw->claims, send->claim);
    send->claim = 0;
}

void mpi_fw_claims_delete(struct fw *fw) { free(fw->claims.next); }

/* -- the sender's side */

void mpi_fw_envelope_waits(struct fw_req *send, struct fw_pending *p)
{
    if (!p)
        return;     /* it has left, and the send may be done */
    p->envelope_of = send;
    send->pending = p;
}

/* Nobody will hear of it any more. */
static bool end_cancelled(struct fw *fw, struct fw_req *send)
{
    send->cancelled = true;
    FW_COUNT(fw, sends_withdrawn, 1);
    if (send->served)
        mpi_fw_finish_send(fw, send);
    else
        mpi_fw_complete(fw, send);
    return true;
}

static bool never_leaves(struct fw *fw, struct fw_req *send)
{
    struct fw_pending *p = send->pending;
    p->dead = true;
    p->carries = p->envelope_of = NULL;
    send->pending = NULL;
    mpi_fw_claim_end(fw, send);
    return end_cancelled(fw, send);
}

static void tell_peer(struct fw *fw, const struct fw_req *send)
{
    struct fw_origin o = { .source = fw->rank, .claim = send->claim, .request = fw_req_id(send) };
    fw_control(fw);
    mpi_fw_post_control(fw, send->peer, FW_PACKET_WITHDRAW, send->match, &o, sizeof o);
}

static bool withdraw_claimed(struct fw *fw, struct fw_req *send)
{
    uint8_t was = OPEN;
    if (!atomic_compare_exchange_strong(claim_byte(fw, fw->rank, send->claim), &was, WITHDRAWN))
        return false;
    tell_peer(fw, send);
    fw->claims.next[number_of(&fw->claims, send->claim)] = awaited;
    send->claim = 0;
    return end_cancelled(fw, send);
}

bool mpi_fw_cancel_send(struct fw *fw, struct fw_req *send)
{
    if (send->firm || send->inside)
        return false;
    if (send->pending)
        return never_leaves(fw, send);
    bool matchable = send->served ? !send->protocol : send->sync;
    if (!matchable || send->withdrawing)
        return false;
    if (send->claim)
        return withdraw_claimed(fw, send);
    send->withdrawing = true;
    tell_peer(fw, send);
    return false;
}

static bool is_awaited(const struct fw_claims *c, uint64_t claim)
{
    return claim > c->area && claim - 1 - c->area < c->used && c->next[claim - 1 - c->area] == awaited;
}

/* A claim that nobody waits for, or a send that asks nothing, or is matched, is a stray's. */
void mpi_fw_withdrawn_arrived(struct fw *fw, const struct nic_packet *p)
{
    uint64_t claim;
    if (p->length != sizeof claim) {
        fw_stray_packet(fw);
        return;
    }
    fw_control(fw);
    memcpy(&claim, p->head, sizeof claim);
    struct fw_req *send = claim ? NULL : mpi_fw_req_by_id(fw, p->match, FW_SEND);
    if (claim && is_awaited(&fw->claims, claim))
        give_back(&fw->claims, (uint32_t)claim);
    else if (send && send->withdrawing && !send->protocol && (send->served || send->sync))
        end_cancelled(fw, send);
    else
        fw_stray(fw, send);
}

/* -- the receiver's side */

/* acq_rel: the receiver that takes it reads what the sender wrote before; nothing else is handed over by it. */
bool mpi_fw_claim_take(struct fw *fw, uint32_t source, uint32_t claim)
{
    _Atomic uint8_t *byte = claim ? claim_byte(fw, source, claim) : NULL;      /* never trusted unchecked */
    uint8_t was = OPEN;
    if (byte)
        atomic_compare_exchange_strong_explicit(byte, &was, TAKEN, memory_order_acq_rel, memory_order_acquire);
    return was != WITHDRAWN;
}

static uint32_t claim_of(const struct fw_message *m, uint32_t *source)
{
    *source = m->type == FW_PACKET_RTS ? m->rts.source : m->type == FW_PACKET_SYNC ? m->origin.source : 0;
    return m->type == FW_PACKET_RTS ? m->rts.claim : m->type == FW_PACKET_SYNC ? m->origin.claim : 0;
}

bool mpi_fw_message_take(struct fw *fw, const struct fw_message *m)
{
    uint32_t source, claim = claim_of(m, &source);
    return mpi_fw_claim_take(fw, source, claim);
}

bool mpi_fw_message_is_withdrawn(struct fw *fw, const struct fw_message *m)
{
    uint32_t source, claim = claim_of(m, &source);
    const _Atomic uint8_t *byte = claim ? claim_byte(fw, source, claim) : NULL;
    return byte && atomic_load_explicit(byte, memory_order_acquire) == WITHDRAWN;
}

void mpi_fw_message_drop(struct fw *fw, struct fw_message *m)
{
    FW_COUNT(fw, messages_withdrawn, 1);
    fw_way_drop(fw, &m->way);
    m->extracted = true;
    m->withdrawn = m->landing;
    if (!m->landing)
        mpi_fw_message_free(fw, m);
}

/* Answered whenever the sender has decided, and else only if the message is still to be had. */
void mpi_fw_withdraw_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_origin o;
    if (p->length != sizeof o || (memcpy(&o, p->head, sizeof o), o.source >= nic_ranks(fw->nic))) {
        fw_stray_packet(fw);
        return;
    }
    fw_control(fw);
    struct fw_message *m = mpi_fw_unexpected_from(fw, p->match, o.source, o.request);
    if (m) {
        mpi_fw_unexpected_remove(fw, m);
        mpi_fw_message_drop(fw, m);
    }
    uint64_t claim = o.claim;
    if (m || claim)
        mpi_fw_post_control(fw, o.source, FW_PACKET_WITHDRAWN, o.request, &claim, sizeof claim);
}
