/* Staged: copied twice, by both ends at the same time, each of which has its side of the bytes in
 * its cache.  Works everywhere, and is the fastest wherever both hosts wait.
 *
 * RTS, CTS, then chunks: the sender copies one into a buffer in its scratchpad, where the receiver
 * reaches it, and tells by DATA; the receiver copies it out and gives the buffer back by CREDIT.  A
 * few large buffers, the last returned used first, stay in both caches, and memcpy is at its best
 * (1 MiB, half round trip, idle: 23 us; the kernel's copy, half by each end, 38).
 *
 * Where there is no room for buffers, and between machines, the chunk is in the DATA packet itself,
 * of which few may be on the way at a time, as the inbox is there for others too: CREDIT again.
 *
 * A host that computes is not waited for, where the kernel copies:
 *  - a sender that has no buffer, and whose receiver is away, writes the next piece to its place,
 *    which DATA says;
 *  - a receiver whose sender is away and has not begun for a while claims it all and reads it, as
 *    `get`.  The claim word settles who was first, once and for all (tests/model/begin.pml). */
#include "fw/staged.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fw/active.h"
#include "fw/claim_word.h"
#include "fw/data.h"
#include "fw/modelled.h"
#include "fw/req_list.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/sendq.h"
#include "fw/stage_buffers.h"
#include "fw/stray.h"
#include "fw/tuning.h"

/* Its host is outside of all calls: the NIC's thread would have to do it. */
static bool is_away(const struct fw *fw, uint32_t rank)
{
    return __atomic_load_n(nic_attention(fw->nic, rank), __ATOMIC_RELAXED) & NIC_AWAY;
}

/* -- sender */

/* A receiver that was first reads it all, and its FIN ends the send. */
static void cleared(struct fw *fw, struct fw_req *send)
{
    if (send->claim_word) {
        _Atomic uint64_t *word = fw_claim_word(fw, fw->rank, send->claim_word);
        uint64_t now = atomic_load_explicit(word, memory_order_relaxed);
        if (!fw_claim_all(word, fw_claim_word_unclaimed(now))) {
            send->protocol = fw->protocols[FW_PROTOCOL_get];
            return;
        }
    }
    mpi_fw_activate(fw, send);
}

/* On another machine, where nobody reaches the buffers in our scratchpad. */
static bool is_far(const struct fw *fw, uint32_t peer) { return !nic_is_here(fw->nic, peer); }

static unsigned *credits(struct fw *fw, bool far)
{
    return far ? &fw->far_credits : &fw->inbox_credits;
}

static struct fw_req_list *waiting(struct fw *fw, bool far)
{
    return far ? &fw->waiting_far : &fw->waiting_for_buffer;
}

static size_t at_most(size_t bytes, size_t most) { return bytes < most ? bytes : most; }

/* Small pieces first and last keep both processors busy.  `most` may be less than `least`. */
static uint32_t piece_of(const struct fw_req *send, size_t n, size_t least, size_t most)
{
    return (uint32_t)at_most(at_most(n < least ? least : n, most), send->bytes - send->offset);
}

static uint32_t inline_piece(const struct fw_req *send, bool far)
{
    return piece_of(send, send->bytes / FW_STAGE_CHUNKS, FW_STAGE_BYTES_MIN,
                    far ? FW_FAR_CHUNK : NIC_MESSAGE_BYTES_MAX);
}

static uint32_t buffer_piece(const struct fw *fw, const struct fw_req *send)
{
    size_t parts = send->bytes / FW_STAGE_PARTS;
    return piece_of(send, parts & ~(size_t)(FW_STAGE_PART_MIN - 1), FW_STAGE_PART_MIN,
                    fw->stage_bytes);
}

/* The last chunk's packet completes the send: until it is out, the user's buffer is what the packet
 * is made of. */
static void send_inline(struct fw *fw, struct fw_req *send)
{
    struct fw_data d = { .offset = send->offset, .buffer = FW_STAGE_INLINE };
    bool far = is_far(fw, send->peer);
    d.bytes = inline_piece(send, far);
    struct nic_tx m = { .type = FW_PACKET_DATA, .match = send->remote, .head = &d,
                        .head_bytes = sizeof d, .data_bytes = d.bytes };
    fw_data_of(&m, send, d.offset);
    bool last = d.offset + d.bytes == send->bytes;
    --*credits(fw, far);
    fw->far_out[send->peer] += far;
    FW_COUNT(fw, bytes_staged, d.bytes);
    send->offset += d.bytes;
    if (last && send->claim_word)
        mpi_fw_claim_word_free(fw, send->claim_word);
    mpi_fw_post(fw, send->peer, &m, true, last ? send : NULL);
    if (!last)
        mpi_fw_reactivate(fw, send);
}

/* A chunk is where the receiver finds it: the packet that says so is published behind the copy. */
static void chunk_sent(struct fw *fw, struct fw_req *send, const struct fw_data *d)
{
    mpi_fw_post_control(fw, send->peer, FW_PACKET_DATA, send->remote, d, sizeof *d);
    send->offset += d->bytes;
    if (send->offset < send->bytes)
        mpi_fw_reactivate(fw, send);
    else
        mpi_fw_finish_send(fw, send);
}

/* The buffer's lines are in the receiver's cache.  One long copy takes them away without fetching
 * them, short ones cannot: data with gaps are packed in our own cache first (FW_STAGE_PACKED), but
 * for those of which there is a list, whose pieces are long. */
static void fill_buffer(struct fw *fw, const struct fw_req *send, size_t place, char *to,
                        size_t bytes)
{
    const struct fw_layout *l = fw_layout(send);
    if (!l || l->list) {
        fw_data_out(send, place, to, bytes);
        return;
    }
    if (!fw->packed)
        fw->packed = malloc(FW_STAGE_PACKED);
    for (size_t done = 0, n; done < bytes; done += n) {
        n = at_most(bytes - done, FW_STAGE_PACKED);
        fw_data_out(send, place + done, fw->packed ? fw->packed : to + done, n);
        if (fw->packed)
            memcpy(to + done, fw->packed, n);
    }
}

static void send_staged(struct fw *fw, struct fw_req *send)
{
    uint8_t *lines;
    uint64_t at = mpi_fw_buffer_take(fw, &lines), begin = mpi_fw_refill_begin(&fw->refill, *lines);
    bool claim = fw_refill_asks(&fw->refill);
    struct fw_data d = { .offset = send->offset, .bytes = buffer_piece(fw, send),
                         .buffer = (uint32_t)(at / FW_STAGE_UNIT) | (claim ? FW_STAGE_CLAIM : 0) };
    uint64_t start = mpi_fw_copies_begin(&fw->copies);
    fill_buffer(fw, send, d.offset, nic_spad_at(fw->nic, fw->rank, at, d.bytes), d.bytes);
    mpi_fw_copies_end(&fw->copies, FW_COPY_FILL, start, d.bytes);
    mpi_fw_refill_end(&fw->refill, *lines, begin, d.bytes);
    *lines = claim ? FW_LINES_CLAIMED : FW_LINES_READ;
    FW_COUNT(fw, bytes_staged, d.bytes);
    chunk_sent(fw, send, &d);
}

static bool may_write(struct fw *fw, const struct fw_req *send)
{
    if (fw_layout(send) || fw_is_list(send->address))
        return false;
    return nic_rdma_reach(fw->nic, send->peer, send->address, send->bytes) & NIC_RDMA_WRITE;
}

/* False: the receiver's host is here, or its memory is not to be reached. */
static bool send_written(struct fw *fw, struct fw_req *send)
{
    size_t left = send->bytes - send->offset;
    struct fw_data d = { .offset = send->offset, .buffer = FW_STAGE_WRITTEN,
                         .bytes = left < FW_PIECE ? (uint32_t)left : FW_PIECE };
    if (!is_away(fw, send->peer) || !may_write(fw, send)
        || nic_rdma_write(fw->nic, send->peer, (const char *)send->buffer + d.offset,
                          send->address + d.offset, d.bytes))
        return false;
    chunk_sent(fw, send, &d);
    return true;
}

/* All are on the way: a credit will come. */
static bool wait_for_credit(struct fw *fw, struct fw_req *send, bool far)
{
    fw_critical_path_save(fw, &send->way);
    fw_req_list_append(waiting(fw, far), send);
    return false;
}

static bool advance_inline(struct fw *fw, struct fw_req *send, bool far)
{
    if (!*credits(fw, far))
        return wait_for_credit(fw, send, far);
    send_inline(fw, send);
    return true;
}

static bool advance_send(struct fw *fw, struct fw_req *send)
{
    bool far = is_far(fw, send->peer);
    if (far || !mpi_fw_buffers_have(fw))
        return advance_inline(fw, send, far);
    if (fw->stages)
        send_staged(fw, send);
    else if (!send_written(fw, send))
        return wait_for_credit(fw, send, false);
    return true;
}

/* From a peer on another machine only what it has. */
static bool take_back_inline(struct fw *fw, uint32_t source, bool far)
{
    unsigned *free = credits(fw, far);
    bool out = far ? fw->far_out[source] : *free < FW_INBOX_CREDITS;
    fw->far_out[source] -= far && out;
    *free += out;
    return out;
}

/* The send goes on with its own way, the handler with the credit's, which came for another. */
static void go_on(struct fw *fw, struct fw_req *send)
{
    uint32_t own = 0;
    fw_critical_path_save(fw, &own);
    fw_critical_path_join(fw, &send->way, NIC_PART_WAIT);
    mpi_fw_activate(fw, send);
    fw_critical_path_join(fw, &own, NIC_PART_WAIT);
}

void mpi_fw_credit_arrived(struct fw *fw, const struct nic_packet *p)
{
    uint32_t source = nic_packet_source(fw->nic);
    bool inbox = p->match == FW_STAGE_INLINE, far = is_far(fw, source);
    if (!(inbox ? take_back_inline(fw, source, far) : mpi_fw_buffer_back(fw, p->match))) {
        fw_stray_packet(fw);
        return;
    }
    struct fw_req *send = fw_req_list_take(waiting(fw, far));
    if (send)
        go_on(fw, send);
}

bool mpi_fw_credits_lose(struct fw *fw)
{
    unsigned before = fw->far_credits;
    for (uint32_t rank = 0; rank < nic_ranks(fw->nic); rank++)
        if (fw->far_out[rank] && nic_lost(fw->nic, rank)) {
            fw->far_credits += fw->far_out[rank];
            fw->far_out[rank] = 0;
        }
    struct fw_req *send;
    for (unsigned n = before; n < fw->far_credits && (send = fw_req_list_take(&fw->waiting_far));
         n++)
        go_on(fw, send);
    return fw->far_credits != before;
}

/* -- receiver */

static bool able(struct fw *fw, const struct fw_transfer *t)
{
    (void)fw, (void)t;
    return true;
}

/* Its own host computes: then its NIC's thread is called. */
static bool by_thread(const struct fw *fw)
{
    return nic_by_thread(fw->nic) && is_away(fw, fw->rank);
}

/* Through the inbox, by whoever has the bytes in its cache. */
static bool goes_by_inbox(const struct fw *fw, const struct fw_transfer *t)
{
    return !t->from_gaps && !t->to_gaps && t->recv->bytes <= FW_INBOX_MOST
           && (t->paths & NIC_RDMA_READ) && !nic_oversubscribed(fw->nic);
}

/* Past the cores, where the receiver can do it alone and does it in less time.  All staged and so,
 * on a processor where buffers are slow, times over Open MPI's: exchanges with two neighbours of
 * 20,000 bytes to 1 MiB 1.1 to 2.5, 0.7 to 1.5; a ring 1.2 to 2.7, 0.9 to 1.3; all to rank 0 and
 * back 1.2 to 2.3, 0.6 to 1.6 (3, 4, 16 and 64 ranks on 2 cores). */
static bool is_for_reader(struct fw *fw, const struct fw_transfer *t)
{
    return nic_oversubscribed(fw->nic) && !t->from_gaps && !t->to_gaps
           && t->paths & NIC_RDMA_READ && mpi_fw_copies_once(&fw->copies, t->recv->bytes);
}

/* Not where the kernel has no part in a copy anyway, in a mapped heap. */
static bool best(struct fw *fw, const struct fw_transfer *t)
{
    const struct fw_req *r = t->recv;
    if (fw->pull_only || !nic_has_thread(fw->nic) || by_thread(fw)
        || (!t->from_gaps && nic_rdma_mapped(fw->nic, r->peer, r->address, r->bytes)))
        return false;
    return mpi_fw_buffers_wanted(fw) ? !is_for_reader(fw, t) : goes_by_inbox(fw, t);
}

static _Atomic uint64_t *claim_word(const struct fw *fw, const struct fw_req *recv)
{
    return recv->claim_word ? fw_claim_word(fw, recv->peer, recv->claim_word) : NULL;
}

/* The receiver could do it alone. */
static bool may_read(struct fw *fw, const struct fw_req *recv)
{
    if (fw_layout(recv) || fw_is_list(recv->address) || is_far(fw, recv->peer))
        return false;
    return nic_rdma_reach(fw->nic, recv->peer, recv->address, recv->bytes) & NIC_RDMA_READ;
}

static uint32_t microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint32_t)((uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000);
}

/* Before CTS nobody has claimed the transfer: that is how its word looks then. */
static void matched(struct fw *fw, struct fw_req *recv)
{
    _Atomic uint64_t *word = fw->modelled ? NULL : claim_word(fw, recv);
    if (word && may_read(fw, recv)) {
        recv->generation_of_word =
            (uint32_t)(atomic_load_explicit(word, memory_order_relaxed) >> 32);
        recv->since_us = microseconds();
        mpi_fw_activate(fw, recv);
    }
    mpi_fw_send_cts(fw, recv);
}

/* Until the first chunk comes, or the sender is known to have begun. */
static bool watch_sender(struct fw *fw, struct fw_req *recv)
{
    if (!is_away(fw, recv->peer) || microseconds() - recv->since_us < FW_SILENT_US) {
        mpi_fw_activate(fw, recv);
        return false;
    }
    if (!fw_claim_all(claim_word(fw, recv), (uint64_t)recv->generation_of_word << 32))
        return false;
    FW_COUNT(fw, rendezvous_taken, 1);
    recv->protocol = fw->protocols[FW_PROTOCOL_get];
    recv->protocol->matched(fw, recv);
    return true;
}

static bool advance(struct fw *fw, struct fw_req *r)
{
    return r->object.kind == FW_RECV ? watch_sender(fw, r) : advance_send(fw, r);
}

static void chunk_done(struct fw *fw, struct fw_req *recv, const struct fw_data *d)
{
    if (d->buffer != FW_STAGE_WRITTEN)
        mpi_fw_post_control(fw, recv->peer, FW_PACKET_CREDIT, fw_stage_buffer(d), NULL, 0);
    recv->offset += d->bytes;
    if (recv->offset == recv->bytes)
        mpi_fw_complete(fw, recv);
}

void mpi_fw_chunk_landed(struct fw *fw, struct fw_req *recv)
{
    chunk_done(fw, recv, &fw->landing_chunk);
}

/* The chunk's first bytes came in the head of the packet; the rest lands behind them. */
static void take_inline(struct fw *fw, struct fw_req *recv, const struct fw_data *d,
                        const struct nic_packet *p)
{
    uint32_t first = p->head_bytes - (uint32_t)sizeof *d;
    fw_data_in(recv, d->offset, (const char *)p->head + sizeof *d, first);
    if (first == d->bytes) {
        chunk_done(fw, recv, d);
        return;
    }
    fw->landing_chunk = *d;
    mpi_fw_sink(fw, recv, d->offset + first, d->bytes - first);
}

/* The next chunk of a receive whose sender may send chunks, in a packet as long as it says. */
static bool is_next(const struct fw_req *recv, const struct fw_data *d, uint32_t length)
{
    size_t in_packet = d->buffer == FW_STAGE_INLINE ? d->bytes : 0;
    return recv->protocol && recv->protocol->sender_ends && length == sizeof *d + in_packet
           && d->offset == recv->offset && d->bytes <= recv->bytes - recv->offset;
}

static void take_chunk(struct fw *fw, struct fw_req *recv, const struct fw_data *d,
                       const struct nic_packet *p)
{
    if (recv->active)
        mpi_fw_deactivate(fw, recv);
    if (d->buffer == FW_STAGE_INLINE) {
        take_inline(fw, recv, d, p);
        return;
    }
    if (d->buffer == FW_STAGE_WRITTEN && !fw_layout(recv)) {
        chunk_done(fw, recv, d);
        return;
    }
    uint64_t at = (uint64_t)fw_stage_buffer(d) * FW_STAGE_UNIT;
    void *from = nic_spad_at(fw->nic, recv->peer, at, d->bytes);
    if (!from) {
        fw_stray(fw, recv);
        return;
    }
    uint64_t start = mpi_fw_copies_begin(&fw->copies);
    fw_data_in(recv, d->offset, from, d->bytes);
    if (d->buffer & FW_STAGE_CLAIM)
        mpi_fw_refill_claim(from, d->bytes);
    mpi_fw_copies_end(&fw->copies, FW_COPY_TAKE, start, d->bytes);
    chunk_done(fw, recv, d);
}

void mpi_fw_data_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *recv = mpi_fw_req_by_id(fw, p->match, FW_RECV);
    struct fw_data d;
    if (!recv || p->length < sizeof d) {
        fw_stray(fw, recv);
        return;
    }
    memcpy(&d, p->head, sizeof d);
    if (is_next(recv, &d, p->length))
        take_chunk(fw, recv, &d, p);
    else
        fw_stray(fw, recv);
}

const struct fw_protocol mpi_fw_protocol_staged = {
    .name = "staged", .id = FW_PROTOCOL_staged, .sender_ends = true, .able = able, .best = best,
    .matched = matched, .cleared = cleared, .advance = advance,
};
