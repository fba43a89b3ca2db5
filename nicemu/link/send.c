/* Packets through inbox rings: the sending half, for links whose ranks share the job's memory. */
#include "link/send.h"

#include <errno.h>
#include <string.h>

#include "core/baton.h"
#include "core/notify.h"
#include "link/lines.h"
#include "link/receive.h"

/* Fills the header line with `n` bytes of the data.  It is the last line of its chunk to be
 * written, all at once: the receiver is looking at it, and would take it away if other lines came
 * in between (256 bytes, half round trip: 165 -> 146 ns between cores that share a cache, 658 ->
 * 567 ns far apart). */
static inline void fill_head(struct nic_line *l, const struct nic_tx *m, const void *data,
                             uint32_t n)
{
    l->match = m->match;
    for (unsigned i = 0; i < m->head_bytes; i += 8)
        memcpy(l->head + i, (const unsigned char *)m->head + i, 8);
    nic_copy_short(l->head + m->head_bytes, data, n);
}

/* Interior lines of which the ring's end takes the first bytes. */
static nic_noinline void fill_both_ends(struct nic_ring *r, uint64_t pos, const void *data,
                                        uint32_t first, uint32_t bytes)
{
    memcpy((void *)nic_ring_at(r, pos), data, first);
    memcpy((void *)r->line, (const char *)data + first, bytes - first);
}

/* Interior lines from position pos on, all of which are ours: one copy, two where the ring ends. */
static inline void fill_interior(struct nic_ring *r, uint64_t pos, const void *data, uint32_t bytes)
{
    if (bytes <= NIC_LINE_BYTES) {
        nic_copy_short((void *)nic_ring_at(r, pos), data, bytes);
        return;
    }
    uint64_t until_end = (NIC_RING_LINES - pos % NIC_RING_LINES) * NIC_LINE_BYTES;
    uint32_t first = bytes <= until_end ? bytes : (uint32_t)until_end;
    if (likely(first == bytes))
        nic_lines_copy((void *)nic_ring_at(r, pos), data, bytes);
    else
        fill_both_ends(r, pos, data, first, bytes);
}

/* Interior lines of a message of which the program copies the data. */
static void gather_interior(struct nic *n, struct nic_ring *r, uint64_t pos,
                            const struct nic_tx *m, uint32_t place, uint32_t bytes)
{
    uint64_t until_end = (NIC_RING_LINES - pos % NIC_RING_LINES) * NIC_LINE_BYTES;
    uint32_t first = bytes <= until_end ? bytes : (uint32_t)until_end;
    n->program->gaps->gather(n, n->context, m, place, (void *)nic_ring_at(r, pos), first);
    if (unlikely(first < bytes))
        n->program->gaps->gather(n, n->context, m, place + first, (void *)r->line, bytes - first);
}

/* Data of a message from a place on go to interior lines, or to the first line of a chunk.
 * `gathered` is a constant where these are inlined. */
static nic_inline void fill_lines(struct nic *n, struct nic_ring *r, uint64_t pos,
                                  const struct nic_tx *m, uint32_t place, uint32_t bytes,
                                  bool gathered)
{
    if (gathered)
        gather_interior(n, r, pos, m, place, bytes);
    else
        fill_interior(r, pos, (const char *)m->data + place, bytes);
}

static nic_inline void fill_first(struct nic *n, void *to, const struct nic_tx *m,
                                  uint32_t place, uint32_t bytes, bool gathered)
{
    if (gathered)
        n->program->gaps->gather(n, n->context, m, place, to, bytes);
    else
        nic_copy_short(to, (const char *)m->data + place, bytes);
}

/* The chunks behind the first. */
static nic_inline void fill_chunks(struct nic *n, struct nic_ring *r, uint64_t pos,
                                   const struct nic_tx *m, uint32_t place, bool gathered)
{
    for (uint32_t left = m->data_bytes - place; left;) {
        uint32_t first = left < NIC_CONTINUATION_DATA ? left : NIC_CONTINUATION_DATA;
        uint32_t interior = left - first < NIC_INTERIOR_DATA ? left - first : NIC_INTERIOR_DATA;
        unsigned lines = nic_chunk_lines(left, NIC_CONTINUATION_DATA);
        if (interior)
            fill_lines(n, r, pos + 1, m, place + first, interior, gathered);
        fill_first(n, nic_ring_at(r, pos)->body, m, place, first, gathered);
        nic_ring_publish(r, pos, nic_ring_stamp(pos));
        pos += lines;
        place += first + interior;
        left -= first + interior;
    }
}

static nic_noinline void fill_more(struct nic *n, struct nic_ring *r, uint64_t pos,
                                   const struct nic_tx *m, uint32_t place, bool gathered)
{
    if (gathered)
        fill_chunks(n, r, pos, m, place, true);
    else
        fill_chunks(n, r, pos, m, place, false);
}

/* No call: who sends by the short way would have registers to save. */
static inline bool is_full(struct nic *n, const struct nic_peer *p, unsigned lines)
{
    NIC_COUNT(n, inbox_full, 1);
    n->refused.by = (uint32_t)(p - n->peer) + 1;
    n->refused.lines = lines + NIC_RESUME_LINES;
    return false;
}

/* False: there is no room, or not enough of it yet for who has been refused.  There will be,
 * without anything that this sender does: the owner takes all that is in its inbox before it
 * waits. */
static nic_inline bool reserve(struct nic *n, struct nic_peer *p, unsigned lines, uint64_t *pos)
{
    if (unlikely(p->refused)) {
        if (p->refused < NIC_RESUME_LOOKS
            && !nic_ring_has_room(p->ring, lines + NIC_RESUME_LINES)) {
            p->refused++;
            return is_full(n, p, lines);
        }
        p->refused = 0;
    }
    if (likely(nic_ring_reserve(p->ring, lines, &p->head_seen, pos)))
        return true;
    p->refused = !n->model;     /* there no time passes for it */
    return is_full(n, p, lines);
}

/* So many lines are left for those who announce what they have: with half of the inbox four
 * neighbours' messages of 16 KiB were announced too, and took longer by a third. */
enum { ANNOUNCING_LINES = NIC_RING_LINES / 16 };

/* Whose long packet was the last there has a stream of its own. */
static bool is_crowded_out(const struct nic *n, unsigned peer, uint32_t bytes)
{
    struct nic_ring *r = n->peer[peer].ring;
    return !nic_ring_has_room(r, nic_ring_lines_for(bytes) + ANNOUNCING_LINES)
           && (n->last_long.by != peer + 1
               || n->last_long.end != atomic_load_explicit(&r->tail, memory_order_relaxed));
}

bool nic_crowded_out(const struct nic *n, unsigned peer, uint32_t bytes)
{
    return unlikely(n->crowded) && !n->model && nic_job_here(n->job, peer)
           && is_crowded_out(n, peer, bytes);
}

static nic_inline int send_lines(struct nic *n, unsigned peer, const struct nic_tx *m,
                                 bool service, uint64_t most, bool gathered)
{
    struct nic_peer *p = &n->peer[peer];
    struct nic_ring *r = p->ring;
    uint64_t pos, sum = (uint64_t)m->head_bytes + m->data_bytes;
    if (unlikely(sum > most))
        return -EMSGSIZE;
    uint32_t bytes = (uint32_t)sum;
    unsigned lines = nic_ring_lines_for(bytes);
    if (unlikely(!reserve(n, p, lines, &pos)))
        return -EAGAIN;
    uint32_t room = NIC_HEADER_DATA - m->head_bytes,
        done = m->data_bytes < room ? m->data_bytes : room, left = m->data_bytes - done;
    uint32_t interior = left < NIC_INTERIOR_DATA ? left : NIC_INTERIOR_DATA;
    unsigned char first[NIC_HEADER_DATA];       /* so that the header is written all at once */
    if (interior)
        fill_lines(n, r, pos + 1, m, done, interior, gathered);
    if (gathered && done)
        n->program->gaps->gather(n, n->context, m, 0, first, done);
    atomic_signal_fence(memory_order_release);      /* keeps the compiler from filling it earlier */
    fill_head(nic_ring_at(r, pos), m, gathered ? first : m->data, done);
    nic_ring_publish_header(r, pos, nic_word0(pos, m->type, m->flags, bytes, n->source_bits));
    if (left > interior) {
        fill_more(n, r, pos + NIC_CHUNK_LINES, m, done + interior, gathered);
        n->last_long.by = peer + 1;
        n->last_long.end = pos + lines;
    }
    nic_ring_if_asleep(n, peer, service);
    n->in_a_row = 0;
    NIC_COUNT(n, packets_sent, 1);
    NIC_COUNT(n, lines_sent, lines - 1);
    NIC_COUNT(n, bytes_sent, bytes);
    return 0;
}

static nic_noinline int send_gathered(struct nic *n, unsigned peer, const struct nic_tx *m,
                                      bool service)
{
    if (!nic_gathers(n))
        return -EINVAL;
    return send_lines(n, peer, m, service, NIC_LENGTH_MAX, true);
}

/* -- the short way of sending: what is seldom stands in functions of its own, so that the rest
 * needs no registers saved */

static nic_noinline bool refused(struct nic *n)
{
    nic_leave(n);
    return false;
}

static nic_noinline bool sent_with_care(struct nic *n, unsigned peer)
{
    nic_ring_if_asleep(n, peer, false);
    nic_leave(n);
    return true;
}

/* Behind a packet of one line, the line that comes so many later is fetched to be written.  Each
 * reservation, a locked instruction, waits until the line of the packet before is here, and in a
 * stream that is what a sender does most of the time.  Where cores are far apart an 8-byte stream
 * takes 65 ns a message; with distances of 1 to 7 lines 57, 47, 43, 39, 42, 40, 73, beyond that 60
 * to 72.  A stream of packets of two lines is slower with any. */
enum { FETCH_AHEAD = 4 };

/* Not for one that answers: the receiver, which looks there soon, would have to fetch the line back
 * (half round trip 62 -> 66 ns on near cores). */
static inline void fetch_ahead(struct nic *n, struct nic_ring *r, uint64_t pos)
{
    if (!n->in_a_row)
        nic_fetch_to_write(nic_ring_at(r, pos + FETCH_AHEAD));
}

/* One chunk; baton held, room reserved. */
static nic_inline void write_chunk(struct nic *n, struct nic_ring *r, uint64_t pos, uint8_t type,
                                   uint64_t match, const void *data, size_t bytes)
{
    struct nic_line *l = nic_ring_at(r, pos);
    if (likely(bytes <= NIC_HEADER_DATA)) {
        l->match = match;
        nic_copy_short(l->head, data, bytes);
    } else {        /* the header line last: see fill_head */
        fill_interior(r, pos + 1, (const char *)data + NIC_HEADER_DATA,
                      (uint32_t)bytes - NIC_HEADER_DATA);
        atomic_signal_fence(memory_order_release);
        l->match = match;
        memcpy(l->head, data, NIC_HEADER_DATA);
        NIC_COUNT(n, lines_sent, nic_chunk_lines((uint32_t)bytes, NIC_HEADER_DATA) - 1);
    }
    nic_ring_publish_header(r, pos, nic_word0(pos, type, 0, (uint32_t)bytes, n->source_bits));
    if (likely(bytes <= NIC_HEADER_DATA))
        fetch_ahead(n, r, pos);
    n->in_a_row = 0;
    NIC_COUNT(n, sends_short, 1);       /* once it is out: nobody waits for this */
    NIC_COUNT(n, bytes_sent, bytes);
}

/* False: there is no room.  Baton held. */
static nic_inline bool send_chunk(struct nic *n, unsigned peer, uint8_t type, uint64_t match,
                                  const void *data, size_t bytes)
{
    struct nic_peer *p = &n->peer[peer];
    uint64_t pos;
    if (unlikely(!reserve(n, p, nic_chunk_lines((uint32_t)bytes, NIC_HEADER_DATA), &pos)))
        return false;
    write_chunk(n, p->ring, pos, type, match, data, bytes);
    return true;
}

/* More than a chunk, and a chunk by a host that has the baton already; each gives it back. */
static bool send_held_lines(struct nic *n, unsigned peer, uint8_t type, uint64_t match,
                            const void *data, size_t bytes)
{
    struct nic_tx m = { .type = type, .match = match, .data = data,
                        .data_bytes = (uint32_t)bytes };
    bool sent = !send_lines(n, peer, &m, false, NIC_LENGTH_MAX, false);
    NIC_COUNT(n, sends_short, sent);
    /* send_lines took it for one of the others */
    NIC_COUNT(n, packets_sent, -(uint64_t)sent);
    nic_leave(n);
    return sent;
}

static nic_noinline bool send_held_chunk(struct nic *n, unsigned peer, uint8_t type, uint64_t match,
                                         const void *data, size_t bytes)
{
    return send_chunk(n, peer, type, match, data, bytes) ? sent_with_care(n, peer) : refused(n);
}

/* What has a reason for the slow way into the baton, or is longer than a chunk. */
static nic_noinline bool send_now_slowly(struct nic *n, unsigned peer, uint8_t type,
                                         uint64_t match, const void *data, size_t bytes)
{
    if (bytes > NIC_MESSAGE_BYTES_MAX || type >= NIC_HW_FIRST || n->model || !nic_try_enter(n))
        return false;
    if (unlikely(n->fast_path.slow_reasons & NIC_SLOW_MOVE))
        return refused(n);
    if (bytes <= NIC_HEADER_DATA + NIC_INTERIOR_DATA)
        return send_held_chunk(n, peer, type, match, data, bytes);
    return !nic_crowded_out(n, peer, (uint32_t)bytes)
           ? send_held_lines(n, peer, type, match, data, bytes) : refused(n);
}

/* There was no reason for the slow way; what the NIC thread may have changed before it gave the
 * baton back is looked at in the end. */
static nic_inline bool send_now_chunk(struct nic *n, unsigned peer, uint8_t type, uint64_t match,
                                      const void *data, size_t bytes)
{
    if (unlikely(!nic_fast_path_enter(&n->fast_path)))
        return false;
    if (unlikely(!send_chunk(n, peer, type, match, data, bytes)))
        return refused(n);
    /* pairs with nic_fence_all of the sleeping host: see nic_ring_if_asleep */
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t attention = atomic_load_explicit(&n->publics[peer].attention, memory_order_relaxed);
    if (unlikely(attention | (__atomic_load_n(&n->fast_path.slow_reasons,
            __ATOMIC_RELAXED) & (NIC_SLOW_SHARED | NIC_SLOW_LEAVE))))
        return sent_with_care(n, peer);
    __atomic_store_n(&n->fast_path.host_in, 0, __ATOMIC_RELEASE);      /* B0 */
    return true;
}

static nic_noinline bool send_now_longer(struct nic *n, unsigned peer, uint8_t type,
                                         uint64_t match, const void *data, size_t bytes)
{
    return bytes <= NIC_HEADER_DATA + NIC_INTERIOR_DATA
           ? send_now_chunk(n, peer, type, match, data, bytes)
           : send_now_slowly(n, peer, type, match, data, bytes);
}

/* Commands left in the ring come first, and what they start may wait for room: not past them. */
bool nic_send_now(struct nic *n, unsigned peer, uint8_t type, uint64_t match, const void *data,
                  size_t bytes)
{
    if (unlikely(__atomic_load_n(&n->fast_path.slow_reasons,
                                 __ATOMIC_RELAXED) | __atomic_load_n(&n->fast_path.queued,
                                                                     __ATOMIC_RELAXED)))
        return send_now_slowly(n, peer, type, match, data, bytes);
    if (unlikely(type >= NIC_HW_FIRST))
        return false;
    return likely(bytes <= NIC_HEADER_DATA) ? send_now_chunk(n, peer, type, match, data, bytes)
           : send_now_longer(n, peer, type, match, data, bytes);
}

int nic_inbox_send_lines(struct nic *n, unsigned peer, const struct nic_tx *m, uint64_t most)
{
    return send_lines(n, peer, m, false, most, false);
}

int nic_inbox_send(struct nic *n, unsigned peer, const struct nic_tx *m, bool service)
{
    if (unlikely(m->gathered))
        return send_gathered(n, peer, m, service);
    return unlikely(n->model != NULL) ? n->model_ops->send(n, peer, m)
           : send_lines(n, peer, m, service, NIC_LENGTH_MAX, false);
}

bool nic_gathers(const struct nic *n)
{
    return n->program->gaps && !n->model && n->link->flags & NIC_LINK_INBOX;
}
