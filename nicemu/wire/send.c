/* Packets to other machines: the sending half.
 *
 * Packets gather in frames.  The first few to a peer after a look at the wire leave at once, each
 * in a frame of its own: a message and its answer wait for nothing.  More of them are a stream, and
 * so are packets to a peer whose frames have not left: they share frames, which leave when they are
 * full, when those before them have left, or at the next look at the wire.  So do long packets
 * where frames may be longer than these: a frame costs the kernel more than copying 16 KiB. */
#include "wire/send.h"

#include <errno.h>
#include <string.h>

#include "wire/peer.h"

static void list(struct nic_wires *w, struct nic_wire_peer *p)
{
    if (p->listed || !p->first)
        return;
    p->listed = true;
    p->next_queued = nic_wire_queued(w);
    nic_wire_set_queued(w, p);
}

/* A frame behind those that wait; NULL: too many do. */
static struct nic_wire_frame *begin_frame(struct nic *n, struct nic_wire_peer *p,
                                          enum nic_frame_kind kind)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_frame *f = p->queued < NIC_WIRE_QUEUED ? w->ops->frame(w->wire) : NULL;
    if (!f)
        return NULL;
    struct nic_frame_head head = { .kind = (uint16_t)kind, .source = (uint16_t)n->rank,
                                   .sequence = p->sent++ };
    memcpy(f->data, &head, sizeof head);
    f->bytes = sizeof head;
    f->told = false;
    f->next = NULL;
    f->owner = p;
    if (p->last)
        p->last->next = f;
    else
        p->first = f;
    p->last = f;
    p->queued++;
    nic_wire_count_under_way(n->wires, 1);
    nic_wire_count_frame(&n->hosts->sent);
    return f;
}

static void take_first(struct nic_wire_peer *p)
{
    p->first = p->first->next;
    if (!p->first)
        p->last = NULL;
    p->queued--;
}

/* Nothing can be sent: for a while that only means that the peer is slow to connect. */
static void refused(struct nic *n, struct nic_wire_peer *p)
{
    uint64_t now = nic_now();
    if (p->in_flight || !p->refused)
        p->refused = now;
    else if (now - p->refused > n->wires->patience_ns)
        nic_wire_lose(n, p, "it takes nothing any more");
}

/* A peer that no frame has left to yet: what fails is its first connection, perhaps for an outage
 * that ends, and is tried again as long as the patience lasts.  Later failures take away what has
 * left already. */
static bool tries_again(const struct nic *n, struct nic_wire_peer *p)
{
    uint64_t now = nic_now();
    if (p->reached || p->gone || n->wires->closing)
        return false;
    if (!p->failed)
        p->failed = now;
    p->retry = now + NIC_WIRE_RETRY_NS;
    return now - p->failed < n->wires->patience_ns;
}

static uint32_t sequence_of(const struct nic_wire_frame *f)
{
    struct nic_frame_head head;
    memcpy(&head, f->data, sizeof head);
    return head.sequence;
}

/* In front of those behind it. */
static void put_back(struct nic_wire_peer *p, struct nic_wire_frame *f)
{
    struct nic_wire_frame **at = &p->first;
    while (*at && sequence_of(*at) - sequence_of(f) > UINT32_MAX / 2)
        at = &(*at)->next;
    f->next = *at;
    *at = f;
    if (!f->next)
        p->last = f;
    p->queued++;
}

/* -EAGAIN: not now. */
static int send_first(struct nic *n, struct nic_wire_peer *p)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_frame *f = p->first;
    bool was_told = f->told;
    if (unlikely(p->retry) && !p->reached && nic_now() < p->retry)
        return -EAGAIN;
    f->told = !p->reached;
    int rc = w->ops->send(w->wire, p->to, f);
    if (likely(rc >= 0))
        return rc;
    bool again = rc != -EAGAIN && tries_again(n, p);
    f->told = was_told || again;
    return again ? -EAGAIN : rc;
}

/* True: a frame has left. */
static bool flush_peer(struct nic *n, struct nic_wire_peer *p)
{
    struct nic_wires *w = n->wires;
    bool any = false;
    if (unlikely(p->gone))
        nic_wire_drop_frames(w, p);
    while (p->first && p->in_flight < NIC_WIRE_IN_FLIGHT) {
        int rc = send_first(n, p);
        if (rc == -EAGAIN) {
            refused(n, p);
            break;
        }
        if (rc < 0) {
            nic_wire_lose(n, p, strerror(-rc));
            break;
        }
        p->refused = 0;
        take_first(p);
        p->in_flight += rc == 0;
        if (rc)
            nic_wire_count_under_way(w, -1);
        any = true;
    }
    return any;
}

static struct nic_wire_frame *frame_for(struct nic *n, struct nic_wire_peer *p, uint32_t room)
{
    struct nic_wire_frame *f = p->last;
    if (f && !f->told && f->bytes + room <= n->wires->gather_bytes)
        return f;
    if (f)
        flush_peer(n, p);
    return begin_frame(n, p, NIC_FRAME_PACKETS);
}

bool nic_wire_flush(struct nic *n)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_peer *p = nic_wire_queued(w);
    bool any = false;
    nic_wire_set_queued(w, NULL);
    while (p) {
        struct nic_wire_peer *next = p->next_queued;
        any |= flush_peer(n, p);
        p->listed = false;
        list(w, p);
        p = next;
    }
    return any;
}

static void lost(struct nic *n, const struct nic_wire_event *e)
{
    nic_wire_count_under_way(n->wires, -1);
    if (e->frame)
        n->wires->ops->drop(n->wires->wire, e->frame);
    nic_wire_lose(n, e->owner, e->why);
}

void nic_wire_sent(struct nic *n, const struct nic_wire_event *e)
{
    struct nic_wire_peer *p = e->owner;
    p->in_flight--;
    if (e->kind == NIC_WIRE_SENT) {
        p->reached = true;
        nic_wire_count_under_way(n->wires, -1);
    } else if (e->frame && tries_again(n, p)) {
        put_back(p, e->frame);
    } else {
        lost(n, e);
    }
    list(n->wires, p);
}

/* No stream yet: with this packet, which is the last one. */
static bool is_burst(const struct nic_wires *w, struct nic_wire_peer *p, uint32_t room)
{
    if (p->look != w->look) {
        p->look = w->look;
        p->burst = p->burst_bytes = 0;
    }
    if (room < NIC_WIRE_LONG)
        return p->burst++ < NIC_WIRE_BURST;
    uint32_t before = p->burst_bytes;
    p->burst_bytes += room;
    return before < NIC_WIRE_BURST_BYTES;
}

/* Not to be gathered with what may come behind it. */
static bool leaves_at_once(struct nic *n, struct nic_wire_peer *p, uint32_t room)
{
    if (p->last->bytes >= n->wires->full_bytes || n->progress == NIC_PROGRESS_HOST)
        return true;
    return p->queued == 1 && is_burst(n->wires, p, room);
}

static void copy_data(struct nic *n, const struct nic_tx *m, unsigned char *to)
{
    if (m->gathered)
        n->program->gaps->gather(n, n->context, m, 0, to, m->data_bytes);
    else
        memcpy(to, m->data, m->data_bytes);
}

int nic_wire_send(struct nic *n, unsigned rank, const struct nic_tx *m)
{
    if (unlikely(m->gathered) && !nic_gathers(n))
        return -EINVAL;
    uint64_t sum = (uint64_t)m->head_bytes + m->data_bytes;
    if (unlikely(sum > n->wires->packet_bytes))
        return -EMSGSIZE;
    struct nic_wire_peer *p = nic_wire_peer(n, rank);
    if (unlikely(!p))
        return -ENOMEM;
    int rc = nic_wire_find(n, p);
    if (unlikely(rc))
        nic_wire_lose(n, p, strerror(-rc));
    if (unlikely(p->gone))
        return -EHOSTUNREACH;
    n->wires->at_rest = false;
    n->wires->quiet = 0;
    uint32_t room = nic_frame_room((uint32_t)sum);
    struct nic_wire_frame *f = frame_for(n, p, room);
    if (unlikely(!f)) {
        NIC_COUNT(n, inbox_full, 1);
        return -EAGAIN;
    }
    unsigned char *data = nic_frame_add(f->data, f->bytes, m);
    if (m->data_bytes)
        copy_data(n, m, data);
    f->bytes += room;
    if (leaves_at_once(n, p, room))
        flush_peer(n, p);
    list(n->wires, p);
    NIC_COUNT(n, packets_sent, 1);
    NIC_COUNT(n, bytes_sent, sum);
    return 0;
}

int nic_wire_say(struct nic *n, struct nic_wire_peer *p, enum nic_frame_kind kind)
{
    int rc = nic_wire_find(n, p);
    if (rc || p->gone)
        return rc ? rc : -EHOSTUNREACH;
    if (!begin_frame(n, p, kind))
        return -EAGAIN;
    n->wires->at_rest = false;
    flush_peer(n, p);
    list(n->wires, p);
    return 0;
}
