/* Rendezvous: the sender asks with an RTS; once the message is matched the receiver's side chooses how the bytes travel. */
#include <string.h>

#include "fw/inside.h"

enum { BOTH_ENDS_MIN = 64 * 1024, INBOX_MOST = 128 * 1024 };

void mpi_fw_start_rndv(struct fw *fw, struct fw_req *send)
{
    struct fw_rts rts = { .source = (uint16_t)fw->rank, .request = fw_req_id(send), .bytes = send->bytes,
                          .address = (uint64_t)(uintptr_t)send->buffer };
    FW_COUNT(fw, rendezvous_sent, 1);
    send->protocol = NULL;
    send->pending = NULL;
    send->offset = 0;
    send->finished = send->withdrawing = false;
    send->claim = rts.claim = mpi_fw_claim_new(fw, send);
    send->ticket = send->bytes >= BOTH_ENDS_MIN && send->peer != fw->rank && !fw->modelled ? mpi_fw_ticket_new(fw) : 0;
    rts.ticket = send->ticket;
    mpi_fw_serve(fw, send);
    fw_control(fw);
    mpi_fw_envelope_waits(send, mpi_fw_post_control(fw, send->peer, FW_PACKET_RTS, send->match, &rts, sizeof rts));
}

/* An RTS from this rank itself names one of its own sends: nobody else's word makes us read our own memory. */
static bool is_own_send(const struct fw *fw, const struct fw_rts *rts)
{
    const struct fw_req *send = mpi_fw_req_by_id(fw, rts->request, FW_SEND);
    return send && send->served && send->peer == fw->rank && (uint64_t)(uintptr_t)send->buffer == rts->address && send->bytes == rts->bytes;
}

static bool rts_is_sound(const struct fw *fw, const struct nic_packet *p, struct fw_rts *rts)
{
    if (p->length != sizeof *rts)
        return false;
    memcpy(rts, p->head, sizeof *rts);
    return rts->source < nic_ranks(fw->nic) && (rts->source != fw->rank || is_own_send(fw, rts));
}

void mpi_fw_rts_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_rts rts;
    if (!rts_is_sound(fw, p, &rts)) {
        fw_stray_packet(fw);
        return;
    }
    fw_control(fw);
    bool withdrawn = false;
    struct fw_req *recv = mpi_fw_match_posted_if(fw, p->match, rts.source, rts.claim, &withdrawn);
    if (recv)
        mpi_fw_rts_matched(fw, &rts, p->match, recv);
    else if (!withdrawn)
        mpi_fw_message_keep(fw, p, FW_PACKET_RTS);
}

/* MPILITE_RNDV names a protocol for tests; it is taken where it can work. */
const struct fw_protocol *mpi_fw_protocol_by_name(const char *name)
{
    for (unsigned i = 0; name && i < FW_PROTOCOL_COUNT; i++)
        if (!strcmp(mpi_fw_protocols[i]->name, name))
            return mpi_fw_protocols[i];
    return NULL;
}

const char *mpi_fw_protocol_of(const struct fw_req *r) { return r->protocol ? r->protocol->name : NULL; }

static bool able(const struct fw_protocol *p, unsigned paths, bool ticket)
{
    if (p == &mpi_fw_protocol_get)
        return paths & NIC_RDMA_READ;
    return p != &mpi_fw_protocol_both_ends || ((paths & NIC_RDMA_READ) && ticket);
}

/* A peer can write there without the kernel. */
static bool in_heap(struct fw *fw, const struct fw_req *recv)
{
    return nic_heap_at(fw->nic, fw->rank, nic_heap_offset(fw->nic, recv->buffer), recv->bytes);
}

/* Through the inbox the bytes are copied twice, but by whoever has them in its cache, and with no system call.  The kernel alone,
 * or with both ends, is slower up to there, above all where the sender has just written them: half round trip 8.9 -> 2.5 us at 32
 * KiB, 9.3 -> 4.6 at 64, 13 to 20 -> 8 to 10 at 128. */
static bool goes_by_inbox(const struct fw *fw) { return !fw->stage_in_buffers && !nic_oversubscribed(fw->nic) && nic_has_thread(fw->nic); }

static const struct fw_protocol *choose(struct fw *fw, const struct fw_req *recv)
{
    if (recv->peer == fw->rank)
        return &mpi_fw_protocol_get;
    if (fw->modelled)       /* nothing of the machine decides there, and both ends at once would race */
        return fw->forced && fw->forced != &mpi_fw_protocol_both_ends ? fw->forced
               : fw->profile->protocol.rendezvous == NIC_RENDEZVOUS_PUT ? &mpi_fw_protocol_put : &mpi_fw_protocol_get;
    unsigned paths = nic_rdma_reach(fw->nic, recv->peer, recv->address, recv->bytes);
    if (fw->forced && able(fw->forced, paths, recv->ticket))
        return fw->forced;
    if (!paths || (fw->pull_only && !(paths & NIC_RDMA_READ)))
        return in_heap(fw, recv) ? &mpi_fw_protocol_put : &mpi_fw_protocol_staged;
    if (fw->pull_only)
        return &mpi_fw_protocol_get;
    if (!(paths & NIC_RDMA_READ))
        return &mpi_fw_protocol_put;
    if (recv->bytes <= INBOX_MOST && goes_by_inbox(fw) && !nic_rdma_mapped(fw->nic, recv->peer, recv->address, recv->bytes))
        return &mpi_fw_protocol_staged;
    return recv->ticket && recv->bytes >= BOTH_ENDS_MIN && !nic_oversubscribed(fw->nic) ? &mpi_fw_protocol_both_ends : &mpi_fw_protocol_get;
}

#define COUNT_PROTOCOL(name) if (p == &mpi_fw_protocol_##name) FW_COUNT(fw, rendezvous_##name, 1);
static void count_protocol(struct fw *fw, const struct fw_protocol *p) { FW_PROTOCOLS(COUNT_PROTOCOL) }

void mpi_fw_rts_matched(struct fw *fw, const struct fw_rts *rts, uint64_t match, struct fw_req *recv)
{
    recv->full = rts->bytes;
    if (rts->bytes > recv->bytes) {
        recv->error = FW_TRUNCATED;
        FW_COUNT(fw, truncations, 1);
    } else {
        recv->bytes = rts->bytes;
    }
    recv->count = recv->bytes;
    recv->match = match;
    recv->peer = rts->source;
    recv->remote = rts->request;
    recv->address = rts->address;
    recv->ticket = rts->ticket;
    recv->offset = 0;
    if (!recv->bytes) {
        mpi_fw_send_fin(fw, recv);
        mpi_fw_complete(fw, recv);
        return;
    }
    mpi_fw_serve(fw, recv);
    recv->protocol = choose(fw, recv);
    count_protocol(fw, recv->protocol);
    recv->protocol->matched(fw, recv);
}

void mpi_fw_send_cts(struct fw *fw, struct fw_req *recv)
{
    struct fw_cts cts = { .request = fw_req_id(recv), .address = (uint64_t)(uintptr_t)recv->buffer, .bytes = recv->bytes };
    for (uint32_t i = 0; i < FW_PROTOCOL_COUNT; i++)
        if (mpi_fw_protocols[i] == recv->protocol)
            cts.protocol = i;
    fw_control(fw);
    mpi_fw_post_control(fw, recv->peer, FW_PACKET_CTS, recv->remote, &cts, sizeof cts);
}

void mpi_fw_cts_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *send = mpi_fw_req_by_id(fw, p->match, FW_SEND);
    struct fw_cts cts;
    if (!send || !send->served || send->protocol || p->length != sizeof cts) {      /* served: it is a rendezvous */
        fw_stray(fw, send);
        return;
    }
    fw_control(fw);
    memcpy(&cts, p->head, sizeof cts);
    if (cts.protocol >= FW_PROTOCOL_COUNT || !mpi_fw_protocols[cts.protocol]->cleared || cts.bytes > send->bytes) {
        fw_stray(fw, send);
        return;
    }
    send->remote = cts.request;
    send->address = cts.address;
    send->bytes = cts.bytes;
    send->protocol = mpi_fw_protocols[cts.protocol];
    send->protocol->cleared(fw, send);
}

/* To the other side of a transfer: everything is where it belongs, or failed. */
void mpi_fw_send_fin(struct fw *fw, struct fw_req *r)
{
    uint64_t error = r->error == FW_TRUNCATED ? FW_OK : r->error;       /* truncation is the receiver's own affair */
    fw_control(fw);
    mpi_fw_post_control(fw, r->peer, FW_PACKET_FIN, r->remote, &error, sizeof error);
}

/* A send in the active queue is about to find that nothing is left to copy: it finishes then. */
void mpi_fw_finish_send(struct fw *fw, struct fw_req *send)
{
    send->finished = send->active;
    if (send->active)
        return;
    if (send->ticket)
        mpi_fw_ticket_free(fw, send->ticket);
    mpi_fw_complete(fw, send);
}

/* The receiver's FIN ends a send that it read from; the sender's FIN ends a receive that it wrote to.  A send that streams through
 * staging buffers, or may be waiting for one, ends by itself. */
static bool fin_is_due(const struct fw_req *r)
{
    if (r->object.kind == FW_SEND)
        return r->served && (!r->protocol || r->protocol == &mpi_fw_protocol_both_ends);
    return r->protocol == &mpi_fw_protocol_put || r->protocol == &mpi_fw_protocol_staged;
}

void mpi_fw_fin_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *r = mpi_fw_req_by_id(fw, p->match, FW_SEND);
    uint64_t error;
    if (!r)
        r = mpi_fw_req_by_id(fw, p->match, FW_RECV);
    if (!r || p->length != sizeof error || !fin_is_due(r)) {
        fw_stray(fw, r);
        return;
    }
    if (p->type == FW_PACKET_FIN)
        fw_control(fw);
    memcpy(&error, p->head, sizeof error);
    if (error)
        r->error = FW_COPY_FAILED;
    if (r->object.kind == FW_SEND)
        mpi_fw_finish_send(fw, r);
    else
        mpi_fw_complete(fw, r);
}
