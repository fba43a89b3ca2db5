/* Both ends copy at once: RTS (with a claim word in the sender's scratchpad), CTS, then each side
 * claims the next chunk and copies it, the receiver by RDMA read, the sender by RDMA write.  DONE
 * tells the receiver how many chunks the sender did; the receiver's FIN ends it.
 *
 * Why the claim word may be reused after FIN: the receiver touches it only before it sends FIN.
 * The sender touches it only while it is in the active queue, from CTS (which came through the same
 * inbox before FIN) to its own failed claim, and mpi_fw_finish_send leaves a request in the active
 * queue alone until then.  Checked in tests/model/claim.pml. */
#include "fw/both_ends.h"

#include <string.h>

#include "fw/active.h"
#include "fw/claim_word.h"
#include "fw/pieces.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/sendq.h"
#include "fw/stray.h"
#include "fw/tuning.h"

enum { PAGE = 4096 };

static size_t chunk_bytes(size_t bytes)
{
    size_t n = (bytes / FW_BOTH_ENDS_CHUNKS + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (n < FW_BOTH_ENDS_CHUNK_MIN)
        return FW_BOTH_ENDS_CHUNK_MIN;
    return n > FW_BOTH_ENDS_CHUNK_MAX ? FW_BOTH_ENDS_CHUNK_MAX : n;
}

static uint64_t chunks_of(size_t bytes)
{
    return (bytes + chunk_bytes(bytes) - 1) / chunk_bytes(bytes);
}

/* The next chunk that nobody has; false: all are taken.  `owner` has the claim word.  Relaxed: the
 * counter alone says whose a chunk is; what was copied is published by DONE and FIN. */
static bool claim(struct fw *fw, const struct fw_req *r, uint32_t owner, size_t *from,
                  size_t *bytes)
{
    _Atomic uint64_t *word = fw_claim_word(fw, owner, r->claim_word);
    size_t size = chunk_bytes(r->bytes);
    uint64_t i = fw_claims_made(atomic_fetch_add_explicit(word, 1, memory_order_relaxed));
    if (i >= chunks_of(r->bytes))
        return false;
    *from = i * size;
    *bytes = r->bytes - *from < size ? r->bytes - *from : size;
    return true;
}

/* -- receiver */

static bool able(struct fw *fw, const struct fw_transfer *t)
{
    if (t->from_gaps || t->to_gaps)
        return t->recv->claim_word && mpi_fw_pieces_able(fw, t);
    return (t->paths & NIC_RDMA_READ) && t->recv->claim_word;
}

static bool best(struct fw *fw, const struct fw_transfer *t)
{
    return t->recv->bytes >= FW_BOTH_ENDS_MIN && able(fw, t) && !fw->pull_only
           && !nic_oversubscribed(fw->nic);
}

static void finish(struct fw *fw, struct fw_req *recv)
{
    if (recv->error == FW_COPY_FAILED)
        recv->count = 0;
    mpi_fw_pieces_forget(fw, recv);
    mpi_fw_send_fin(fw, recv);
    mpi_fw_complete(fw, recv);
}

static void matched(struct fw *fw, struct fw_req *recv)
{
    if (!fw_claim_word(fw, recv->peer, recv->claim_word) || !mpi_fw_pieces_fetch(fw, recv)) {
        bool gaps = fw_is_list(recv->address) || fw_layout(recv);
        recv->protocol = fw->protocols[gaps ? FW_PROTOCOL_staged : FW_PROTOCOL_get];
        recv->protocol->matched(fw, recv);
        return;
    }
    recv->peer_chunks = UINT32_MAX;
    mpi_fw_send_cts(fw, recv);
    mpi_fw_activate(fw, recv);
}

static int read_chunk(struct fw *fw, struct fw_req *recv, size_t from, size_t bytes)
{
    if (fw_layout(recv) || fw_is_list(recv->address))
        return mpi_fw_pieces_read(fw, recv, from, bytes);
    return nic_rdma_read(fw->nic, recv->peer, recv->address + from, (char *)recv->buffer + from,
                         bytes);
}

static bool advance_recv(struct fw *fw, struct fw_req *recv)
{
    size_t from, bytes;
    if (claim(fw, recv, recv->peer, &from, &bytes)) {
        if (read_chunk(fw, recv, from, bytes))
            recv->error = FW_COPY_FAILED;
        recv->offset++;
        mpi_fw_reactivate(fw, recv);
        return true;
    }
    recv->claim_word = 0;       /* all are taken: mpi_fw_done_arrived may finish the receive */
    uint64_t others = recv->peer_chunks == UINT32_MAX ? 0 : recv->peer_chunks;
    if (recv->offset + others == chunks_of(recv->bytes))
        finish(fw, recv);
    return true;
}

void mpi_fw_done_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *recv = mpi_fw_req_by_id(fw, p->match, FW_RECV);
    uint64_t chunks[2];
    if (!recv || recv->protocol != &mpi_fw_protocol_both_ends || p->length != sizeof chunks) {
        fw_stray(fw, recv);
        return;
    }
    memcpy(chunks, p->head, sizeof chunks);
    recv->peer_chunks = (uint32_t)chunks[0];
    if (chunks[1])
        recv->error = FW_COPY_FAILED;
    if (!recv->claim_word && recv->offset + recv->peer_chunks == chunks_of(recv->bytes))
        finish(fw, recv);
}

/* -- sender */

static bool may_write(struct fw *fw, const struct fw_req *send)
{
    bool lists = fw_layout(send) || fw_is_list(send->address);
    unsigned paths = lists ? nic_rdma_paths(fw->nic, send->peer)
                     : nic_rdma_reach(fw->nic, send->peer, send->address, send->bytes);
    return send->claim_word && (paths & NIC_RDMA_WRITE);
}

/* A sender that may not write lets the receiver do it all.  The receiver's list may be gone, if it
 * has: what is fetched then is of no use, and no harm, since no chunk can be claimed any more. */
static void cleared(struct fw *fw, struct fw_req *send)
{
    if (may_write(fw, send) && mpi_fw_pieces_fetch(fw, send))
        mpi_fw_activate(fw, send);
}

static int write_chunk(struct fw *fw, struct fw_req *send, size_t from, size_t bytes)
{
    if (fw_layout(send) || fw_is_list(send->address))
        return mpi_fw_pieces_write(fw, send, from, bytes);
    return nic_rdma_write(fw->nic, send->peer, (const char *)send->buffer + from,
                          send->address + from, bytes);
}

static void send_done(struct fw *fw, const struct fw_req *send)
{
    uint64_t chunks[2] = { send->offset, send->error == FW_COPY_FAILED };
    mpi_fw_post_control(fw, send->peer, FW_PACKET_DONE, send->remote, chunks, sizeof chunks);
}

static bool advance_send(struct fw *fw, struct fw_req *send)
{
    size_t from, bytes;
    if (claim(fw, send, fw->rank, &from, &bytes)) {
        if (write_chunk(fw, send, from, bytes))
            send->error = FW_COPY_FAILED;
        send->offset++;
        mpi_fw_reactivate(fw, send);
        return true;
    }
    mpi_fw_pieces_forget(fw, send);
    if (send->offset) {
        send_done(fw, send);
    } else if (send->finished) {        /* FIN came first: the receiver did every chunk */
        mpi_fw_finish_send(fw, send);
    }
    return true;
}

static bool advance(struct fw *fw, struct fw_req *r)
{
    return r->object.kind == FW_RECV ? advance_recv(fw, r) : advance_send(fw, r);
}

const struct fw_protocol mpi_fw_protocol_both_ends = {
    .name = "both", .id = FW_PROTOCOL_both_ends, .races = true, .able = able, .best = best,
    .matched = matched, .cleared = cleared, .advance = advance,
};
