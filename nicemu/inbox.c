/* Packets through inbox rings: the sending and the receiving half, for links whose ranks share the job's memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "baton.h"

enum {
    BODY_SPINS = 200,                           /* looks at a line of a packet before the turn ends */
    CHUNK_LINES = 16,                           /* see below */
    TAKE_SPINS = 500,                           /* a microsecond or two: then a receive is posted in the usual way */
    LENGTH_MAX = NIC_MESSAGE_BYTES_MAX + 64,    /* payload of a packet: data, head and event key */
};

static_assert((int)LENGTH_MAX <= (int)NIC_PACKET_BYTES_MAX, "a largest message fits a ring several times");

/* Fills the header line; returns how many data bytes went into it. */
static inline uint32_t fill_head(struct nic_line *l, const struct nic_message *m)
{
    uint32_t room = NIC_LINE_HEAD_BYTES - m->head_bytes, n = m->data_bytes < room ? m->data_bytes : room;
    l->match = m->match;
    for (unsigned i = 0; i < m->head_bytes; i += 8)
        memcpy(l->head + i, (const unsigned char *)m->head + i, 8);
    nic_copy_short(l->head + m->head_bytes, m->data, n);
    return n;
}

/* Lines [from, to) behind the header; each carries its stamp, so none can be taken for a header.  Returns what comes next in the data. */
static inline const unsigned char *fill_lines(struct nic_ring *r, uint64_t from, uint64_t to, const unsigned char *data, uint32_t *left)
{
    for (uint64_t pos = from; pos < to; pos++) {
        struct nic_line *l = nic_ring_at(r, pos);
        uint32_t n = *left;
        if (likely(n >= NIC_LINE_BODY_BYTES))
            memcpy(l->body, data, n = NIC_LINE_BODY_BYTES);
        else
            nic_copy_short(l->body, data, n);
        nic_ring_publish(r, pos, nic_ring_stamp(pos));
        data += n;
        *left -= n;
    }
    return data;
}

/* After a packet: wakes the peer if it sleeps and must not sleep through it. */
static inline void ring_if_asleep(struct nic *n, unsigned peer, bool service)
{
    struct nic_public *pub = &n->publics[peer];
    if (unlikely(service) || unlikely(!n->asymmetric))
        atomic_thread_fence(memory_order_seq_cst);      /* pairs with the locked instruction that set NIC_ARMED */
    else
        atomic_signal_fence(memory_order_seq_cst);      /* pairs with nic_fence_all of the sleeping host */
    uint32_t attention = atomic_load_explicit(&pub->attention, memory_order_relaxed);
    if (likely(!attention))
        return;
    if (attention & NIC_PARKED)
        nic_doorbell_ring(pub, NIC_BELL_HOST);
    else if (service && (attention & NIC_ARMED))
        nic_doorbell_ring(pub, NIC_BELL_THREAD);
}

static inline int send_lines(struct nic *n, unsigned peer, const struct nic_message *m, bool service)
{
    struct nic_ring *r = nic_job_ring(n->job, peer);
    uint32_t bytes = m->head_bytes + m->data_bytes;
    unsigned lines = nic_ring_lines_for(bytes);
    uint64_t pos;
    if (unlikely(bytes > LENGTH_MAX))
        return -EMSGSIZE;
    if (unlikely(!nic_ring_reserve(r, lines, &n->peer[peer].head_seen, &pos)))
        return -EAGAIN;
    uint32_t done = fill_head(nic_ring_at(r, pos), m), left = m->data_bytes - done;
    const unsigned char *data = (const unsigned char *)m->data + done;
    uint64_t end = pos + lines, shown = pos + (lines < CHUNK_LINES ? lines : CHUNK_LINES);
    if (lines > 1)
        data = fill_lines(r, pos + 1, shown, data, &left);
    nic_ring_publish(r, pos, nic_word0(pos, m->type, m->flags, bytes));
    if (lines > CHUNK_LINES)
        fill_lines(r, shown, end, data, &left);
    ring_if_asleep(n, peer, service);
    return 0;
}

/* On the model clock the event key rides in front of the payload. */
static int send_keyed(struct nic *n, unsigned peer, const struct nic_message *m, bool service)
{
    struct { struct nic_event_key key; unsigned char head[NIC_LINE_HEAD_BYTES - sizeof(struct nic_event_key)]; } keyed;
    struct nic_message k = *m;
    if (m->head_bytes > sizeof keyed.head)
        return -EMSGSIZE;
    NIC_CHARGE(n, SEND, 1);
    NIC_CHARGE(n, SEND_BYTE, m->head_bytes + m->data_bytes);
    NIC_CHARGE(n, HOP, 1);
    keyed.key = nic_clock_key(n->clock, n->rank);
    memcpy(keyed.head, m->head, m->head_bytes);
    k.head = &keyed;
    k.head_bytes = (uint16_t)(m->head_bytes + sizeof keyed.key);
    k.flags |= NIC_FLAG_KEYED;
    return send_lines(n, peer, &k, service);
}

bool nic_send_now(struct nic *n, unsigned peer, uint8_t type, uint64_t match, const void *data, size_t bytes)
{
    if (unlikely(n->shared || !n->inbox_link || bytes > NIC_MESSAGE_BYTES_MAX) || unlikely(!nic_baton_try(n)))
        return false;
    struct nic_message m = { .type = type, .match = match, .data = data, .data_bytes = (uint32_t)bytes };
    bool sent = likely(!n->active && !n->clock) && likely(!send_lines(n, peer, &m, false));
    if (unlikely(n->service > 0))
        nic_leave(n);
    else
        nic_baton_give(n);
    return sent;
}

int nic_inbox_send(struct nic *n, unsigned peer, const struct nic_message *m, bool service)
{
    return unlikely(n->clock != NULL) ? send_keyed(n, peer, m, service) : send_lines(n, peer, m, service);
}

bool nic_inbox_ready(const struct nic *n)
{
    return nic_ring_peek(n->inbox, n->head) != 0;
}

/* Copies the lines up to position `end` to where the firmware wants them. */
static void land_lines(struct nic *n, uint64_t end)
{
    struct nic_landing *g = &n->landing;
    for (; n->head < end; n->head++) {
        const struct nic_line *l = nic_ring_at(n->inbox, n->head);
        uint32_t bytes = g->bytes < NIC_LINE_BODY_BYTES ? g->bytes : NIC_LINE_BODY_BYTES;
        size_t kept = bytes < g->room ? bytes : g->room;
        if (likely(kept == NIC_LINE_BODY_BYTES))
            memcpy(g->to, l->body, NIC_LINE_BODY_BYTES);
        else
            nic_copy_short(g->to, l->body, kept);
        g->to += kept;
        g->room -= kept;
        g->bytes -= bytes;
    }
    nic_ring_return(n->inbox, n->head);
}

static bool published(struct nic *n, uint64_t pos)
{
    for (unsigned i = 0; i < BODY_SPINS; i++)
        if (nic_ring_peek(n->inbox, pos))
            return true;
    return false;
}

/* A packet comes in chunks of CHUNK_LINES, the first one with the header: the sender fills a chunk while the receiver copies the one before.  The
 * receiver looks at the last line of a chunk only (the sender publishes in order, so R0 of the last line is that of all): to look at
 * each would take every line away from the sender just before it writes there. */
static bool land_body(struct nic *n)
{
    struct nic_landing *g = &n->landing;
    bool moved = false;
    while (g->lines) {
        unsigned lines = g->lines < CHUNK_LINES ? g->lines : CHUNK_LINES;
        if (!published(n, n->head + lines - 1))
            return moved;
        land_lines(n, n->head + lines);
        g->lines -= lines;
        moved = true;
    }
    if (g->cookie)
        n->program->landed(n->context, g->cookie);
    return moved;
}

/* Takes the event key off a packet of the model clock.  A short one is dropped: false. */
static bool strip_key(struct nic *n, struct nic_packet *p)
{
    struct nic_event_key key;
    if (p->head_bytes < sizeof key)
        return false;
    memcpy(&key, p->head, sizeof key);
    p->head = (const unsigned char *)p->head + sizeof key;
    p->head_bytes -= sizeof key;
    p->length -= sizeof key;
    p->flags &= (uint8_t)~NIC_FLAG_KEYED;
    p->time = key.time;
    if (n->clock)
        nic_clock_event(n->clock, key.time);
    return true;
}

bool nic_inbox_poll(struct nic *n)
{
    if (unlikely(n->landing.lines))
        return land_body(n);
    uint64_t w = nic_ring_peek(n->inbox, n->head);
    if (!w)
        return false;
    const struct nic_line *l = nic_ring_at(n->inbox, n->head);
    uint32_t length = (uint32_t)(w >> 32);
    struct nic_packet p = { .type = (uint8_t)(w >> 16), .flags = (uint8_t)(w >> 24), .length = length, .match = l->match, .head = l->head,
                            .head_bytes = length < NIC_LINE_HEAD_BYTES ? length : NIC_LINE_HEAD_BYTES };
    unsigned lines = length <= LENGTH_MAX ? nic_ring_lines_for(length) : 1;
    bool sound = length <= LENGTH_MAX && (likely(!(p.flags & NIC_FLAG_KEYED)) || strip_key(n, &p));
    NIC_CHARGE(n, DISPATCH, 1);
    NIC_CHARGE(n, RECEIVE_BYTE, p.length);
    n->landing = (struct nic_landing){ 0 };
    n->in_handler_landing = lines > 1;
    if (likely(sound))
        n->program->packet(n->context, &p);
    n->in_handler_landing = false;
    n->head++;
    if (lines == 1) {
        nic_ring_return(n->inbox, n->head);
        return true;
    }
    n->landing.bytes = length - NIC_LINE_HEAD_BYTES;
    land_lines(n, n->head + (lines < CHUNK_LINES ? lines : CHUNK_LINES) - 1);
    n->landing.lines = lines <= CHUNK_LINES ? 0 : lines - CHUNK_LINES;
    land_body(n);
    return true;
}

/* The rest of a packet whose header has come; a sender that was interrupted in the middle of it gets the processor. */
static void take_body(struct nic *n, uint32_t length, unsigned lines, void *to, size_t room)
{
    n->landing = (struct nic_landing){ .bytes = length - NIC_LINE_HEAD_BYTES, .to = to, .room = room };
    land_lines(n, n->head + (lines < CHUNK_LINES ? lines : CHUNK_LINES) - 1);
    n->landing.lines = lines <= CHUNK_LINES ? 0 : lines - CHUNK_LINES;
    while (n->landing.lines)
        if (!land_body(n))
            sched_yield();
}

bool nic_take(struct nic *n, uint8_t type, uint64_t match, uint64_t mask, void *to, size_t capacity, struct nic_taken *taken)
{
    uint64_t w = 0;
    if (unlikely(n->shared || n->clock || n->landing.lines || n->active || !n->inbox_link))
        return false;
    for (unsigned i = n->oversubscribed ? 1 : TAKE_SPINS; i && !(w = nic_ring_peek(n->inbox, n->head)); i--)
        ;
    const struct nic_line *l = nic_ring_at(n->inbox, n->head);
    uint32_t length = (uint32_t)(w >> 32), first = length < NIC_LINE_HEAD_BYTES ? length : NIC_LINE_HEAD_BYTES;
    if (!w || (uint16_t)(w >> 16) != type || unlikely((l->match ^ match) & ~mask) || unlikely(length > capacity || length > LENGTH_MAX))
        return false;
    taken->match = l->match;
    taken->length = length;
    nic_copy_short(to, l->head, first);
    n->head++;
    if (likely(length <= NIC_LINE_HEAD_BYTES))
        nic_ring_return(n->inbox, n->head);
    else
        take_body(n, length, nic_ring_lines_for(length), (char *)to + first, capacity - first);
    return true;
}

void nic_sink(struct nic *n, void *to, size_t capacity, void *cookie)
{
    if (!n->in_handler_landing)
        return;
    n->landing.to = to;
    n->landing.room = capacity;
    n->landing.cookie = cookie;
}
