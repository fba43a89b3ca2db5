/* The inbox on the model clock: the ring carries whole packets only, since it is touched with the
 * governor's lock held, and the heap of events takes them in. */
#include "model/inbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "link/receive.h"
#include "link/send.h"
#include "model/state.h"

/* Where the job is explained. */
enum { LENGTH_MAX_WITH_WAY = NIC_LENGTH_MAX + sizeof(struct nic_critical_path) };

static_assert(LENGTH_MAX_WITH_WAY / NIC_INTERIOR_DATA * NIC_CHUNK_LINES + NIC_CHUNK_LINES
              <= NIC_RING_LINES / 2, "a largest packet fits a ring several times");

/* Behind the data, which lie in one piece in the ring. */
static int send_with_way(struct nic *n, unsigned peer, const struct nic_tx *m,
                         const struct nic_event_key *key)
{
    struct { unsigned char data[NIC_MESSAGE_BYTES_MAX + NIC_HEADER_DATA
                                + sizeof(struct nic_critical_path)];
             } both;
    struct nic_tx k = *m;
    struct nic_critical_path way;
    if (m->data_bytes > sizeof both.data - sizeof way)
        return -EMSGSIZE;
    nic_explain_packet(n->model->explain, key->sequence, &way);
    if (m->data_bytes)
        memcpy(both.data, m->data, m->data_bytes);
    memcpy(both.data + m->data_bytes, &way, sizeof way);
    k.data = both.data;
    k.data_bytes += sizeof way;
    return nic_inbox_send_lines(n, peer, &k, LENGTH_MAX_WITH_WAY);
}

/* The event's, if the job is explained. */
static void take_way(struct nic *n, struct nic_event *e)
{
    struct nic_critical_path way;
    if (!n->model->explain || e->length < sizeof way)
        return;
    e->length -= sizeof way;
    memcpy(&way, e->payload + e->length, sizeof way);
    e->way = nic_explain_adopt(n->model->explain, &way);
}

int nic_inbox_put(struct nic *n, unsigned peer, const struct nic_tx *m,
                  const struct nic_event_key *key)
{
    struct { struct nic_event_key key;
             unsigned char head[NIC_HEADER_DATA - sizeof(struct nic_event_key)]; } keyed =
                 { .key = *key };
    struct nic_tx k = *m;
    if (m->head_bytes)
        memcpy(keyed.head, m->head, m->head_bytes);
    k.head = &keyed;
    k.head_bytes = (uint16_t)(m->head_bytes + sizeof keyed.key);
    return n->model->explain ? send_with_way(n, peer, &k, key)
           : nic_inbox_send_lines(n, peer, &k, NIC_LENGTH_MAX);
}

/* -- longer packets than the ring takes: parts of them, in order, and the rest as a packet */

enum { PART = 0xff };       /* type of the packet that a part travels in */

struct nic_partial { struct nic_partial *next; uint32_t source, sequence, bytes;
                     unsigned char *data; };

int nic_inbox_put_part(struct nic *n, unsigned peer, const struct nic_tx *m,
                       const struct nic_event_key *key, uint32_t *done)
{
    while (m->head_bytes + m->data_bytes - *done > NIC_MESSAGE_BYTES_MAX + NIC_HEAD_BYTES) {
        struct { struct nic_event_key key; unsigned char head[NIC_HEAD_BYTES]; } keyed =
            { .key = *key };
        uint32_t head = *done ? 0 : m->head_bytes, from = *done ? *done - m->head_bytes : 0;
        struct nic_tx part = { .type = PART, .head = &keyed,
                               .head_bytes = (uint16_t)(sizeof keyed.key + head),
                               .data = (const char *)m->data + from,
                               .data_bytes = NIC_MESSAGE_BYTES_MAX - head };
        if (head)
            memcpy(keyed.head, m->head, head);
        int rc = nic_inbox_send_lines(n, peer, &part, NIC_LENGTH_MAX);
        if (rc)
            return rc;
        *done += NIC_MESSAGE_BYTES_MAX;
    }
    if (!*done)
        return nic_inbox_put(n, peer, m, key);
    struct nic_tx rest = *m;
    rest.head_bytes = 0;
    rest.data = (const char *)m->data + (*done - m->head_bytes);
    rest.data_bytes = m->data_bytes - (*done - m->head_bytes);
    return nic_inbox_put(n, peer, &rest, key);
}

/* Packets of one source may come by several ranks, so their parts one between the other. */
static struct nic_partial **partial_of(struct nic_model *m, const struct nic_event_key *key)
{
    struct nic_partial **at = &m->partial;
    while (*at && ((*at)->source != key->source || (*at)->sequence != key->sequence))
        at = &(*at)->next;
    return at;
}

static void need(const void *memory)
{
    if (memory)
        return;
    fputs("nicemu: no memory for a long packet of the model clock\n", stderr);
    abort();
}

static void drop_first(struct nic_partial **at)
{
    struct nic_partial *p = *at;
    *at = p->next;
    free(p->data);
    free(p);
}

static bool fits(const struct nic_partial *p, const struct nic_event *e)
{
    enum { BEHIND = 64 };       /* flow control's mark, and a way through the network */
    return p->bytes + (uint64_t)e->length <= NIC_MODEL_MESSAGE_MAX + NIC_HEAD_BYTES + BEHIND;
}

/* Each rank has sent part of one at most: what is more is nobody's. */
static void add_partial(struct nic_model *m, const struct nic_event_key *key)
{
    struct nic_partial *p = calloc(1, sizeof *p), **at = &m->partial;
    unsigned others = 0;
    need(p);
    p->source = key->source;
    p->sequence = key->sequence;
    while (*at) {
        at = &(*at)->next;
        others++;
    }
    *at = p;
    if (others == m->governor->ranks)
        drop_first(&m->partial);
}

/* A part, which is no event yet; freed.  False: it makes no sense, nor does what came before. */
static bool add_part(struct nic_model *m, struct nic_event *e)
{
    struct nic_partial **at = partial_of(m, &e->key), *p = *at;
    if (!p) {
        add_partial(m, &e->key);
        p = *(at = partial_of(m, &e->key));
    }
    bool sound = e->length && fits(p, e);
    if (sound) {
        need(p->data = realloc(p->data, p->bytes + e->length));
        memcpy(p->data + p->bytes, e->payload, e->length);
        p->bytes += e->length;
    } else {
        drop_first(at);
    }
    nic_event_free(&m->events, e);
    return sound;
}

/* A packet, with what has come of it before.  NULL: together they make no sense. */
static struct nic_event *whole(struct nic_model *m, struct nic_event *e)
{
    struct nic_partial **at = partial_of(m, &e->key), *p = *at;
    if (likely(!p))
        return e;
    if (!fits(p, e)) {
        drop_first(at);
        nic_event_free(&m->events, e);
        return NULL;
    }
    struct nic_event *all = nic_event_new(&m->events, p->bytes + e->length);
    all->key = e->key;
    all->kind = e->kind;
    all->type = e->type;
    all->flags = e->flags;
    all->match = e->match;
    all->way = e->way;
    all->mark = e->mark;
    memcpy(all->payload, p->data, p->bytes);
    memcpy(all->payload + p->bytes, e->payload, e->length);
    nic_event_free(&m->events, e);
    drop_first(at);
    return all;
}

void nic_inbox_drop_partial(struct nic_model *m)
{
    while (m->partial)
        drop_first(&m->partial);
}

/* -- out of the ring */

/* Takes the packet with this header line off the ring; NULL: it makes no sense. */
static struct nic_event *take_packet(struct nic *n, uint64_t w)
{
    enum { KEY = sizeof(struct nic_event_key) };
    const struct nic_line *l = nic_ring_at(n->inbox, nic_inbox_head(n));
    uint32_t length = nic_ring_length(w), head = length < NIC_HEADER_DATA ? length
                      : NIC_HEADER_DATA;
    uint64_t reserved = atomic_load_explicit(&n->inbox->tail,
                                             memory_order_relaxed) - nic_inbox_head(n);
    /* a length that cannot be is not followed */
    if (length < KEY || length > (n->model->explain ? LENGTH_MAX_WITH_WAY : NIC_LENGTH_MAX)
        || nic_ring_lines_for(length) > reserved) {
        nic_ring_return(n->inbox, nic_inbox_pass_line(n));
        return NULL;
    }
    struct nic_event *e = nic_event_new(&n->model->events, length - KEY);
    memcpy(&e->key, l->head, KEY);
    memcpy(e->payload, l->head + KEY, head - KEY);
    e->kind = NIC_EVENT_PACKET;
    e->type = (uint8_t)(w >> 16);
    e->flags = (uint8_t)(w >> 24);
    e->match = l->match;
    nic_inbox_pass_line(n);
    if (length == head)
        nic_ring_return(n->inbox, nic_inbox_head(n));
    bool whole = length == head || nic_inbox_take_rest(n, length - head, e->payload + head - KEY);
    if (!whole || e->key.source >= n->ranks) {      /* programs look up things by the source */
        nic_event_free(&n->model->events, e);
        return NULL;
    }
    if (e->type == PART)
        return e;
    take_way(n, e);
    return e;
}

void nic_inbox_take_mark(struct nic *n, struct nic_event *e)
{
    if (n->model->flow && !(e->flags & NIC_PACKET_CARRIED) && e->length >= sizeof e->mark)
        memcpy(&e->mark, e->payload + (e->length -= sizeof e->mark), sizeof e->mark);
}

struct nic_event *nic_inbox_take(struct nic *n)
{
    for (uint64_t w; (w = nic_ring_peek(n->inbox, nic_inbox_head(n)));) {
        nic_inbox_check_header(n, w);
        struct nic_event *e = take_packet(n, w);
        if (e && e->type == PART) {
            if (add_part(n->model, e))
                continue;
        } else if (e && (e = whole(n->model, e))) {
            return e;
        }
        NIC_COUNT(n, packets_malformed, 1);
    }
    return NULL;
}

void nic_inbox_deliver(struct nic *n, const struct nic_event *e)
{
    uint8_t flags = e->flags & NIC_PACKET_CARRIED ? e->flags & NIC_PACKET_FLAGS : e->flags;
    struct nic_packet p = { .type = e->type, .flags = flags, .length = e->length,
                            .match = e->match, .head = e->payload,
                            .head_bytes = e->length < NIC_HEADER_DATA ? e->length
                                : NIC_HEADER_DATA, .time = e->key.time };
    n->source = e->key.source;
    n->landing = (struct nic_landing){ 0 };
    n->in_handler_landing = p.length > p.head_bytes;
    NIC_COUNT(n, packets_received, 1);
    NIC_COUNT(n, bytes_received, p.length);
    if (p.type < NIC_HW_FIRST)
        n->program->packet(n, n->context, &p);
    else
        n->units->packet(n, &p);
    if (!n->in_handler_landing)
        return;
    n->in_handler_landing = false;
    nic_inbox_land_rest(n, e->payload + p.head_bytes, p.length - p.head_bytes);
}
