/* The link of a job of several machines: to the ranks that are here as before, to all others over
 * the wire. */
#include "wire/link.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/demand.h"
#include "core/program.h"
#include "link/receive.h"
#include "wire/address.h"
#include "wire/patrol.h"
#include "wire/peer.h"
#include "wire/read.h"
#include "wire/receive.h"
#include "wire/send.h"
#include "wire/stack.h"
#include "wire/watch.h"

enum { CLOSE_NS = 1000 * 1000 * 1000, INBOX_TURNS = 16 };

/* Only its first bytes are ever touched. */
static struct nic_ring full_ring;

struct nic_ring *nic_wire_full_ring(void)
{
    atomic_store(&full_ring.tail, NIC_RING_LINES);
    return &full_ring;
}

static bool is_near(const struct nic *n, unsigned peer) { return nic_job_here(n->job, peer); }

/* -- packets */

static int wire_send(struct nic *n, unsigned peer, const struct nic_tx *m, bool service)
{
    return is_near(n, peer) ? n->near_link->send(n, peer, m, service)
           : nic_wire_send(n, peer, m);
}

/* A look costs a system call or more, and most ranks that wait on a machine that has more of them
 * than cores wait for each other: with nothing sent or come for some looks, the watch looks. */
static bool look_at_wire(struct nic *n)
{
    struct nic_wires *w = n->wires;
    const uint32_t nudges = atomic_load_explicit(&n->own->nudges, memory_order_relaxed);
    if (w->at_rest && !nic_wire_queued(w) && nic_wire_watched(w) && nudges == w->nudges)
        return false;
    w->at_rest = false;
    w->nudges = nudges;
    if (nic_wire_poll(n)) {
        w->quiet = 0;
        return true;
    }
    if (++w->quiet < NIC_WIRE_QUIET)
        return false;
    w->quiet = 0;
    w->at_rest = nic_shares_core(n) && nic_wire_arm(n) == NIC_WILL_RING;
    return false;
}

/* The inbox first, but not for ever; and not in the middle of a packet. */
static bool wire_poll(struct nic *n)
{
    struct nic_wires *w = n->wires;
    bool moved = n->near_link->poll(n);
    if ((moved && ++w->inbox_turns < INBOX_TURNS) || n->landing.bytes)
        return moved;
    w->inbox_turns = 0;
    moved |= look_at_wire(n);
    if (unlikely(!moved || w->patrol_due))
        moved |= nic_wire_patrol(n);
    nic_wire_stack_count(n);
    return moved;
}

static bool wire_ready(const struct nic *n)
{
    return n->near_link->ready(n) || nic_wire_queued(n->wires)
           || atomic_load_explicit(&n->wires->in_hand, memory_order_relaxed);
}

static bool wire_coming(const struct nic *n)
{
    return n->near_link->coming(n) || nic_wire_unwatched(n->wires)
           || atomic_load_explicit(&n->wires->in_hand, memory_order_relaxed);
}

/* -- copies: none to other machines, their NICs do them */

static unsigned wire_probe(struct nic *n, unsigned peer)
{
    return is_near(n, peer) ? n->near_link->probe(n, peer) : 0;
}

static int wire_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    return is_near(n, peer) ? n->near_link->read(n, peer, from, to, bytes) : -EREMOTE;
}

static int wire_write(struct nic *n, unsigned peer, const void *from, uint64_t to, size_t bytes)
{
    return is_near(n, peer) ? n->near_link->write(n, peer, from, to, bytes) : -EREMOTE;
}

static int wire_read_list(struct nic *n, unsigned peer, const struct iovec *from, unsigned froms,
                          const struct iovec *to, unsigned tos, size_t bytes)
{
    return is_near(n, peer) ? n->near_link->read_list(n, peer, from, froms, to, tos, bytes)
           : -EREMOTE;
}

static int wire_write_list(struct nic *n, unsigned peer, const struct iovec *from, unsigned froms,
                           const struct iovec *to, unsigned tos, size_t bytes)
{
    return is_near(n, peer) ? n->near_link->write_list(n, peer, from, froms, to, tos, bytes)
           : -EREMOTE;
}

static bool wire_gone(struct nic *n, unsigned peer)
{
    if (is_near(n, peer))
        return n->near_link->gone && n->near_link->gone(n, peer);
    struct nic_wire_peer *p = n->peer[peer].wire;
    return p && (p->gone || p->bye);
}

/* -- opening */

static uint64_t patience(void)
{
    const char *text = getenv("NICEMU_WIRE_PATIENCE");
    uint64_t ms = text ? strtoull(text, NULL, 10) : 0;
    return (ms ? ms : NIC_WIRE_PATIENCE_MS) * UINT64_C(1000000);
}

static int open_stack(struct nic *n)
{
    char why[256] = "";
    int rc = nic_wire_stack_open(n, why, sizeof why);
    if (rc)
        nic_open_failed("%s", why);
    return rc;
}

static int announce(struct nic_wires *w)
{
    const struct nic_directory *d = w->directory;
    unsigned char address[NIC_ADDRESS_MAX];
    size_t bytes;
    int rc = w->ops->address(w->wire, address, sizeof address, &bytes);
    if (!rc) {
        bytes = nic_address_add_host(address, bytes, sizeof address);
        rc = d->put(d->context, address, bytes);
    }
    return rc ? rc : d->fence(d->context);
}

static void release(struct nic *n)
{
    struct nic_wires *w = n->wires;
    nic_wire_watch_close(n);
    nic_wire_reads_close(n);
    nic_wire_peers_free(n);
    if (w->wire)
        w->ops->close(w->wire);
    free(w);
    n->wires = NULL;
}

/* What peers ask of this NIC is due while its host is away. */
static int wire_open(struct nic *n)
{
    struct nic_wires *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    n->wires = w;
    w->hosts = n->hosts;
    w->directory = n->directory;
    w->patience_ns = patience();
    w->watch.stop = -1;
    int rc = n->near_link->open(n);
    if (!rc)
        rc = open_stack(n);
    if (!rc) {
        nic_wire_watch_open(n);
        rc = announce(w);
    }
    if (rc) {
        release(n);
        return rc;
    }
    n->service++;
    if (n->job->layout.here == 1)
        n->take_looks = 0;
    nic_refresh_slow_reasons(n);
    return 0;
}

/* -- closing */

static bool all_left(const struct nic_wire_peer *p) { return !p->first && !p->in_flight; }

/* It has all that it may wait for: one that has said good-bye waits for nothing, and may not be
 * there any more to acknowledge what it has had. */
static bool is_served(const struct nic_wire_peer *p)
{
    return p->gone || p->bye || all_left(p);
}

static bool is_through(const struct nic_wire_peer *p)
{
    return p->gone || (all_left(p) && (p->bye || !p->known));
}

static bool all(const struct nic_wires *w, bool (*holds)(const struct nic_wire_peer *peer))
{
    const struct nic_wire_peer *p = w->all;
    while (p && holds(p))
        p = p->next;
    return !p;
}

static void turn_until(struct nic *n, bool (*holds)(const struct nic_wire_peer *peer),
                       uint64_t deadline)
{
    while (!all(n->wires, holds) && nic_now() < deadline && !nic_job_aborted(n->job, NULL, NULL))
        if (!nic_wire_drop(n))
            sched_yield();
}

/* What is under way arrives, and both ends of each pair that has talked know that nothing else
 * will: whoever closed while a peer still sends to it would take away what that has not read. */
static void wire_close(struct nic *n)
{
    struct nic_wires *w = n->wires;
    uint64_t patience = w->patience_ns > CLOSE_NS ? w->patience_ns : CLOSE_NS;
    uint64_t deadline = nic_now() + patience;
    w->closing = true;
    /* a rank that is stopped, or has no processor, has not read yet what it still waits for */
    turn_until(n, is_served, deadline);
    for (struct nic_wire_peer *p = w->all; p; p = p->next)
        nic_wire_say(n, p, NIC_FRAME_BYE);
    /* over a wire that loses, one that is cut off sends again what it does not know to have come,
     * and wants an answer when the outage has ended */
    if (w->reliable)
        turn_until(n, is_served, deadline);
    turn_until(n, is_through, nic_now() + CLOSE_NS);
    nic_wire_stack_count(n);
    n->near_link->close(n);
    release(n);
}

const struct nic_link_ops nic_link_wire = {
    .name = "wire", .flags = NIC_LINK_INBOX,
    .open = wire_open, .send = wire_send, .poll = wire_poll, .ready = wire_ready,
        .coming = wire_coming, .arm = nic_wire_arm,
    .probe = wire_probe, .read = wire_read, .write = wire_write, .read_list = wire_read_list,
        .write_list = wire_write_list, .gone = wire_gone,
    .close = wire_close,
};
