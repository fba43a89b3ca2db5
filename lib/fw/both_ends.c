/* Both ends copy at once: RTS (with a claim word in the sender's scratchpad), CTS, then each side claims the next chunk and copies it, the
 * receiver by RDMA read, the sender by RDMA write.  DONE tells the receiver how many chunks the sender did; the receiver's FIN ends it.
 *
 * Why the claim word may be reused after FIN: the receiver touches it only before it sends FIN.  The sender touches it only while it is in
 * the active queue, from CTS (which came through the same ring before FIN) to its own failed claim, and mpi_fw_finish_send leaves a request in
 * that queue alone until then.  Checked in tests/model/claim.pml. */
#include <string.h>

#include "fw/inside.h"

enum { CHUNKS = 4, CHUNK_MIN = 32 * 1024, CHUNK_MAX = 1024 * 1024, WORD_BYTES = 64 };

/* -- claim words: index + 1 in units of 64 bytes from the start of the scratchpad */

/* As many as there is room for, in a scratchpad of any size at most an eighth of it.  None: the receiver pulls alone. */
static void find_tickets(struct fw *fw)
{
    size_t share = nic_spad_size(fw->nic) / 8 / WORD_BYTES;
    for (unsigned n = share < FW_TICKETS ? (unsigned)share : FW_TICKETS; n && fw->ticket_area == NIC_SPAD_NONE; n /= 2) {
        fw->ticket_area = nic_spad_alloc(fw->nic, NIC_SPAD_CLAIMS, n * WORD_BYTES, WORD_BYTES);
        fw->tickets = fw->all_tickets = UINT64_MAX >> (64 - n);
    }
    if (fw->ticket_area != NIC_SPAD_NONE && fw->ticket_area / WORD_BYTES + FW_TICKETS > UINT16_MAX) {       /* RTS cannot name it */
        nic_spad_free(fw->nic, fw->ticket_area);
        fw->ticket_area = NIC_SPAD_NONE;
    }
    if (fw->ticket_area == NIC_SPAD_NONE)
        fw->tickets = fw->all_tickets = 0;
}

uint16_t mpi_fw_ticket_new(struct fw *fw)
{
    if (fw->ticket_area == NIC_SPAD_NONE)
        find_tickets(fw);
    if (!fw->tickets)
        return 0;
    unsigned i = (unsigned)__builtin_ctzll(fw->tickets);
    fw->tickets &= ~(UINT64_C(1) << i);
    _Atomic uint64_t *word = nic_spad_at(fw->nic, fw->rank, fw->ticket_area + i * WORD_BYTES, WORD_BYTES);
    atomic_store_explicit(word, 0, memory_order_relaxed);       /* published by the RTS's line */
    return (uint16_t)(fw->ticket_area / WORD_BYTES + i + 1);
}

void mpi_fw_ticket_free(struct fw *fw, uint16_t ticket)
{
    fw->tickets |= UINT64_C(1) << (ticket - 1 - fw->ticket_area / WORD_BYTES);
}

static size_t chunk_bytes(size_t bytes)
{
    size_t n = (bytes / CHUNKS + 4095) & ~(size_t)4095;
    return n < CHUNK_MIN ? CHUNK_MIN : n > CHUNK_MAX ? CHUNK_MAX : n;
}

static uint64_t chunks_of(size_t bytes) { return (bytes + chunk_bytes(bytes) - 1) / chunk_bytes(bytes); }

/* The next chunk that nobody has; false: all are taken.  `owner` has the claim word. */
static bool claim(struct fw *fw, const struct fw_req *r, uint32_t owner, size_t *from, size_t *bytes)
{
    _Atomic uint64_t *word = nic_spad_at(fw->nic, owner, (uint64_t)(r->ticket - 1) * WORD_BYTES, WORD_BYTES);
    size_t size = chunk_bytes(r->bytes);
    uint64_t i = atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
    if (i >= chunks_of(r->bytes))
        return false;
    *from = i * size;
    *bytes = r->bytes - *from < size ? r->bytes - *from : size;
    return true;
}

/* -- receiver */

static void finish(struct fw *fw, struct fw_req *recv)
{
    if (recv->error == FW_COPY_FAILED)
        recv->count = 0;
    mpi_fw_send_fin(fw, recv);
    mpi_fw_complete(fw, recv);
}

static void matched(struct fw *fw, struct fw_req *recv)
{
    if (!nic_spad_at(fw->nic, recv->peer, (uint64_t)(recv->ticket - 1) * WORD_BYTES, WORD_BYTES)) {    /* never trusted unchecked */
        recv->protocol = &mpi_fw_protocol_get;
        recv->protocol->matched(fw, recv);
        return;
    }
    recv->theirs = UINT32_MAX;
    mpi_fw_send_cts(fw, recv);
    mpi_fw_activate(fw, recv);
}

static bool advance_recv(struct fw *fw, struct fw_req *recv)
{
    size_t from, bytes;
    if (claim(fw, recv, recv->peer, &from, &bytes)) {
        if (nic_rdma_read(fw->nic, recv->peer, recv->address + from, (char *)recv->buffer + from, bytes))
            recv->error = FW_COPY_FAILED;
        recv->offset++;
        mpi_fw_reactivate(fw, recv);
        return true;
    }
    recv->ticket = 0;       /* all are taken: mpi_fw_done_arrived may finish it */
    uint64_t theirs = recv->theirs == UINT32_MAX ? 0 : recv->theirs;
    if (recv->offset + theirs == chunks_of(recv->bytes))
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
    recv->theirs = (uint32_t)chunks[0];
    if (chunks[1])
        recv->error = FW_COPY_FAILED;
    if (!recv->ticket && recv->offset + recv->theirs == chunks_of(recv->bytes))
        finish(fw, recv);
}

/* -- sender */

/* One that may not write lets the receiver do it all. */
static void cleared(struct fw *fw, struct fw_req *send)
{
    if (send->ticket && (nic_rdma_reach(fw->nic, send->peer, send->address, send->bytes) & NIC_RDMA_WRITE))
        mpi_fw_activate(fw, send);
}

static bool advance_send(struct fw *fw, struct fw_req *send)
{
    size_t from, bytes;
    if (claim(fw, send, fw->rank, &from, &bytes)) {
        if (nic_rdma_write(fw->nic, send->peer, (const char *)send->buffer + from, send->address + from, bytes))
            send->error = FW_COPY_FAILED;
        send->offset++;
        mpi_fw_reactivate(fw, send);
    } else if (send->offset) {
        uint64_t chunks[2] = { send->offset, send->error == FW_COPY_FAILED };
        mpi_fw_post_control(fw, send->peer, FW_PACKET_DONE, send->remote, chunks, sizeof chunks);
    } else if (send->finished) {        /* FIN came first: the receiver did every chunk */
        mpi_fw_finish_send(fw, send);
    }
    return true;
}

static bool advance(struct fw *fw, struct fw_req *r)
{
    return r->object.kind == FW_RECV ? advance_recv(fw, r) : advance_send(fw, r);
}

const struct fw_protocol mpi_fw_protocol_both_ends = { .name = "both", .matched = matched, .cleared = cleared, .advance = advance };
