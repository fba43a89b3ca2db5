/* Packets from other machines: the receiving half.  Nothing that a frame says is believed: a source
 * that cannot be, a packet that goes beyond its frame, end the frame, and are counted. */
#include "wire/receive.h"

#include <stdlib.h>
#include <string.h>

#include "link/receive.h"
#include "wire/peer.h"
#include "wire/read.h"
#include "wire/send.h"

static void update_in_hand(struct nic_wires *w)
{
    bool in_hand = w->frame || w->first < w->events;
    atomic_store_explicit(&w->in_hand, in_hand, memory_order_relaxed);
}

static void end_event(struct nic_wires *w)
{
    const struct nic_wire_event *e = &w->event[w->first++];
    if (e->kind == NIC_WIRE_CAME && e->buffer)
        w->ops->give_back(w->wire, e->buffer);
}

static bool look(struct nic_wires *w)
{
    w->look++;
    w->events = w->ops->poll(w->wire, w->event, NIC_WIRE_EVENTS);
    w->first = 0;
    return w->events;
}

/* -- frames in order */

/* The source of a frame that makes sense; NULL: there is none. */
static struct nic_wire_peer *source_of(struct nic *n, const struct nic_wire_event *e,
                                       struct nic_frame_head *head)
{
    if (e->bytes < sizeof *head)
        return NULL;
    memcpy(head, e->data, sizeof *head);
    bool known = head->kind >= NIC_FRAME_PACKETS && head->kind <= NIC_FRAME_PONG;
    if (!known || head->source >= n->ranks || nic_job_here(n->job, head->source))
        return NULL;
    struct nic_wire_peer *p = nic_wire_peer(n, head->source);
    return p && !p->bye && !p->gone ? p : NULL;
}

/* For later, in order; false: there is one of that number, or there are too many. */
static bool keep_early(struct nic_wire_peer *p, const struct nic_wire_event *e, uint32_t sequence)
{
    struct nic_wire_early **at = &p->early;
    if (sequence - p->came > NIC_WIRE_EARLY || p->early_count == NIC_WIRE_EARLY)
        return false;
    while (*at && (*at)->sequence - p->came < sequence - p->came)
        at = &(*at)->next;
    struct nic_wire_early *f = *at && (*at)->sequence == sequence ? NULL
                               : malloc(sizeof *f + e->bytes);
    if (!f)
        return false;
    f->next = *at;
    f->sequence = sequence;
    f->bytes = e->bytes;
    memcpy(f->data, e->data, e->bytes);
    *at = f;
    p->early_count++;
    return true;
}

/* The next one of that peer. */
static void begin_frame(struct nic *n, struct nic_wire_peer *p, const unsigned char *frame,
                        uint32_t bytes)
{
    struct nic_wires *w = n->wires;
    struct nic_frame_head head;
    memcpy(&head, frame, sizeof head);
    p->came++;
    nic_wire_count_frame(&n->hosts->came);
    p->heard = p->reached = true;
    w->from = p;
    w->frame = frame;
    w->frame_bytes = bytes;
    w->at = sizeof head;
    if (head.kind == NIC_FRAME_BYE) {
        p->bye = true;
        atomic_store(&n->publics[p->rank].state, NIC_RANK_CLOSED);
    } else if (head.kind == NIC_FRAME_PING) {
        nic_wire_say(n, p, NIC_FRAME_PONG);
    }
}

/* One that has come: it begins, or is kept for later, or makes no sense. */
static void take_frame(struct nic *n, const struct nic_wire_event *e)
{
    struct nic_frame_head head = { .sequence = 0 };
    struct nic_wire_peer *p = source_of(n, e, &head);
    if (p && head.sequence == p->came) {
        begin_frame(n, p, e->data, e->bytes);
        return;
    }
    if (e->bytes && (!p || !keep_early(p, e, head.sequence)))
        NIC_COUNT(n, packets_malformed, 1);
    end_event(n->wires);
}

/* The one being read is at its end.  What came early and is next now begins. */
static void end_frame(struct nic *n)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_peer *p = w->from;
    if (w->early)
        free(w->early);
    else
        end_event(w);
    w->frame = NULL;
    w->early = p->early && p->early->sequence == p->came ? p->early : NULL;
    if (w->early) {
        p->early = w->early->next;
        p->early_count--;
        begin_frame(n, p, w->early->data, w->early->bytes);
    }
}

/* -- turns */

/* Its next packet; false: there was none, and the frame has ended. */
static bool deliver_next(struct nic *n)
{
    struct nic_wires *w = n->wires;
    struct nic_packet p;
    bool found = nic_frame_next(w->frame, w->frame_bytes, &w->at, &p);
    if (found)
        nic_packet_deliver(n, w->from->rank, &p);
    else if (w->at != w->frame_bytes)
        NIC_COUNT(n, packets_malformed, 1);
    if (!found || w->at == w->frame_bytes)
        end_frame(n);
    return found;
}

static void take_event(struct nic *n)
{
    struct nic_wires *w = n->wires;
    const struct nic_wire_event *e = &w->event[w->first];
    if (e->kind == NIC_WIRE_CAME) {
        take_frame(n, e);
    } else if (e->kind == NIC_WIRE_READ) {
        nic_wire_read_ended(n, e);
        end_event(w);
    } else {
        nic_wire_sent(n, e);
        end_event(w);
    }
}

/* A host that has got what it waited for answers before it asks the wire again, which costs a
 * system call: what is delivered last ends the NIC's turn. */
static bool ends_turn(struct nic_wires *w)
{
    bool ends = w->seen_all;
    w->seen_all = false;
    return ends;
}

static void end_poll(struct nic_wires *w, bool delivered)
{
    update_in_hand(w);
    w->seen_all = delivered && !atomic_load_explicit(&w->in_hand, memory_order_relaxed)
                  && w->events < NIC_WIRE_EVENTS;
}

bool nic_wire_poll(struct nic *n)
{
    struct nic_wires *w = n->wires;
    bool moved = false, delivered = false;
    if (!w->frame && w->first == w->events) {
        moved = !ends_turn(w) && look(w);
        if (nic_wire_queued(w))
            moved |= nic_wire_flush(n);
    }
    while (!delivered && (w->frame || w->first < w->events))
        if (w->frame)
            delivered = deliver_next(n);
        else
            take_event(n);
    end_poll(w, delivered);
    return moved || delivered;
}

bool nic_wire_drop(struct nic *n)
{
    struct nic_wires *w = n->wires;
    bool moved = w->frame || w->first < w->events || look(w);
    while (w->frame || w->first < w->events)
        if (w->frame)
            end_frame(n);
        else
            take_event(n);
    update_in_hand(w);
    return nic_wire_flush(n) || moved;
}
