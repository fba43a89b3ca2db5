/* Packets of the hardware: sending, waiting for room, receiving,
 * and requests that wait for a reply. */
#include "remote/packets.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "core/baton.h"
#include "core/demand.h"
#include "job/generation.h"
#include "remote/backlog.h"
#include "remote/post.h"

enum { FLUSH_NS = 1000 * 1000 * 1000 };

/* -- sending */

static void enqueue(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    if (nic_backlog_keep(&n->remote->backlogs, &n->peer[peer].hw_backlog, peer, m))
        nic_hw_busy(n, 1);
    n->counts.hw_waited++;
}

static bool try_message(struct nic *n, unsigned peer, const struct nic_tx *m)
{
    assert(m->head_bytes <= NIC_HW_HEAD_MAX && !(m->head_bytes & 7)
           && m->data_bytes <= NIC_MESSAGE_BYTES_MAX);
    if (n->peer[peer].hw_backlog || n->link->send(n, peer, m, true) == -EAGAIN)
        return false;
    n->counts.hw_sent++;
    return true;
}

static struct nic_tx message(enum nic_hw_type type, uint64_t match, const void *head,
                             size_t head_bytes, const void *data, size_t data_bytes)
{
    return (struct nic_tx){ .type = (uint8_t)type, .head_bytes = (uint16_t)head_bytes,
                                 .data_bytes = (uint32_t)data_bytes, .match = match,
                                 .head = head, .data = data };
}

bool nic_hw_try_send(struct nic *n, unsigned peer, enum nic_hw_type type, uint64_t match,
                     const void *head, size_t head_bytes, const void *data,
                     size_t data_bytes)
{
    struct nic_tx m = message(type, match, head, head_bytes, data, data_bytes);
    nic_baton_check(n);
    return try_message(n, peer, &m);
}

void nic_hw_send(struct nic *n, unsigned peer, enum nic_hw_type type, uint64_t match,
                 const void *head, size_t head_bytes, const void *data,
                 size_t data_bytes)
{
    struct nic_tx m = message(type, match, head, head_bytes, data, data_bytes);
    nic_baton_check(n);
    if (!try_message(n, peer, &m))
        enqueue(n, peer, &m);
}

bool nic_hw_queues_advance(struct nic *n)
{
    unsigned ended, sent = nic_backlogs_send(n, &n->remote->backlogs, &ended);
    n->counts.hw_sent += sent;
    if (ended)
        nic_hw_busy(n, -(int)ended);
    return sent;
}

/* -- receiving */

void nic_hw_drop(struct nic *n) { n->counts.hw_dropped++; }

static void sink(struct nic *n, void *to, size_t capacity, nic_hw_landed_fn *landed, void *cookie)
{
    nic_receive_body(n, to, capacity, cookie);
    n->landing.landed = landed;
}

static void whole_landed(struct nic *n, void *cookie)
{
    (void)cookie;
    n->remote->again(n, &n->remote->packet);
}

bool nic_hw_whole(struct nic *n, const struct nic_packet *p, nic_hw_handler *again)
{
    struct nic_remote *r = n->remote;
    if (p->length == p->head_bytes)
        return true;
    memcpy(r->whole, p->head, p->head_bytes);
    r->packet = *p;
    r->again = again;
    r->packet.head = r->whole;
    r->packet.head_bytes = p->length;
    sink(n, r->whole + p->head_bytes, sizeof r->whole - p->head_bytes, whole_landed, NULL);
    return false;
}

void nic_hw_land(struct nic *n, const struct nic_packet *p, size_t skip, void *to,
                 nic_hw_landed_fn *landed, void *cookie)
{
    size_t here = p->head_bytes - skip;
    if (here)
        memcpy(to, (const char *)p->head + skip, here);
    if (p->length > p->head_bytes)
        sink(n, (char *)to + here, p->length - p->head_bytes, landed, cookie);
    else if (landed)
        landed(n, cookie);
}

/* -- requests that wait for a reply */

static bool more_pending(struct nic *n)
{
    struct nic_remote *r = n->remote;
    struct nic_pending *p = r->pending_chunks < NIC_PENDING_CHUNKS
                            ? calloc(NIC_PENDING_CHUNK, sizeof *p) : NULL;
    if (!p)
        return false;
    for (unsigned i = NIC_PENDING_CHUNK; i--;) {
        p[i].index = r->pending_chunks * NIC_PENDING_CHUNK + i;
        p[i].generation = r->pending_start;
        p[i].next = r->free_pending;
        r->free_pending = &p[i];
    }
    r->pending[r->pending_chunks++] = p;
    return true;
}

struct nic_pending *nic_pending_new(struct nic *n, unsigned peer, enum nic_hw_type reply)
{
    struct nic_remote *r = n->remote;
    if (!r->free_pending && !more_pending(n))
        return NULL;
    struct nic_pending *p = r->free_pending;
    r->free_pending = p->next;
    p->peer = peer;
    p->reply = (uint16_t)reply;
    if (!r->pending_count++)
        nic_hold_service(n, 1);
    return p;
}

struct nic_pending *nic_pending_find(struct nic *n, uint64_t id, unsigned peer,
                                     enum nic_hw_type reply)
{
    struct nic_remote *r = n->remote;
    uint32_t index = (uint32_t)id;
    if (index / NIC_PENDING_CHUNK >= r->pending_chunks)
        return NULL;
    struct nic_pending *p = &r->pending[index / NIC_PENDING_CHUNK][index % NIC_PENDING_CHUNK];
    return p->generation == id >> 32 && p->reply == reply && p->peer == peer ? p : NULL;
}

void nic_pending_free(struct nic *n, struct nic_pending *p)
{
    struct nic_remote *r = n->remote;
    p->reply = 0;
    p->generation++;
    p->next = r->free_pending;
    r->free_pending = p;
    if (!--r->pending_count)
        nic_hold_service(n, -1);
}

/* -- life */

/* NICEMU_REMOTE=packet: as if no memory of a peer were in reach, for tests of that way.  All ranks
 * have the same environment, so each is asked and serves. */
static void choose_ways(struct nic *n)
{
    const char *way = getenv("NICEMU_REMOTE");
    n->remote->allowed = (1u << NIC_PATH_COUNT) - 1;
    if (!way || strcmp(way, "packet"))
        return;
    n->remote->allowed = 1u << NIC_PATH_STAGED;
    n->service++;
    nic_refresh_slow_reasons(n);
}

int nic_remote_open(struct nic *n)
{
    size_t bytes = sizeof *n->remote + (-sizeof *n->remote & 63);
    struct nic_remote *r = aligned_alloc(64, bytes);
    if (!r)
        return -ENOMEM;
    memset(r, 0, offsetof(struct nic_remote, whole));
    r->ops_end = &r->ops;
    r->pending_start = (uint32_t)(n->probe_token >> 32) | 1;
    n->remote = r;
    choose_ways(n);
    return 0;
}

/* A peer that has left never reads what is kept for it. */
static bool may_read(const struct nic *n, unsigned peer)
{
    return nic_job_rank_state(n->job, peer) != NIC_RANK_CLOSED && !nic_job_has_ended(n->job, peer);
}

static bool for_some_reader(const struct nic *n, const struct nic_backlog *b)
{
    while (b && !may_read(n, b->peer))
        b = b->next;
    return b;
}

bool nic_remote_has_reader(const struct nic *n)
{
    return for_some_reader(n, n->remote->backlogs) || for_some_reader(n, n->posts);
}

/* What peers wait for still goes out, if they take it. */
void nic_hw_flush(struct nic *n)
{
    if (!n->remote || !nic_remote_has_reader(n))
        return;
    uint64_t until = nic_now() + FLUSH_NS;
    nic_enter(n);
    while (nic_remote_has_reader(n) && nic_now() < until && !nic_job_aborted(n->job, NULL, NULL))
        if (!nic_hw_queues_advance(n) && !nic_posts_advance(n))
            sched_yield();
    nic_baton_give(n);
}

void nic_remote_close(struct nic *n)
{
    if (!n->remote)
        return;
    nic_backlogs_free(&n->remote->backlogs);
    nic_posts_close(n);
    for (unsigned i = 0; i < n->remote->pending_chunks; i++)
        free(n->remote->pending[i]);
    free(n->remote);
    n->remote = NULL;
}
