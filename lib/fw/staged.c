/* Staged: copied twice, both ends at work at the same time.  Works everywhere.
 *
 * RTS, CTS, then a chunk in each DATA packet, through the receiver's inbox; CREDIT returns one of
 * the few chunks that may be on the way at a time, since the inbox is there for others too.  The
 * receiver copies one part of a chunk while the sender fills the next, and the ring stays in both
 * caches (1 MiB, half round trip: 55 us; Open MPI's two copies 138).
 *
 * MPILITE_STAGED=buffers takes the other way, that of a NIC with a scratchpad: the sender copies
 * into a free buffer there and sends DATA, the receiver copies out and returns the buffer with
 * CREDIT (145 us).  Where there is no room for buffers that goes through the inbox too. */
#include "fw/staged.h"

#include <string.h>

#include "fw/active.h"
#include "fw/claim_word.h"
#include "fw/data.h"
#include "fw/req_list.h"
#include "fw/request.h"
#include "fw/rndv_control.h"
#include "fw/sendq.h"
#include "fw/stray.h"
#include "fw/tuning.h"

/* -- buffers in the sender's scratchpad */

static void buffers_found(struct fw *fw, uint64_t area, unsigned n, uint32_t bytes)
{
    fw->stage_area = area;
    fw->stage_bytes = bytes;
    fw->stages_all = n;
    for (fw->stages = 0; fw->stages < n; fw->stages++)
        fw->stage_free[fw->stages] = (uint8_t)(n - 1 - fw->stages);
}

/* The most and largest buffers that fit into their share of the scratchpad: rather fewer than
 * smaller ones.  Fewer than two of the smallest are worse than none. */
static bool find_buffers(struct fw *fw)
{
    size_t share = nic_spad_size(fw->nic) / FW_STAGE_SHARE;
    bool large = share >= FW_STAGE_BUFFERS_MIN * FW_STAGE_BYTES;
    uint32_t bytes = large ? FW_STAGE_BYTES : FW_STAGE_BYTES_MIN;
    size_t most = share / bytes;
    unsigned n = most < FW_STAGE_BUFFERS ? (unsigned)most : FW_STAGE_BUFFERS;
    for (; n >= FW_STAGE_BUFFERS_MIN; n /= 2) {
        uint64_t area =
            nic_spad_alloc(fw->nic, NIC_SPAD_BUFFERS, (size_t)n * bytes, FW_STAGE_UNIT);
        if (area != NIC_SPAD_NONE) {
            buffers_found(fw, area, n, bytes);
            return true;
        }
    }
    return false;
}

static inline bool have_buffers(struct fw *fw)
{
    return fw->stage_in_buffers && (fw->stage_area != NIC_SPAD_NONE || find_buffers(fw));
}

static inline uint64_t buffer_offset(const struct fw *fw, unsigned i)
{
    return fw->stage_area + (uint64_t)i * fw->stage_bytes;
}

/* -- sender */

static void cleared(struct fw *fw, struct fw_req *send) { mpi_fw_activate(fw, send); }

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

/* Small pieces first and last keep both processors busy. */
static uint32_t piece_of(const struct fw_req *send, size_t most)
{
    size_t n = send->bytes / FW_STAGE_CHUNKS, left = send->bytes - send->offset;
    n = n < FW_STAGE_BYTES_MIN ? FW_STAGE_BYTES_MIN : n > most ? most : n;
    return (uint32_t)(n < left ? n : left);
}

/* The last chunk's packet completes the send: until it is out, the user's buffer is what the packet
 * is made of. */
static void send_inline(struct fw *fw, struct fw_req *send)
{
    struct fw_data d = { .offset = send->offset, .buffer = FW_STAGE_INLINE };
    bool far = is_far(fw, send->peer);
    d.bytes = piece_of(send, far ? FW_FAR_CHUNK : NIC_MESSAGE_BYTES_MAX);
    struct nic_tx m = { .type = FW_PACKET_DATA, .match = send->remote, .head = &d,
                        .head_bytes = sizeof d, .data_bytes = d.bytes };
    fw_data_of(&m, send, d.offset);
    bool last = d.offset + d.bytes == send->bytes;
    --*credits(fw, far);
    FW_COUNT(fw, bytes_staged, d.bytes);
    send->offset += d.bytes;
    if (last && send->claim_word)
        mpi_fw_claim_word_free(fw, send->claim_word);
    mpi_fw_post(fw, send->peer, &m, true, last ? send : NULL);
    if (!last)
        mpi_fw_reactivate(fw, send);
}

/* The DATA packet is published behind the copy, so that the receiver finds the chunk there. */
static void send_staged(struct fw *fw, struct fw_req *send)
{
    unsigned i = fw->stage_free[--fw->stages];
    uint64_t at = buffer_offset(fw, i);
    fw->stages_out |= 1u << i;
    struct fw_data d = { .offset = send->offset, .bytes = piece_of(send, fw->stage_bytes),
                         .buffer = (uint32_t)(at / FW_STAGE_UNIT) };
    fw_data_out(send, d.offset, nic_spad_at(fw->nic, fw->rank, at, d.bytes), d.bytes);
    mpi_fw_post_control(fw, send->peer, FW_PACKET_DATA, send->remote, &d, sizeof d);
    FW_COUNT(fw, bytes_staged, d.bytes);
    send->offset += d.bytes;
    if (send->offset < send->bytes)
        mpi_fw_reactivate(fw, send);
    else
        mpi_fw_finish_send(fw, send);
}

static bool advance(struct fw *fw, struct fw_req *send)
{
    bool far = is_far(fw, send->peer), buffers = !far && have_buffers(fw);
    if (buffers ? !fw->stages : !*credits(fw, far)) {
        /* All are on the way: a credit will come. */
        fw_req_list_append(waiting(fw, far), send);
        return false;
    }
    if (buffers)
        send_staged(fw, send);
    else
        send_inline(fw, send);
    return true;
}

static bool take_back_inline(struct fw *fw, bool far)
{
    unsigned *free = credits(fw, far);
    bool out = *free < (far ? FW_FAR_CREDITS : FW_INBOX_CREDITS);
    *free += out;
    return out;
}

/* False: nothing that is out. */
static bool take_back_buffer(struct fw *fw, uint64_t buffer)
{
    uint64_t first = fw->stage_area / FW_STAGE_UNIT, units = fw->stage_bytes / FW_STAGE_UNIT;
    if (fw->stage_area == NIC_SPAD_NONE || buffer < first || (buffer - first) % units
        || (buffer - first) / units >= fw->stages_all)
        return false;
    unsigned i = (unsigned)((buffer - first) / units);
    if (!(fw->stages_out >> i & 1))
        return false;
    fw->stages_out &= ~(1u << i);
    fw->stage_free[fw->stages++] = (uint8_t)i;
    return true;
}

void mpi_fw_credit_arrived(struct fw *fw, const struct nic_packet *p)
{
    bool inbox = p->match == FW_STAGE_INLINE, far = is_far(fw, nic_packet_source(fw->nic));
    if (!(inbox ? take_back_inline(fw, far) : take_back_buffer(fw, p->match))) {
        fw_stray_packet(fw);
        return;
    }
    struct fw_req *send = fw_req_list_take(waiting(fw, far));
    if (send)
        mpi_fw_activate(fw, send);
}

/* -- receiver */

static bool able(struct fw *fw, const struct fw_transfer *t)
{
    (void)fw, (void)t;
    return true;
}

/* Through the inbox, by whoever has the bytes in its cache. */
static bool goes_by_inbox(const struct fw *fw)
{
    return !fw->stage_in_buffers && !nic_oversubscribed(fw->nic) && nic_has_thread(fw->nic);
}

/* Not where the kernel has no part in a copy anyway, in a mapped heap. */
static bool best(struct fw *fw, const struct fw_transfer *t)
{
    const struct fw_req *r = t->recv;
    if (t->from_gaps || t->to_gaps)
        return false;                   /* but the last of all, if both ends cannot */
    return r->bytes <= FW_INBOX_MOST && (t->paths & NIC_RDMA_READ) && !fw->pull_only
           && goes_by_inbox(fw) && !nic_rdma_mapped(fw->nic, r->peer, r->address, r->bytes);
}

static void matched(struct fw *fw, struct fw_req *recv) { mpi_fw_send_cts(fw, recv); }

static void chunk_done(struct fw *fw, struct fw_req *recv, const struct fw_data *d)
{
    mpi_fw_post_control(fw, recv->peer, FW_PACKET_CREDIT, d->buffer, NULL, 0);
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
    if (d->buffer == FW_STAGE_INLINE) {
        take_inline(fw, recv, d, p);
        return;
    }
    uint64_t at = (uint64_t)d->buffer * FW_STAGE_UNIT;
    const void *from = nic_spad_at(fw->nic, recv->peer, at, d->bytes);
    if (!from) {
        fw_stray(fw, recv);
        return;
    }
    fw_data_in(recv, d->offset, from, d->bytes);
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
