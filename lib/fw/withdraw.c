/* Cancelling a send.  One that its receiver has not matched is withdrawn; one that is matched goes
 * on.  Both ends agree:
 *
 *  - an envelope that still waits here for room in the peer's inbox never leaves;
 *  - else whoever first writes the send's claim byte (claims.c), in memory of the sender that the
 *    receiver has mapped, decides: the receiver (TAKEN) just before it gives the message to a
 *    receive or to a matched probe, or the sender (WITHDRAWN).  So the sender knows at once,
 *    whatever the peer's host and NIC do or do not do.  WITHDRAW then makes the peer forget the
 *    envelope, and WITHDRAWN gives the byte back, which the envelope names until then;
 *  - a send without a claim that the peer sees (the model clock, where no race may decide; neither
 *    scratchpad nor heap have a byte left; the peer has not mapped the heap) asks with WITHDRAW,
 *    and is done by WITHDRAWN, or by being matched.
 *
 * WITHDRAW comes behind the envelope, so a peer that does not know the message has matched it, or
 * met its claim.  Eager messages that are not synchronous have left the host's buffer and are done:
 * they are not cancelled.  Sends of blocking calls have no claim. */
#include "fw/withdraw.h"

#include <string.h>

#include "fw/ahead.h"
#include "fw/claims.h"
#include "fw/message.h"
#include "fw/modelled.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/sendq.h"
#include "fw/stray.h"
#include "fw/unexpected.h"

/* -- the sender's side */

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
    mpi_fw_ahead_dropped(fw, send->peer, &p->message);
    p->carries = p->envelope_of = NULL;
    send->pending = NULL;
    mpi_fw_claim_end(fw, send);
    return end_cancelled(fw, send);
}

static void tell_peer(struct fw *fw, const struct fw_req *send, uint32_t claim)
{
    struct fw_origin o = { .source = fw->rank, .claim = claim, .request = fw_req_id(send) };
    fw_control(fw);
    mpi_fw_post_control(fw, send->peer, FW_PACKET_WITHDRAW, send->match, &o, sizeof o);
}

static bool withdraw_claimed(struct fw *fw, struct fw_req *send)
{
    if (!mpi_fw_claim_withdraw(fw, send->claim))
        return false;
    tell_peer(fw, send, send->claim);
    send->claim = 0;
    return end_cancelled(fw, send);
}

bool mpi_fw_cancel_send(struct fw *fw, struct fw_req *send)
{
    if (send->firm || send->inside)
        return false;
    if (send->held)
        mpi_fw_ahead_release(fw, send);
    if (send->pending)
        return never_leaves(fw, send);
    bool matchable = send->served ? !send->protocol : send->sync;
    if (!matchable || send->withdrawing)
        return false;
    if (mpi_fw_claim_is_seen(fw, send))
        return withdraw_claimed(fw, send);
    send->withdrawing = true;
    tell_peer(fw, send, 0);
    return false;
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
    if (claim && mpi_fw_claim_answered(fw, claim))
        return;
    if (send && send->withdrawing && !send->protocol && (send->served || send->sync))
        end_cancelled(fw, send);
    else
        fw_stray(fw, send);
}

/* -- the receiver's side */

/* Answered whenever the sender has decided, and else only if the message is still to be had. */
void mpi_fw_withdraw_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_origin o;
    if (p->length != sizeof o || (memcpy(&o, p->head, sizeof o), o.source >= nic_ranks(fw->nic))) {
        fw_stray_packet(fw);
        return;
    }
    fw_control(fw);
    struct fw_unexpected *m = mpi_fw_unexpected_from(fw, p->match, o.source, o.request);
    if (m) {
        mpi_fw_unexpected_remove(fw, m);
        mpi_fw_message_drop(fw, m);
    }
    uint64_t claim = o.claim;
    if (m || claim)
        mpi_fw_post_control(fw, o.source, FW_PACKET_WITHDRAWN, o.request, &claim, sizeof claim);
}
