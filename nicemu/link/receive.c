/* Packets through inbox rings: the receiving half, for links whose ranks share the job's memory. */
#define _GNU_SOURCE
#include "link/receive.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/baton.h"
#include "link/lines.h"

enum {
    /* looks at the next chunk of a packet before the turn ends */
    CHUNK_SPINS = 200,
    /* Up to so many bytes of interior lines are taken line by line (lines.h).  One-way streams, us
     * per message by memcpy and so, cores with an L3 cache in common: 768 bytes 0.26, 0.07, 1 KiB
     * 0.27, 0.16; 2 KiB 0.19, 0.33, 4 KiB 0.28, 0.37. */
    TAKEN_BY_LINES = 1536,
    /* Up to so many without a number that depends on the length (nic_lines_take): half round trips
     * of 256 bytes 0.297, 0.269 us, of 512 0.313, 0.316, of 1 KiB 0.384, 0.406. */
    TAKEN_FORESEEN = 256,
};

bool nic_inbox_ready(const struct nic *n)
{
    return nic_ring_peek(n->inbox, nic_inbox_head(n)) != 0;
}

/* Without the baton: another thread may take the next line meanwhile, and a sender fill it again as
 * the middle of a packet, so that it must not be looked at. */
bool nic_inbox_coming(const struct nic *n)
{
    return atomic_load_explicit(&n->inbox->tail, memory_order_acquire) != nic_inbox_head(n);
}

bool nic_inbox_unchecked;

void nic_inbox_end(struct nic *n)
{
    fprintf(stderr, "nicemu: rank %u: line %u of its inbox is not what a sender wrote: "
            "some rank writes where it should not\n", n->rank,
                (unsigned)(nic_inbox_head(n) % NIC_RING_LINES));
    nic_job_set_abort(n->job, n->rank, 1);
    _exit(1);
}

/* The next bytes of the packet go to where the firmware wants them; what has no room is dropped. */
static void land(struct nic *n, const void *from, uint32_t bytes)
{
    struct nic_landing *g = &n->landing;
    size_t kept = bytes < g->room ? bytes : g->room;
    if (unlikely(g->scattered)) {
        if (kept)
            n->program->gaps->scatter(n, n->context, g->cookie, g->place, from, kept);
        g->place += kept;
        g->room -= kept;
    } else if (kept) {
        memcpy(g->to, from, kept);
        g->to += kept;
        g->room -= kept;
    }
    g->bytes -= bytes;
    NIC_COUNT(n, bytes_cut, bytes - kept);
}

/* The interior lines of a chunk, of which the first line has
 * been read: copied, cleared and given back. */
static void land_interior(struct nic *n)
{
    uint32_t left = n->landing.bytes, bytes = left < NIC_INTERIOR_DATA ? left : NIC_INTERIOR_DATA;
    uint64_t end = nic_inbox_head(n) + (bytes + NIC_LINE_BYTES - 1) / NIC_LINE_BYTES;
    uint64_t until_end = (NIC_RING_LINES - nic_inbox_head(n) % NIC_RING_LINES) * NIC_LINE_BYTES;
    uint32_t first = bytes <= until_end ? bytes : (uint32_t)until_end;
    land(n, (const void *)nic_ring_at(n->inbox, nic_inbox_head(n)), first);
    if (unlikely(first < bytes))
        land(n, (const void *)n->inbox->line, bytes - first);
    for (uint64_t pos = nic_inbox_head(n); pos < end; pos++)
        atomic_store_explicit(&nic_ring_at(n->inbox, pos)->word0, 0, memory_order_relaxed);
    nic_ring_return(n->inbox, nic_inbox_move_head(n, end - nic_inbox_head(n)));
}

static bool published(struct nic *n)
{
    for (unsigned i = 0; i < CHUNK_SPINS; i++) {
        if (nic_ring_peek(n->inbox, nic_inbox_head(n)))
            return true;
        nic_one_look();
    }
    return false;
}

/* The chunks that have come; true: at least one. */
static bool land_chunks(struct nic *n)
{
    struct nic_landing *g = &n->landing;
    bool moved = false;
    while (g->bytes) {
        if (!published(n))
            return moved;
        uint32_t first = g->bytes < NIC_CONTINUATION_DATA ? g->bytes : NIC_CONTINUATION_DATA;
        land(n, nic_ring_at(n->inbox, nic_inbox_head(n))->body, first);
        nic_inbox_pass_line(n);
        land_interior(n);
        moved = true;
    }
    return moved;
}

static inline void tell_landed(struct nic *n)
{
    if (unlikely(n->landing.landed != NULL))
        n->landing.landed(n, n->landing.cookie);
    else if (n->landing.cookie)
        n->program->landed(n, n->context, n->landing.cookie);
}

/* Goes on with a packet under way; its end is told to the firmware. */
static bool land_body(struct nic *n)
{
    bool moved = land_chunks(n);
    if (!n->landing.bytes)
        tell_landed(n);
    return moved;
}

static inline void deliver(struct nic *n, const struct nic_packet *p)
{
    if (likely(p->type < NIC_HW_FIRST))
        n->program->packet(n, n->context, p);
    else
        n->units->packet(n, p);
    NIC_COUNT(n, bytes_received, p->length);
}

/* A packet of more than its header line.  What its handler says of the rest is meant for us. */
static nic_noinline void deliver_longer(struct nic *n, const struct nic_packet *p, uint32_t length,
                                        bool sound)
{
    n->landing = (struct nic_landing){ 0 };
    n->in_handler_landing = true;
    if (sound)
        deliver(n, p);
    n->in_handler_landing = false;
    nic_inbox_pass_line(n);
    n->landing.bytes = length - NIC_HEADER_DATA;
    land_interior(n);
    land_body(n);
}

static nic_noinline void restart(struct nic *n)
{
    uint64_t before = nic_inbox_head(n), head = nic_ring_restart(n->inbox, before);
    atomic_store_explicit(&n->head, head, memory_order_relaxed);
    atomic_fetch_add_explicit(&n->lines_left_out, head - before, memory_order_relaxed);
}

static inline void count_in_a_row(struct nic *n, unsigned source)
{
    if (likely(source == n->streams)) {
        n->in_a_row++;
        return;
    }
    n->streams = source;
    n->in_a_row = 1;
}

/* See NIC_STREAM_PACKETS. */
static nic_noinline void fall_behind(struct nic *n)
{
    n->in_a_row = NIC_STREAM_PACKETS - NIC_STREAM_AGAIN;
    if (!n->take_looks || n->model)
        return;
    uint64_t until = nic_now() + NIC_STREAM_PAUSE_NS;
    while (nic_now() < until)
        nic_relax();
    if (!nic_inbox_ready(n))
        n->in_a_row = 1;
}

/* There is nothing to do but this. */
static inline void found_empty(struct nic *n)
{
    if (unlikely(nic_inbox_head(n) % NIC_RING_LINES >= n->restart_lines))
        restart(n);
    if (unlikely(n->in_a_row >= NIC_STREAM_PACKETS))
        fall_behind(n);
}

bool nic_inbox_poll(struct nic *n)
{
    if (unlikely(n->landing.bytes))
        return land_body(n);
    uint64_t head = nic_inbox_head(n), w = nic_ring_peek(n->inbox, head);
    if (!w) {
        found_empty(n);
        return false;
    }
    nic_inbox_check_header(n, w);
    const struct nic_line *l = nic_ring_at(n->inbox, head);
    uint32_t length = nic_ring_length(w);
    struct nic_packet p = { .type = (uint8_t)(w >> 16), .flags = (uint8_t)(w >> 24),
                            .length = length, .match = l->match, .head = l->head,
                            .head_bytes = length < NIC_HEADER_DATA ? length : NIC_HEADER_DATA };
    n->source = nic_ring_source(w);
    count_in_a_row(n, n->source);
    /* A length that cannot be is not followed, and a source that cannot be looked up. */
    bool sound = length <= NIC_LENGTH_MAX && likely(!(p.flags & NIC_FLAG_KEYED))
                 && likely(n->source < n->ranks);
    if (unlikely(length > NIC_HEADER_DATA && length <= NIC_LENGTH_MAX)) {
        deliver_longer(n, &p, length, sound);
    } else {
        if (likely(sound))
            deliver(n, &p);
        nic_ring_return(n->inbox, nic_inbox_pass_line(n));
    }
    NIC_COUNT(n, packets_received, 1);
    if (unlikely(!sound))
        NIC_COUNT(n, packets_malformed, 1);
    return true;
}

/* The rest of a packet whose header has come; a sender that was interrupted in the middle of it
 * gets the processor. */
static void take_body(struct nic *n, uint32_t bytes, void *to)
{
    n->landing = (struct nic_landing){ .bytes = bytes, .to = to, .room = bytes };
    land_interior(n);
    while (n->landing.bytes)
        if (!land_chunks(n))
            sched_yield();
}

/* The only interior line. */
static inline void take_line(struct nic *n, uint32_t bytes, void *to)
{
    struct nic_line *l = nic_ring_at(n->inbox, nic_inbox_head(n));
    nic_line_copy(to, (const void *)l, bytes);
    atomic_store_explicit(&l->word0, 0, memory_order_relaxed);
    nic_ring_return(n->inbox, nic_inbox_move_head(n, 1));
}

/* The rest of the only chunk, where the ring does not end in it. */
static inline bool take_interior(struct nic *n, uint32_t bytes, void *to)
{
    unsigned lines = (bytes + NIC_LINE_BYTES - 1) / NIC_LINE_BYTES;
    struct nic_line *l = nic_ring_at(n->inbox, nic_inbox_head(n));
    if (unlikely(bytes > NIC_INTERIOR_DATA
                 || nic_inbox_head(n) % NIC_RING_LINES + lines > NIC_RING_LINES))
        return false;
    if (bytes <= TAKEN_FORESEEN)
        nic_lines_take(to, (const void *)l, bytes);
    else if (bytes <= TAKEN_BY_LINES)
        nic_lines_copy(to, (const void *)l, bytes);
    else
        memcpy(to, (const void *)l, bytes);
    for (unsigned i = 0; i < lines; i++)
        atomic_store_explicit(&l[i].word0, 0, memory_order_relaxed);
    nic_ring_return(n->inbox, nic_inbox_move_head(n, lines));
    return true;
}

/* A loop that works out but once where to look and what for is slower: it looks more often, and
 * takes the line away from the sender, or the core where both share one (half round trip 74 -> 78
 * ns, and 33 -> 36). */
static inline uint64_t next_header(struct nic *n)
{
    uint64_t w = nic_ring_peek(n->inbox, nic_inbox_head(n));
    if (!w)
        found_empty(n);
    for (unsigned i = n->take_looks; i && !w; i--) {
        nic_one_look();
        w = nic_ring_peek(n->inbox, nic_inbox_head(n));
    }
    return w;
}

/* Once the lines are back: the sender may be waiting for them. */
static inline bool taken_short(struct nic *n, uint32_t length, unsigned source)
{
    count_in_a_row(n, source);
    NIC_COUNT(n, receives_short, 1);
    NIC_COUNT(n, bytes_received, length);
    return true;
}

static nic_noinline bool take_longer(struct nic *n, const struct nic_line *l, uint64_t w,
                                     unsigned char *to)
{
    uint32_t length = nic_ring_length(w);
    memcpy(to, l->head, NIC_HEADER_DATA);
    nic_inbox_pass_line(n);
    if (length <= NIC_HEADER_DATA + NIC_LINE_BYTES)
        take_line(n, length - NIC_HEADER_DATA, to + NIC_HEADER_DATA);
    else if (!take_interior(n, length - NIC_HEADER_DATA, to + NIC_HEADER_DATA))
        take_body(n, length - NIC_HEADER_DATA, to + NIC_HEADER_DATA);
    return taken_short(n, length, nic_ring_source(w));
}

/* The packet with that word 0, if it is what is asked for. */
static nic_inline bool take(struct nic *n, uint64_t w, uint8_t type, uint64_t match, uint64_t mask,
                            void *to, size_t capacity, struct nic_received *taken)
{
    const struct nic_line *l = nic_ring_at(n->inbox, nic_inbox_head(n));
    uint32_t length = nic_ring_length(w);
    if (w)
        nic_inbox_check_header(n, w);
    if (!w || (uint16_t)(w >> 16) != type || unlikely((l->match ^ match) & ~mask)
        || unlikely(length > capacity))
        return false;
    taken->match = l->match;
    taken->length = length;
    if (unlikely(length > NIC_HEADER_DATA))
        return length <= NIC_LENGTH_MAX && take_longer(n, l, w, to);
    nic_line_copy(to, l->head, length);
    nic_ring_return(n->inbox, nic_inbox_pass_line(n));
    return taken_short(n, length, nic_ring_source(w));
}

/* Packets are to be taken one by one, and not past what is under way. */
static inline bool takes_none(const struct nic *n)
{
    return unlikely(n->fast_path.slow_reasons & (NIC_SLOW_SHARED | NIC_SLOW_MOVE))
           || unlikely(n->landing.bytes);
}

bool nic_try_receive(struct nic *n, uint8_t type, uint64_t match, uint64_t mask, void *to,
                     size_t capacity, struct nic_received *taken)
{
    return !takes_none(n) && take(n, next_header(n), type, match, mask, to, capacity, taken);
}

bool nic_take_next(struct nic *n, uint8_t type, uint64_t match, uint64_t mask, void *to,
                   size_t capacity, struct nic_received *taken)
{
    return !takes_none(n) && take(n, nic_ring_peek(n->inbox, nic_inbox_head(n)), type, match, mask,
                                  to, capacity, taken);
}

bool nic_next_is(struct nic *n, uint8_t type, uint64_t *match)
{
    if (takes_none(n))
        return false;
    uint64_t w = nic_ring_peek(n->inbox, nic_inbox_head(n));
    if (!w || (uint16_t)(w >> 16) != type)
        return false;
    *match = nic_ring_at(n->inbox, nic_inbox_head(n))->match;
    return true;
}

void nic_deliver_next(struct nic *n)
{
    if (nic_inbox_poll(n))
        nic_moved(n);
}

/* -- for the engine of the model clock */

bool nic_inbox_take_rest(struct nic *n, uint32_t bytes, void *to)
{
    /* of the handler that sends, and found a ring full */
    struct nic_landing under_way = n->landing;
    n->landing = (struct nic_landing){ .bytes = bytes, .to = to, .room = bytes };
    land_interior(n);
    land_chunks(n);
    bool whole = !n->landing.bytes;
    n->landing = under_way;
    return whole;
}

void nic_inbox_land_rest(struct nic *n, const void *from, uint32_t bytes)
{
    n->landing.bytes = bytes;
    land(n, from, bytes);
    tell_landed(n);
}

void nic_packet_deliver(struct nic *n, unsigned source, const struct nic_packet *p)
{
    n->source = source;
    if (p->length > p->head_bytes) {
        n->landing = (struct nic_landing){ 0 };
        n->in_handler_landing = true;
        deliver(n, p);
        n->in_handler_landing = false;
        const char *rest = (const char *)p->head + p->head_bytes;
        nic_inbox_land_rest(n, rest, p->length - p->head_bytes);
    } else {
        deliver(n, p);
    }
    NIC_COUNT(n, packets_received, 1);
}

void nic_receive_body(struct nic *n, void *to, size_t capacity, void *cookie)
{
    if (!n->in_handler_landing)
        return;
    n->landing.to = to;
    n->landing.room = capacity;
    n->landing.cookie = cookie;
}

void nic_receive_scattered(struct nic *n, size_t place, size_t capacity, void *cookie)
{
    if (!n->in_handler_landing)
        return;
    n->landing.scattered = true;
    n->landing.place = place;
    n->landing.room = capacity;
    n->landing.cookie = cookie;
}
