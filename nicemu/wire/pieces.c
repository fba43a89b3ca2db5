/* See wire/pieces.h.  Owner of all of it: whoever may call the module's table; `quiet` may be read
 * by any thread. */
#include "wire/pieces.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In front of the bytes of a piece.  Each says how long the whole is, so that one that does not
 * belong to those before it is found out. */
struct head {
    uint32_t bytes;             /* of the frame */
    uint16_t source;            /* rank of the sender */
    uint16_t first;             /* 1: a frame begins */
};
static_assert(sizeof(struct head) == NIC_PIECE_HEAD, "as it says");

struct peer;

/* A frame, going or coming. */
struct whole {
    struct nic_wire_frame frame;
    struct whole *next;         /* free, of a peer, or to be told of */
    struct whole *older;        /* of all that there are */
    struct peer *peer;
    uint32_t at;                /* so many bytes have been handed down, or have come */
    uint32_t under_way;         /* pieces handed down that the wire below has not told of */
    bool lost;
    unsigned char data[] __attribute__((aligned(8)));
};

/* A peer that has been talked to. */
struct peer {
    struct whole *first, **end; /* frames that are not handed down as a whole */
    struct whole *coming;
    uint32_t rank;
    bool dead;
};

struct nic_wire {
    const struct nic_wire_ops *below;
    struct nic_wire *wire;      /* of that */
    struct nic_pieces_config config;
    uint32_t most;              /* bytes in a piece */
    struct peer **peer;         /* by rank; NULL: not talked to */
    uint32_t *talked, talks;    /* ranks that are */
    struct whole *all, *free, *told, **told_end;
    uint64_t sent;              /* pieces */
    _Atomic uint32_t quiet;     /* nothing waits that the wire below knows nothing of */
    char why[80];
};

static struct whole *new_whole(struct nic_wire *w)
{
    struct whole *f = w->free;
    if (f) {
        w->free = f->next;
    } else if ((f = malloc(sizeof *f + w->config.frame_bytes))) {
        f->older = w->all;
        w->all = f;
    } else {
        return NULL;
    }
    *f = (struct whole){ .frame = { .data = f->data }, .older = f->older };
    return f;
}

static void free_whole(struct nic_wire *w, struct whole *f)
{
    f->next = w->free;
    w->free = f;
}

static struct whole *of_frame(struct nic_wire_frame *f)
{
    return (struct whole *)(void *)((char *)f - offsetof(struct whole, frame));
}

static struct peer *peer_of(struct nic_wire *w, uint32_t rank)
{
    struct peer *p = w->peer[rank];
    if (p || !(p = calloc(1, sizeof *p)))
        return p;
    p->rank = rank;
    p->end = &p->first;
    w->talked[w->talks++] = rank;
    return w->peer[rank] = p;
}

/* -- sending */

static struct nic_wire_frame *pieces_frame(struct nic_wire *w)
{
    struct whole *f = new_whole(w);
    return f ? &f->frame : NULL;
}

static void pieces_drop(struct nic_wire *w, struct nic_wire_frame *f)
{
    free_whole(w, of_frame(f));
}

/* The user hears of it from the next poll, or the end of this one. */
static void tell(struct nic_wire *w, struct whole *f)
{
    f->next = NULL;
    *w->told_end = f;
    w->told_end = &f->next;
}

/* 0: it is on its way; else as the wire below says, or there was no memory. */
static int put_piece(struct nic_wire *w, struct peer *p, struct whole *f)
{
    uint32_t left = f->frame.bytes - f->at, bytes = left < w->most ? left : w->most;
    struct head h = { .bytes = f->frame.bytes, .source = (uint16_t)w->config.rank,
                      .first = !f->at };
    struct nic_wire_frame *piece = w->below->frame(w->wire);
    if (!piece)
        return -ENOMEM;
    memcpy(piece->data, &h, sizeof h);
    memcpy(piece->data + sizeof h, f->data + f->at, bytes);
    piece->bytes = (uint32_t)sizeof h + bytes;
    piece->told = true;
    piece->owner = f;
    int rc = w->below->send(w->wire, p->rank, piece);
    if (rc < 0) {
        w->below->drop(w->wire, piece);
        return rc;
    }
    f->at += bytes;
    f->under_way++;
    w->sent++;
    return 0;
}

/* All that the wire below takes.  What it has no room for goes on when it tells of something that
 * has arrived; for memory nobody calls.  False: that is what is missing. */
static bool put_pieces(struct nic_wire *w, struct peer *p)
{
    struct whole *f;
    while ((f = p->first)) {
        int rc = put_piece(w, p, f);
        if (rc)
            return rc != -ENOMEM;
        if (f->at < f->frame.bytes)
            continue;
        if (!(p->first = f->next))
            p->end = &p->first;
    }
    return true;
}

/* What waits will never leave. */
static void give_up(struct nic_wire *w, struct peer *p)
{
    struct whole *next;
    p->dead = true;
    for (struct whole *f = p->first; f; f = next) {
        next = f->next;
        f->lost = true;
        if (!f->under_way)
            tell(w, f);
    }
    p->first = NULL;
    p->end = &p->first;
}

static int pieces_send(struct nic_wire *w, uint64_t rank, struct nic_wire_frame *frame)
{
    struct peer *p = w->peer[rank];
    struct whole *f = of_frame(frame);
    if (p->dead)
        return -EAGAIN;
    f->next = NULL;
    f->peer = p;
    *p->end = f;
    p->end = &f->next;
    if (!put_pieces(w, p))
        atomic_store(&w->quiet, 0);
    return 0;
}

/* A piece has arrived, or never will: so has the frame, with its last one. */
static void piece_ended(struct nic_wire *w, const struct nic_wire_event *e)
{
    struct whole *f = e->owner;
    if (e->kind == NIC_WIRE_LOST) {
        f->lost = true;
        snprintf(w->why, sizeof w->why, "%s", e->why ? e->why : "it did not arrive");
        if (!f->peer->dead)
            give_up(w, f->peer);
    }
    if (!--f->under_way && (f->lost || f->at == f->frame.bytes))
        tell(w, f);
}

static unsigned tell_events(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = 0;
    for (; n < most && w->told; n++) {
        struct whole *f = w->told;
        if (!(w->told = f->next))
            w->told_end = &w->told;
        events[n] = (struct nic_wire_event){ .kind = f->lost ? NIC_WIRE_LOST : NIC_WIRE_SENT,
                                             .owner = f->frame.owner,
                                             .why = f->lost ? w->why : NULL };
        free_whole(w, f);
    }
    return n;
}

/* -- what comes */

/* The frame that a piece belongs to; NULL: to none, as it makes no sense or there is no memory. */
static struct whole *whole_of(struct nic_wire *w, const struct head *h, uint32_t bytes)
{
    bool sound = h->source < w->config.ranks && h->source != w->config.rank && h->first <= 1
                 && h->bytes && h->bytes <= w->config.frame_bytes;
    struct peer *p = sound ? peer_of(w, h->source) : NULL;
    if (!p)
        return NULL;
    struct whole *f = p->coming;
    if (h->first && !f)
        f = p->coming = new_whole(w);
    if (h->first && f) {
        f->peer = p;
        f->frame.bytes = h->bytes;
        f->at = 0;
    }
    return f && (f->at == 0) == h->first && f->frame.bytes == h->bytes && bytes
           && bytes <= f->frame.bytes - f->at ? f : NULL;
}

/* True: with it a frame is whole, and told of by the event. */
static bool take_piece(struct nic_wire *w, const unsigned char *data, uint32_t bytes,
                       struct nic_wire_event *e)
{
    struct head h;
    if (bytes < sizeof h)
        return false;
    memcpy(&h, data, sizeof h);
    bytes -= (uint32_t)sizeof h;
    struct whole *f = whole_of(w, &h, bytes);
    if (!f)
        return false;
    memcpy(f->data + f->at, data + sizeof h, bytes);
    f->at += bytes;
    if (f->at < f->frame.bytes)
        return false;
    f->peer->coming = NULL;
    *e = (struct nic_wire_event){ .kind = NIC_WIRE_CAME, .data = f->data, .buffer = f,
                                  .bytes = f->frame.bytes };
    return true;
}

static void pieces_give_back(struct nic_wire *w, void *buffer) { free_whole(w, buffer); }

/* Events from below; those that are left become the user's, in place. */
static unsigned sift(struct nic_wire *w, struct nic_wire_event *events, unsigned count)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        struct nic_wire_event e = events[i];
        if (e.kind != NIC_WIRE_CAME)
            piece_ended(w, &e);
        else
            n += take_piece(w, e.data, e.bytes, &events[n]);
        if (e.kind == NIC_WIRE_CAME && e.buffer)
            w->below->give_back(w->wire, e.buffer);
    }
    return n;
}

static unsigned pieces_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = tell_events(w, events, most);
    bool all = true;
    if (n < most) {
        unsigned came = w->below->poll(w->wire, events + n, most - n);
        n += sift(w, events + n, came);
    }
    for (uint32_t i = 0; i < w->talks; i++)
        all &= put_pieces(w, w->peer[w->talked[i]]);
    n += tell_events(w, events + n, most - n);
    atomic_store(&w->quiet, all && !w->told);
    return n;
}

/* -- the wire below, passed through */

static int pieces_insert(struct nic_wire *w, const void *address, uint64_t *peer)
{
    int rc = w->below->insert(w->wire, address, peer);
    if (!rc && *peer >= w->config.ranks)
        rc = -EPROTO;
    return rc ? rc : peer_of(w, (uint32_t)*peer) ? 0 : -ENOMEM;
}

static int pieces_address(struct nic_wire *w, void *address, size_t room, size_t *bytes)
{
    return w->below->address(w->wire, address, room, bytes);
}

static const char *pieces_provider(const struct nic_wire *w)
{
    return w->below->provider(w->wire);
}

static struct nic_wire_limits pieces_limits(const struct nic_wire *w)
{
    return (struct nic_wire_limits){ .frame_bytes = w->config.frame_bytes };
}

static bool pieces_may_sleep(struct nic_wire *w)
{
    return atomic_load(&w->quiet) && w->below->may_sleep(w->wire);
}

static int pieces_fd(const struct nic_wire *w) { return w->below->fd(w->wire); }

/* -- opening and closing */

static void release(struct nic_wire *w)
{
    for (uint32_t i = 0; i < w->talks; i++)
        free(w->peer[w->talked[i]]);
    for (struct whole *f; (f = w->all); free(f))
        w->all = f->older;
    free(w->peer);
    free(w->talked);
    free(w);
}

static void pieces_close(struct nic_wire *w)
{
    w->below->close(w->wire);
    release(w);
}

int nic_pieces_open(const struct nic_pieces_config *config, struct nic_wire **wire)
{
    struct nic_wire *w = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    w->below = config->below;
    w->wire = config->wire;
    w->config = *config;
    w->most = (w->below->limits(w->wire).frame_bytes - NIC_PIECE_HEAD) & ~UINT32_C(7);
    w->told_end = &w->told;
    w->quiet = 1;
    w->peer = calloc(config->ranks, sizeof *w->peer);
    w->talked = calloc(config->ranks, sizeof *w->talked);
    if (!w->peer || !w->talked) {
        release(w);
        return -ENOMEM;
    }
    *wire = w;
    return 0;
}

uint64_t nic_pieces_sent(const struct nic_wire *w) { return w->sent; }

static int no_open(const struct nic_wire_config *config, struct nic_wire **wire, char *why,
                   size_t room)
{
    (void)config, (void)wire;
    snprintf(why, room, "it stands in front of another wire");
    return -ENOSYS;
}

const struct nic_wire_ops nic_wire_pieces = {
    .version = NIC_WIRE_VERSION, .open = no_open, .provider = pieces_provider,
    .limits = pieces_limits, .address = pieces_address, .insert = pieces_insert,
    .frame = pieces_frame, .send = pieces_send, .drop = pieces_drop, .poll = pieces_poll,
    .give_back = pieces_give_back, .fd = pieces_fd, .may_sleep = pieces_may_sleep,
    .close = pieces_close,
};
