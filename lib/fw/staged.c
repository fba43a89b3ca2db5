/* Staged: copied twice, both ends at work at the same time.  Works everywhere.
 *
 * RTS, CTS, then a chunk in each DATA packet, through the receiver's inbox; CREDIT returns one of the few chunks that may be on the way at a
 * time, since the inbox is there for others too.  The receiver copies one part of a chunk while the sender fills the next, and the ring stays in
 * both caches (1 MiB, half round trip: 55 us; Open MPI's two copies 138).
 *
 * MPILITE_STAGED=buffers takes the other way, that of a NIC with a scratchpad: the sender copies into a free buffer there and sends DATA, the
 * receiver copies out and returns the buffer with CREDIT (145 us).  Where there is no room for buffers that goes through the inbox too. */
#include <string.h>

#include "fw/inside.h"

enum { CHUNK_MIN = 8 * 1024, CHUNKS = 8, BUFFERS_MIN = 2, SHARE = 4 };
static_assert(FW_STAGE_BUFFERS * FW_STAGE_BYTES == (1 << 20) / SHARE, "a scratchpad of the usual size has all of them");

/* The most and largest buffers that fit into a quarter of the scratchpad: rather fewer than smaller ones.  Fewer than two of 8 KiB are
 * worse than none. */
static bool find_buffers(struct fw *fw)
{
    size_t share = nic_spad_size(fw->nic) / SHARE;
    uint32_t bytes = share < BUFFERS_MIN * FW_STAGE_BYTES ? CHUNK_MIN : FW_STAGE_BYTES;
    size_t most = share / bytes;
    for (unsigned n = most < FW_STAGE_BUFFERS ? (unsigned)most : FW_STAGE_BUFFERS; n >= BUFFERS_MIN; n /= 2) {
        fw->stage_area = nic_spad_alloc(fw->nic, NIC_SPAD_BUFFERS, (size_t)n * bytes, FW_STAGE_UNIT);
        if (fw->stage_area == NIC_SPAD_NONE)
            continue;
        fw->stage_bytes = bytes;
        fw->stages_all = n;
        while (fw->stages < n) {
            fw->stage_free[fw->stages] = (uint8_t)(n - 1 - fw->stages);
            fw->stages++;
        }
        return true;
    }
    return false;
}

static inline bool have_buffers(struct fw *fw) { return fw->stage_in_buffers && (fw->stage_area != NIC_SPAD_NONE || find_buffers(fw)); }

static inline uint64_t buffer_offset(const struct fw *fw, unsigned i) { return fw->stage_area + (uint64_t)i * fw->stage_bytes; }

/* -- sender */

static void cleared(struct fw *fw, struct fw_req *send) { mpi_fw_activate(fw, send); }

static void starve(struct fw *fw, struct fw_req *send)
{
    send->next = NULL;
    *fw->starved_end = send;
    fw->starved_end = &send->next;
}

/* Small pieces first and last keep both processors busy. */
static uint32_t piece_of(const struct fw_req *send, size_t most)
{
    size_t n = send->bytes / CHUNKS, left = send->bytes - send->offset;
    n = n < CHUNK_MIN ? CHUNK_MIN : n > most ? most : n;
    return (uint32_t)(n < left ? n : left);
}

/* The last chunk's packet completes the send: until it is out, the user's buffer is what the packet is made of. */
static void send_inline(struct fw *fw, struct fw_req *send)
{
    struct fw_data d = { .offset = send->offset, .bytes = piece_of(send, NIC_MESSAGE_BYTES_MAX), .buffer = FW_STAGE_INLINE };
    struct nic_message m = { .type = FW_PACKET_DATA, .match = send->remote, .head = &d, .head_bytes = sizeof d,
                             .data = (const char *)send->buffer + d.offset, .data_bytes = d.bytes };
    bool last = d.offset + d.bytes == send->bytes;
    fw->inlines--;
    FW_COUNT(fw, bytes_staged, d.bytes);
    send->offset += d.bytes;
    if (last && send->ticket)
        mpi_fw_ticket_free(fw, send->ticket);
    mpi_fw_post(fw, send->peer, &m, true, last ? send : NULL);
    if (!last)
        mpi_fw_reactivate(fw, send);
}

static void send_staged(struct fw *fw, struct fw_req *send)
{
    unsigned i = fw->stage_free[--fw->stages];
    uint64_t at = buffer_offset(fw, i);
    fw->stages_out |= 1u << i;
    struct fw_data d = { .offset = send->offset, .bytes = piece_of(send, fw->stage_bytes), .buffer = (uint32_t)(at / FW_STAGE_UNIT) };
    memcpy(nic_spad_at(fw->nic, fw->rank, at, d.bytes), (const char *)send->buffer + d.offset, d.bytes);
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
    bool buffers = have_buffers(fw);
    if (buffers ? !fw->stages : !fw->inlines) {
        starve(fw, send);       /* all of them are on the way: a credit will come */
        return false;
    }
    if (buffers)
        send_staged(fw, send);
    else
        send_inline(fw, send);
    return true;
}

/* Takes back what a credit names; false: nothing that is out. */
static bool take_back(struct fw *fw, uint64_t buffer)
{
    if (buffer == FW_STAGE_INLINE) {
        bool out = fw->inlines < FW_INLINE_CHUNKS;
        fw->inlines += out;
        return out;
    }
    uint64_t first = fw->stage_area / FW_STAGE_UNIT, units = fw->stage_bytes / FW_STAGE_UNIT;
    if (fw->stage_area == NIC_SPAD_NONE || buffer < first || (buffer - first) % units || (buffer - first) / units >= fw->stages_all)
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
    if (!take_back(fw, p->match)) {
        fw_stray_packet(fw);
        return;
    }
    struct fw_req *send = fw->starved;
    if (!send)
        return;
    fw->starved = send->next;
    if (!fw->starved)
        fw->starved_end = &fw->starved;
    mpi_fw_activate(fw, send);
}

/* -- receiver */

static void matched(struct fw *fw, struct fw_req *recv) { mpi_fw_send_cts(fw, recv); }

static void chunk_done(struct fw *fw, struct fw_req *recv, const struct fw_data *d)
{
    mpi_fw_post_control(fw, recv->peer, FW_PACKET_CREDIT, d->buffer, NULL, 0);
    recv->offset += d->bytes;
    if (recv->offset == recv->bytes)
        mpi_fw_complete(fw, recv);
}

/* The chunk's first bytes came in the head of the packet; the rest lands behind them. */
static void take_inline(struct fw *fw, struct fw_req *recv, const struct fw_data *d, const struct nic_packet *p)
{
    char *to = (char *)recv->buffer + d->offset;
    uint32_t first = p->head_bytes - (uint32_t)sizeof *d;
    memcpy(to, (const char *)p->head + sizeof *d, first);
    if (first == d->bytes) {
        chunk_done(fw, recv, d);
        return;
    }
    fw->inlined = *d;
    nic_sink(fw->nic, to + first, d->bytes - first, recv);
}

void mpi_fw_inline_landed(struct fw *fw, struct fw_req *recv) { chunk_done(fw, recv, &fw->inlined); }

void mpi_fw_data_arrived(struct fw *fw, const struct nic_packet *p)
{
    struct fw_req *recv = mpi_fw_req_by_id(fw, p->match, FW_RECV);
    struct fw_data d;
    if (!recv || p->length < sizeof d) {
        fw_stray(fw, recv);
        return;
    }
    memcpy(&d, p->head, sizeof d);
    bool in_packet = d.buffer == FW_STAGE_INLINE;
    const void *from = in_packet ? NULL : nic_spad_at(fw->nic, recv->peer, (uint64_t)d.buffer * FW_STAGE_UNIT, d.bytes);
    bool sound = (recv->protocol == &mpi_fw_protocol_staged || recv->protocol == &mpi_fw_protocol_put) && (in_packet || from)
                 && p->length == sizeof d + (in_packet ? d.bytes : 0) && d.offset == recv->offset && d.bytes <= recv->bytes - recv->offset;
    if (!sound) {
        fw_stray(fw, recv);
        return;
    }
    if (in_packet) {
        take_inline(fw, recv, &d, p);
        return;
    }
    memcpy((char *)recv->buffer + d.offset, from, d.bytes);
    chunk_done(fw, recv, &d);
}

const struct fw_protocol mpi_fw_protocol_staged = { .name = "staged", .matched = matched, .cleared = cleared, .advance = advance };
