/* Reads of memory on other machines (nicemu/machines.h), where the wire's module has them.  What is
 * offered has a number here, by which it is let go, and a key on the wire.  A read that fails is as
 * a frame that fails: its peer is lost. */
#include "wire/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/peer.h"

enum { FIRST = 16 };

/* One that is under way: its owner as the module's events name it. */
struct read {
    struct nic_wire_peer *peer;
    uint64_t cookie;
};

bool nic_far_reads(const struct nic *n) { return n->wires && n->wires->ops->read; }

void nic_on_far_read(struct nic *n,
                     void (*ended)(struct nic *nic, void *context, uint64_t cookie, int rc),
                     void *context)
{
    if (!n->wires)
        return;
    n->wires->read_ended = ended;
    n->wires->read_context = context;
}

/* -- offers */

static bool grow(struct nic_wires *w)
{
    uint32_t room = w->offer_room ? 2 * w->offer_room : FIRST;
    struct nic_wire_offer *more = realloc(w->offer, room * sizeof *more);
    if (!more)
        return false;
    w->offer = more;
    for (uint32_t i = w->offer_room; i < room; i++) {
        more[i] = (struct nic_wire_offer){ .next = w->offer_free };
        w->offer_free = i + 1;
    }
    w->offer_room = room;
    return true;
}

uint32_t nic_far_offer(struct nic *n, const void *memory, size_t bytes,
                       struct nic_far_memory *name)
{
    struct nic_wires *w = n->wires;
    if (!nic_far_reads(n) || (!w->offer_free && !grow(w)))
        return 0;
    uint32_t number = w->offer_free;
    struct nic_wire_offer *o = &w->offer[number - 1];
    if (w->ops->offer(w->wire, memory, bytes, &o->region))
        return 0;
    w->offer_free = o->next;
    o->taken = true;
    name->address = o->region.address;
    name->key = o->region.key;
    return number;
}

void nic_far_let_go(struct nic *n, uint32_t number)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_offer *o = &w->offer[number - 1];
    w->ops->let_go(w->wire, &o->region);
    o->taken = false;
    o->next = w->offer_free;
    w->offer_free = number;
}

void nic_wire_reads_close(struct nic *n)
{
    struct nic_wires *w = n->wires;
    for (uint32_t i = 0; i < w->offer_room; i++)
        if (w->offer[i].taken)
            nic_far_let_go(n, i + 1);
    free(w->offer);
    w->offer = NULL;
    w->offer_room = w->offer_free = 0;
}

/* -- reads */

/* As a frame that cannot be sent. */
static int refused(struct nic *n, struct nic_wire_peer *p, int rc)
{
    nic_wire_lose(n, p, strerror(-rc));
    return -EHOSTUNREACH;
}

int nic_far_read(struct nic *n, unsigned rank, const struct nic_far_memory *from, size_t offset,
                 void *to, size_t bytes, uint64_t cookie)
{
    struct nic_wires *w = n->wires;
    struct nic_wire_peer *p = nic_far_reads(n) ? nic_wire_peer(n, rank) : NULL;
    if (!p || p->gone)
        return p ? -EHOSTUNREACH : -ENOTSUP;
    int rc = nic_wire_find(n, p);
    if (rc)
        return refused(n, p, rc);
    struct read *r = malloc(sizeof *r);
    if (!r)
        return -ENOMEM;
    *r = (struct read){ .peer = p, .cookie = cookie };
    const struct nic_wire_read read = { .peer = p->to, .key = from->key,
                                        .from = from->address + offset, .to = to,
                                        .bytes = bytes, .owner = r };
    w->at_rest = false;
    w->quiet = 0;
    if ((rc = w->ops->read(w->wire, &read))) {
        free(r);
        return rc == -EAGAIN || rc == -ENOMEM ? rc : refused(n, p, rc);
    }
    p->reads++;
    nic_wire_count_under_way(w, 1);
    NIC_COUNT(n, wire_reads, 1);
    NIC_COUNT(n, wire_bytes_read, bytes);
    return 0;
}

void nic_wire_read_ended(struct nic *n, const struct nic_wire_event *e)
{
    struct nic_wires *w = n->wires;
    struct read *r = e->owner;
    struct nic_wire_peer *p = r->peer;
    uint64_t cookie = r->cookie;
    free(r);
    p->reads--;
    nic_wire_count_under_way(w, -1);
    p->heard = true;
    if (e->why)
        nic_wire_lose(n, p, e->why);
    if (w->read_ended && !w->closing)
        w->read_ended(n, w->read_context, cookie, e->why ? -EHOSTDOWN : 0);
}
