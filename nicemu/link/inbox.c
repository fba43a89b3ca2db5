/* Packets through inbox rings: the sending and the receiving half, for links whose ranks share the job's memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "core/baton.h"
#include "model/state.h"
#include "remote/packets.h"

enum {
    CHUNK_SPINS = 200,                          /* looks at the next chunk of a packet before the turn ends */
    TAKE_SPINS = 500,                           /* a microsecond or two: then a receive is posted in the usual way */
    LENGTH_MAX = NIC_MESSAGE_BYTES_MAX + 64,                    /* payload of a packet: data, head and event key */
    LENGTH_MAX_WITH_WAY = LENGTH_MAX + sizeof(struct nic_way),  /* on the model clock, where the job is explained */
};

static_assert(LENGTH_MAX_WITH_WAY / NIC_INTERIOR_DATA * NIC_CHUNK_LINES + NIC_CHUNK_LINES <= NIC_RING_LINES / 2, "a largest packet fits a ring several times");

/* Fills the header line with `n` bytes of the data.  It is the last line of its chunk to be written, all at once: the receiver is
 * looking at it, and would take it away if other lines came in between (256 bytes, half round trip: 165 -> 146 ns between cores
 * that share a cache, 658 -> 567 ns far apart). */
static inline void fill_head(struct nic_line *l, const struct nic_message *m, uint32_t n)
{
    l->match = m->match;
    for (unsigned i = 0; i < m->head_bytes; i += 8)
        memcpy(l->head + i, (const unsigned char *)m->head + i, 8);
    nic_copy_short(l->head + m->head_bytes, m->data, n);
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
    memcpy((void *)nic_ring_at(r, pos), data, first);
    if (unlikely(first < bytes))
        memcpy((void *)r->line, (const char *)data + first, bytes - first);
}

/* The chunks behind the first. */
static void fill_more(struct nic_ring *r, uint64_t pos, const char *data, uint32_t left)
{
    while (left) {
        uint32_t first = left < NIC_CONTINUATION_DATA ? left : NIC_CONTINUATION_DATA;
        uint32_t interior = left - first < NIC_INTERIOR_DATA ? left - first : NIC_INTERIOR_DATA;
        unsigned lines = nic_chunk_lines(left, NIC_CONTINUATION_DATA);
        if (interior)
            fill_interior(r, pos + 1, data + first, interior);
        nic_copy_short(nic_ring_at(r, pos)->body, data, first);
        nic_ring_publish(r, pos, nic_ring_stamp(pos));
        pos += lines;
        data += first + interior;
        left -= first + interior;
    }
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
    if (attention & NIC_PARKED) {
        nic_doorbell_ring(pub, NIC_BELL_HOST);
        NIC_COUNT_SHARED(n, bells_host, 1);
    } else if (service && (attention & NIC_ARMED)) {
        nic_doorbell_ring(pub, NIC_BELL_THREAD);
        NIC_COUNT_SHARED(n, bells_thread, 1);
    }
}

void nic_notify(struct nic *n, unsigned rank) { ring_if_asleep(n, rank, false); }

static inline int send_lines(struct nic *n, unsigned peer, const struct nic_message *m, bool service, uint64_t most)
{
    struct nic_ring *r = n->peer[peer].ring;
    uint64_t pos, sum = (uint64_t)m->head_bytes + m->data_bytes;
    if (unlikely(sum > most))
        return -EMSGSIZE;
    uint32_t bytes = (uint32_t)sum;
    unsigned lines = nic_ring_lines_for(bytes);
    if (unlikely(!nic_ring_reserve(r, lines, &n->peer[peer].head_seen, &pos))) {
        NIC_COUNT(n, inbox_full, 1);
        return -EAGAIN;
    }
    uint32_t room = NIC_HEADER_DATA - m->head_bytes, done = m->data_bytes < room ? m->data_bytes : room, left = m->data_bytes - done;
    uint32_t interior = left < NIC_INTERIOR_DATA ? left : NIC_INTERIOR_DATA;
    if (interior)
        fill_interior(r, pos + 1, (const char *)m->data + done, interior);
    atomic_signal_fence(memory_order_release);      /* keeps the compiler from filling it earlier */
    fill_head(nic_ring_at(r, pos), m, done);
    nic_ring_publish(r, pos, nic_word0(pos, m->type, m->flags, bytes));
    if (left > interior)
        fill_more(r, pos + NIC_CHUNK_LINES, (const char *)m->data + done + interior, left - interior);
    ring_if_asleep(n, peer, service);
    NIC_COUNT(n, packets_sent, 1);
    NIC_COUNT(n, lines_sent, lines - 1);
    NIC_COUNT(n, bytes_sent, bytes);
    return 0;
}

/* On the model clock the event key rides in front of the payload. */
static int send_keyed(struct nic *n, unsigned peer, const struct nic_message *m, bool service)
{
    struct { struct nic_event_key key; unsigned char head[NIC_HEADER_DATA - sizeof(struct nic_event_key)]; } keyed;
    if (n->model)
        return nic_model_send(n, peer, m);
    if (m->head_bytes > sizeof keyed.head)
        return -EMSGSIZE;
    struct nic_message k = *m;
    struct nic_clock before = *n->clock;
    NIC_CHARGE(n, SEND, 1);
    NIC_CHARGE(n, SEND_BYTE, m->head_bytes + m->data_bytes);
    NIC_CHARGE(n, HOP, 1);
    keyed.key = nic_clock_key(n->clock, n->rank);
    if (m->head_bytes)
        memcpy(keyed.head, m->head, m->head_bytes);
    k.head = &keyed;
    k.head_bytes = (uint16_t)(m->head_bytes + sizeof keyed.key);
    k.flags |= NIC_FLAG_KEYED;
    int rc = send_lines(n, peer, &k, service, LENGTH_MAX);
    if (rc)
        *n->clock = before;     /* what is refused costs nothing */
    return rc;
}

/* -- the short way of sending: what is seldom stands in functions of its own, so that the rest needs no registers saved */

static nic_noinline bool send_now_lines(struct nic *n, unsigned peer, uint8_t type, uint64_t match, const void *data, size_t bytes)
{
    struct nic_message m = { .type = type, .match = match, .data = data, .data_bytes = (uint32_t)bytes };
    if (bytes > NIC_MESSAGE_BYTES_MAX || type >= NIC_HW_FIRST || n->model || !nic_try_enter(n))
        return false;
    bool sent = !(n->front.careful & NIC_CAREFUL_MOVE) && !send_lines(n, peer, &m, false, LENGTH_MAX);
    NIC_COUNT(n, sends_short, sent);
    NIC_COUNT(n, packets_sent, -(uint64_t)sent);        /* send_lines took it for one of the others */
    nic_leave(n);
    return sent;
}

static nic_noinline bool refused(struct nic *n)
{
    NIC_COUNT(n, inbox_full, 1);
    nic_leave(n);
    return false;
}

static nic_noinline bool sent_with_care(struct nic *n, unsigned peer)
{
    ring_if_asleep(n, peer, false);
    nic_leave(n);
    return true;
}

/* One chunk; baton held, room reserved. */
static inline void send_chunk(struct nic *n, struct nic_ring *r, uint64_t pos, uint8_t type, uint64_t match, const void *data, size_t bytes)
{
    struct nic_line *l = nic_ring_at(r, pos);
    if (likely(bytes <= NIC_HEADER_DATA)) {
        l->match = match;
        nic_copy_short(l->head, data, bytes);
    } else {        /* the header line last: see fill_head */
        fill_interior(r, pos + 1, (const char *)data + NIC_HEADER_DATA, (uint32_t)bytes - NIC_HEADER_DATA);
        atomic_signal_fence(memory_order_release);
        l->match = match;
        memcpy(l->head, data, NIC_HEADER_DATA);
        NIC_COUNT(n, lines_sent, nic_chunk_lines((uint32_t)bytes, NIC_HEADER_DATA) - 1);
    }
    nic_ring_publish(r, pos, nic_word0(pos, type, 0, (uint32_t)bytes));
    NIC_COUNT(n, sends_short, 1);       /* once it is out: nobody waits for this */
    NIC_COUNT(n, bytes_sent, bytes);
}

/* There was nothing to be careful about; what the NIC thread may have changed before it gave the baton back is looked at in the end. */
static nic_inline bool send_now_chunk(struct nic *n, unsigned peer, uint8_t type, uint64_t match, const void *data, size_t bytes)
{
    struct nic_peer *p = &n->peer[peer];
    uint64_t pos;
    if (unlikely(!nic_front_enter(&n->front)))
        return false;
    if (unlikely(!nic_ring_reserve(p->ring, nic_chunk_lines((uint32_t)bytes, NIC_HEADER_DATA), &p->head_seen, &pos)))
        return refused(n);
    send_chunk(n, p->ring, pos, type, match, data, bytes);
    atomic_signal_fence(memory_order_seq_cst);      /* pairs with nic_fence_all of the sleeping host: see ring_if_asleep */
    uint32_t attention = atomic_load_explicit(&n->publics[peer].attention, memory_order_relaxed);
    if (unlikely(attention | (__atomic_load_n(&n->front.careful, __ATOMIC_RELAXED) & (NIC_CAREFUL_SHARED | NIC_CAREFUL_LEAVE))))
        return sent_with_care(n, peer);
    __atomic_store_n(&n->front.host_in, 0, __ATOMIC_RELEASE);      /* B0 */
    return true;
}

static nic_noinline bool send_now_longer(struct nic *n, unsigned peer, uint8_t type, uint64_t match, const void *data, size_t bytes)
{
    return bytes <= NIC_HEADER_DATA + NIC_INTERIOR_DATA ? send_now_chunk(n, peer, type, match, data, bytes)
                                                        : send_now_lines(n, peer, type, match, data, bytes);
}

/* Commands left in the ring come first, and what they start may wait for room: not past them. */
bool nic_send_now(struct nic *n, unsigned peer, uint8_t type, uint64_t match, const void *data, size_t bytes)
{
    if (unlikely(__atomic_load_n(&n->front.careful, __ATOMIC_RELAXED) | __atomic_load_n(&n->front.queued, __ATOMIC_RELAXED)))
        return send_now_lines(n, peer, type, match, data, bytes);
    if (unlikely(type >= NIC_HW_FIRST))
        return false;
    return likely(bytes <= NIC_HEADER_DATA) ? send_now_chunk(n, peer, type, match, data, bytes) : send_now_longer(n, peer, type, match, data, bytes);
}

int nic_inbox_send(struct nic *n, unsigned peer, const struct nic_message *m, bool service)
{
    return unlikely(n->clock != NULL) ? send_keyed(n, peer, m, service) : send_lines(n, peer, m, service, LENGTH_MAX);
}

static inline uint64_t head_of(const struct nic *n) { return atomic_load_explicit(&n->head, memory_order_relaxed); }

/* Baton held.  Returns the new head. */
static inline uint64_t move_head(struct nic *n, uint64_t lines)
{
    uint64_t head = head_of(n) + lines;
    atomic_store_explicit(&n->head, head, memory_order_relaxed);
    return head;
}

bool nic_inbox_ready(const struct nic *n)
{
    return nic_ring_peek(n->inbox, head_of(n)) != 0;
}

/* Without the baton: another thread may take the next line meanwhile, and a sender fill it again as the middle of a packet, so that
 * it must not be looked at. */
bool nic_inbox_coming(const struct nic *n)
{
    return atomic_load_explicit(&n->inbox->tail, memory_order_acquire) != head_of(n);
}

/* The next bytes of the packet go to where the firmware wants them; what has no room is dropped. */
static void land(struct nic *n, const void *from, uint32_t bytes)
{
    struct nic_landing *g = &n->landing;
    size_t kept = bytes < g->room ? bytes : g->room;
    if (kept) {
        memcpy(g->to, from, kept);
        g->to += kept;
        g->room -= kept;
    }
    g->bytes -= bytes;
    NIC_COUNT(n, bytes_cut, bytes - kept);
}

/* The interior lines of a chunk, of which the first line has been read: copied, cleared and given back. */
static void land_interior(struct nic *n)
{
    uint32_t left = n->landing.bytes, bytes = left < NIC_INTERIOR_DATA ? left : NIC_INTERIOR_DATA;
    uint64_t end = head_of(n) + (bytes + NIC_LINE_BYTES - 1) / NIC_LINE_BYTES;
    uint64_t until_end = (NIC_RING_LINES - head_of(n) % NIC_RING_LINES) * NIC_LINE_BYTES;
    uint32_t first = bytes <= until_end ? bytes : (uint32_t)until_end;
    land(n, (const void *)nic_ring_at(n->inbox, head_of(n)), first);
    if (unlikely(first < bytes))
        land(n, (const void *)n->inbox->line, bytes - first);
    for (uint64_t pos = head_of(n); pos < end; pos++)
        atomic_store_explicit(&nic_ring_at(n->inbox, pos)->word0, 0, memory_order_relaxed);
    nic_ring_return(n->inbox, move_head(n, end - head_of(n)));
}

static bool published(struct nic *n)
{
    for (unsigned i = 0; i < CHUNK_SPINS; i++) {
        if (nic_ring_peek(n->inbox, head_of(n)))
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
        land(n, nic_ring_at(n->inbox, head_of(n))->body, first);
        move_head(n, 1);
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
        n->program->landed(n->context, n->landing.cookie);
}

/* Goes on with a packet under way; its end is told to the firmware. */
static bool land_body(struct nic *n)
{
    bool moved = land_chunks(n);
    if (!n->landing.bytes)
        tell_landed(n);
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

static nic_noinline void charge_packet(struct nic *n, uint32_t length)
{
    NIC_CHARGE(n, DISPATCH, 1);
    NIC_CHARGE(n, RECEIVE_BYTE, length);
}

static inline void deliver(struct nic *n, const struct nic_packet *p)
{
    if (likely(p->type < NIC_HW_FIRST))
        n->program->packet(n->context, p);
    else
        nic_hw_deliver(n, p);
    NIC_COUNT(n, bytes_received, p->length);
}

/* A packet of more than its header line.  What its handler says of the rest is meant for us. */
static nic_noinline void deliver_longer(struct nic *n, const struct nic_packet *p, uint32_t length, bool sound)
{
    n->landing = (struct nic_landing){ 0 };
    n->in_handler_landing = true;
    if (sound)
        deliver(n, p);
    n->in_handler_landing = false;
    move_head(n, 1);
    n->landing.bytes = length - NIC_HEADER_DATA;
    land_interior(n);
    land_body(n);
}

bool nic_inbox_poll(struct nic *n)
{
    if (unlikely(n->landing.bytes))
        return land_body(n);
    uint64_t head = head_of(n), w = nic_ring_peek(n->inbox, head);
    if (!w)
        return false;
    const struct nic_line *l = nic_ring_at(n->inbox, head);
    uint32_t length = (uint32_t)(w >> 32);
    struct nic_packet p = { .type = (uint8_t)(w >> 16), .flags = (uint8_t)(w >> 24), .length = length, .match = l->match, .head = l->head,
                            .head_bytes = length < NIC_HEADER_DATA ? length : NIC_HEADER_DATA };
    bool sound = length <= LENGTH_MAX && (likely(!(p.flags & NIC_FLAG_KEYED)) || strip_key(n, &p));    /* a length that cannot be is not followed */
    if (unlikely(n->clock != NULL))
        charge_packet(n, p.length);
    if (unlikely(length > NIC_HEADER_DATA && length <= LENGTH_MAX)) {
        deliver_longer(n, &p, length, sound);
    } else {
        if (likely(sound))
            deliver(n, &p);
        nic_ring_return(n->inbox, move_head(n, 1));
    }
    NIC_COUNT(n, packets_received, 1);
    if (unlikely(!sound))
        NIC_COUNT(n, packets_malformed, 1);
    return true;
}

/* The rest of a packet whose header has come; a sender that was interrupted in the middle of it gets the processor. */
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
    struct nic_line *l = nic_ring_at(n->inbox, head_of(n));
    nic_copy_short(to, (const void *)l, bytes);
    atomic_store_explicit(&l->word0, 0, memory_order_relaxed);
    nic_ring_return(n->inbox, move_head(n, 1));
}

/* The rest of the only chunk, where the ring does not end in it. */
static inline bool take_interior(struct nic *n, uint32_t bytes, void *to)
{
    unsigned lines = (bytes + NIC_LINE_BYTES - 1) / NIC_LINE_BYTES;
    struct nic_line *l = nic_ring_at(n->inbox, head_of(n));
    if (unlikely(bytes > NIC_INTERIOR_DATA || head_of(n) % NIC_RING_LINES + lines > NIC_RING_LINES))
        return false;
    memcpy(to, (const void *)l, bytes);
    for (unsigned i = 0; i < lines; i++)
        atomic_store_explicit(&l[i].word0, 0, memory_order_relaxed);
    nic_ring_return(n->inbox, move_head(n, lines));
    return true;
}

/* A loop that works out but once where to look and what for is slower: it looks more often, and takes the line away from the sender, or the
 * core where both share one (half round trip 74 -> 78 ns, and 33 -> 36). */
static inline uint64_t next_header(struct nic *n)
{
    uint64_t w = nic_ring_peek(n->inbox, head_of(n));
    for (unsigned i = n->oversubscribed ? 0 : TAKE_SPINS; i && !w; i--) {
        nic_one_look();
        w = nic_ring_peek(n->inbox, head_of(n));
    }
    return w;
}

/* Once the lines are back: the sender may be waiting for them. */
static inline bool taken_short(struct nic *n, uint32_t length)
{
    NIC_COUNT(n, receives_short, 1);
    NIC_COUNT(n, bytes_received, length);
    return true;
}

static nic_noinline bool take_longer(struct nic *n, const struct nic_line *l, uint32_t length, unsigned char *to)
{
    memcpy(to, l->head, NIC_HEADER_DATA);
    move_head(n, 1);
    if (length <= NIC_HEADER_DATA + NIC_LINE_BYTES)
        take_line(n, length - NIC_HEADER_DATA, to + NIC_HEADER_DATA);
    else if (!take_interior(n, length - NIC_HEADER_DATA, to + NIC_HEADER_DATA))
        take_body(n, length - NIC_HEADER_DATA, to + NIC_HEADER_DATA);
    return taken_short(n, length);
}

bool nic_take(struct nic *n, uint8_t type, uint64_t match, uint64_t mask, void *to, size_t capacity, struct nic_taken *taken)
{
    if (unlikely(n->front.careful & (NIC_CAREFUL_SHARED | NIC_CAREFUL_MOVE)) || unlikely(n->landing.bytes))
        return false;
    uint64_t w = next_header(n);
    const struct nic_line *l = nic_ring_at(n->inbox, head_of(n));
    uint32_t length = (uint32_t)(w >> 32);
    if (!w || (uint16_t)(w >> 16) != type || unlikely((l->match ^ match) & ~mask) || unlikely(length > capacity || length > LENGTH_MAX))
        return false;
    taken->match = l->match;
    taken->length = length;
    if (unlikely(length > NIC_HEADER_DATA))
        return take_longer(n, l, length, to);
    nic_copy_short(to, l->head, length);
    nic_ring_return(n->inbox, move_head(n, 1));
    return taken_short(n, length);
}

/* -- with the engine of the model clock: the ring carries whole packets only, since it is touched with the governor's lock held,
 * and the heap of events takes them in */

/* Behind the data, which lie in one piece in the ring. */
static int send_with_way(struct nic *n, unsigned peer, const struct nic_message *m, const struct nic_event_key *key)
{
    struct { unsigned char data[NIC_MESSAGE_BYTES_MAX + NIC_HEADER_DATA + sizeof(struct nic_way)]; } both;
    struct nic_message k = *m;
    struct nic_way way;
    if (m->data_bytes > sizeof both.data - sizeof way)
        return -EMSGSIZE;
    nic_explain_packet(n->model->explain, key->sequence, &way);
    if (m->data_bytes)
        memcpy(both.data, m->data, m->data_bytes);
    memcpy(both.data + m->data_bytes, &way, sizeof way);
    k.data = both.data;
    k.data_bytes += sizeof way;
    return send_lines(n, peer, &k, false, LENGTH_MAX_WITH_WAY);
}

/* The event's, if the job is explained. */
static void take_way(struct nic *n, struct nic_event *e)
{
    struct nic_way way;
    if (!n->model->explain || e->length < sizeof way)
        return;
    e->length -= sizeof way;
    memcpy(&way, e->payload + e->length, sizeof way);
    e->way = nic_explain_adopt(n->model->explain, &way);
}

int nic_inbox_put(struct nic *n, unsigned peer, const struct nic_message *m, const struct nic_event_key *key)
{
    struct { struct nic_event_key key; unsigned char head[NIC_HEADER_DATA - sizeof(struct nic_event_key)]; } keyed = { .key = *key };
    struct nic_message k = *m;
    if (m->head_bytes)
        memcpy(keyed.head, m->head, m->head_bytes);
    k.head = &keyed;
    k.head_bytes = (uint16_t)(m->head_bytes + sizeof keyed.key);
    return n->model->explain ? send_with_way(n, peer, &k, key) : send_lines(n, peer, &k, false, LENGTH_MAX);
}

/* The rest of a packet that is all there, or not a packet: nobody is in the middle of one while we have the lock. */
static bool take_rest(struct nic *n, uint32_t bytes, void *to)
{
    struct nic_landing under_way = n->landing;      /* of the handler that sends, and found a ring full */
    n->landing = (struct nic_landing){ .bytes = bytes, .to = to, .room = bytes };
    land_interior(n);
    land_chunks(n);
    bool whole = !n->landing.bytes;
    n->landing = under_way;
    return whole;
}

/* Takes the packet with this header line off the ring; NULL: it makes no sense. */
static struct nic_event *take_packet(struct nic *n, uint64_t w)
{
    enum { KEY = sizeof(struct nic_event_key) };
    const struct nic_line *l = nic_ring_at(n->inbox, head_of(n));
    uint32_t length = (uint32_t)(w >> 32), head = length < NIC_HEADER_DATA ? length : NIC_HEADER_DATA;
    uint64_t reserved = atomic_load_explicit(&n->inbox->tail, memory_order_relaxed) - head_of(n);
    if (length < KEY || length > (n->model->explain ? LENGTH_MAX_WITH_WAY : LENGTH_MAX) || nic_ring_lines_for(length) > reserved) {      /* a length that cannot be is not followed */
        nic_ring_return(n->inbox, move_head(n, 1));
        return NULL;
    }
    struct nic_event *e = nic_event_new(&n->model->events, length - KEY);
    memcpy(&e->key, l->head, KEY);
    memcpy(e->payload, l->head + KEY, head - KEY);
    e->kind = NIC_EVENT_PACKET;
    e->type = (uint8_t)(w >> 16);
    e->flags = (uint8_t)(w >> 24);
    e->match = l->match;
    move_head(n, 1);
    if (length == head)
        nic_ring_return(n->inbox, head_of(n));
    bool whole = length == head || take_rest(n, length - head, e->payload + head - KEY);
    if (!whole || e->key.source >= n->ranks) {      /* programs look up things by the source */
        nic_event_free(&n->model->events, e);
        return NULL;
    }
    take_way(n, e);
    return e;
}

struct nic_event *nic_inbox_take(struct nic *n)
{
    for (uint64_t w; (w = nic_ring_peek(n->inbox, head_of(n)));) {
        struct nic_event *e = take_packet(n, w);
        if (e)
            return e;
        NIC_COUNT(n, packets_malformed, 1);
    }
    return NULL;
}

void nic_inbox_deliver(struct nic *n, const struct nic_event *e)
{
    uint8_t flags = e->flags & NIC_PACKET_CARRIED ? e->flags & NIC_PACKET_FLAGS : e->flags;
    struct nic_packet p = { .type = e->type, .flags = flags, .length = e->length, .match = e->match, .head = e->payload,
                            .head_bytes = e->length < NIC_HEADER_DATA ? e->length : NIC_HEADER_DATA, .time = e->key.time };
    n->landing = (struct nic_landing){ 0 };
    n->in_handler_landing = p.length > p.head_bytes;
    NIC_COUNT(n, packets_received, 1);
    NIC_COUNT(n, bytes_received, p.length);
    if (p.type < NIC_HW_FIRST)
        n->program->packet(n->context, &p);
    else
        nic_hw_deliver(n, &p);
    if (!n->in_handler_landing)
        return;
    n->in_handler_landing = false;
    n->landing.bytes = p.length - p.head_bytes;
    land(n, e->payload + p.head_bytes, n->landing.bytes);
    tell_landed(n);
}

void nic_sink(struct nic *n, void *to, size_t capacity, void *cookie)
{
    if (!n->in_handler_landing)
        return;
    n->landing.to = to;
    n->landing.room = capacity;
    n->landing.cookie = cookie;
}
