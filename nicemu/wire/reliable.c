/* See wire/reliable.h.  Owner of all of it: whoever may call the module's table; `quiet` may be
 * read by any thread. */
#define _GNU_SOURCE
#include "wire/reliable.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/time.h"
#include "reliable/datagram.h"
#include "reliable/window.h"

enum {
    FRAMES = 32,                /* kept per peer and direction */
    EVENTS = 16,
    MS = 1000 * 1000,
    ADDRESS_MAX = 256,
    HELD_NS = MS / 2,           /* a frame that is to be overtaken waits so long for it */
    REFUSED_NS = MS / 10,       /* a sleeper tries again so long after the wire had no room */
};

static_assert(sizeof(struct nic_datagram_head) == NIC_RELIABLE_HEAD, "as it says");

/* Of a wire whose round trip is well below a millisecond; a machine with more ranks than cores
 * answers late, and gets most frames twice then, which does no harm. */
static const struct nic_window_config usual = {
    .frames = FRAMES, .ack_every = FRAMES / 4, .ack_delay = MS / 10, .wait = 2 * MS,
    .wait_most = 250 * MS, .give_up = UINT64_C(10000) * MS,
};

/* A frame of the user, kept until it has been acknowledged. */
struct kept {
    struct nic_wire_frame frame;
    struct kept *next;          /* free, or acknowledged and to be told */
    bool left, lost;            /* it has been on the wire; it will never arrive */
    unsigned char data[] __attribute__((aligned(8)));
};

struct peer {
    struct nic_window window;
    void *slots[FRAMES];
    uint64_t to;                /* its name below, and its token, if known */
    uint32_t rank, token;
    bool known, dead;
};

/* What stands in front of an address of the wire below. */
struct address { uint32_t rank, token; };
static_assert(sizeof(struct address) == NIC_RELIABLE_ADDRESS, "as it says");

struct nic_wire {
    const struct nic_wire_ops *below;
    struct nic_wire *wire;      /* of that */
    struct nic_reliable_config config;
    struct nic_window_config window;
    struct nic_wire_frame *spare;   /* of that, which found no room */
    struct peer **peer;         /* by rank; NULL: not talked to */
    uint32_t *talked, talks;    /* ranks that are */
    struct kept *free, *told, **told_end;
    struct nic_fault fault;
    uint64_t held_since;
    uint64_t again;             /* frames that left more than once */
    int epoll, timer;           /* the descriptor below, and the next time that something is due */
    uint64_t timer_at;          /* NIC_WINDOW_NEVER: it is not set */
    uint64_t retry;             /* the wire below had no room: see after_refusal */
    _Atomic uint32_t quiet;     /* nothing is due at once */
    char why[80];
    _Alignas(8) unsigned char scratch[];    /* of a head and frame_bytes */
};

/* -- peers */

static struct peer *peer_of(struct nic_wire *w, uint32_t rank)
{
    struct peer *p = w->peer[rank];
    if (p || !(p = calloc(1, sizeof *p)))
        return p;
    p->rank = rank;
    nic_window_init(&p->window, &w->window, p->slots, 0);
    w->talked[w->talks++] = rank;
    return w->peer[rank] = p;
}

static int insert_below(struct nic_wire *w, struct peer *p, const unsigned char *address)
{
    struct address a;
    if (p->known)
        return 0;
    memcpy(&a, address, sizeof a);
    p->token = a.token;
    int rc = w->below->insert(w->wire, address + sizeof a, &p->to);
    p->known = !rc;
    return rc;
}

/* Asked for only where a frame has come from somebody to whom none was sent. */
static bool is_known(struct nic_wire *w, struct peer *p)
{
    unsigned char address[ADDRESS_MAX] = { 0 };
    size_t bytes;
    if (p->known)
        return true;
    return !w->config.address_of(w->config.context, p->rank, address, sizeof address, &bytes)
           && bytes > NIC_RELIABLE_ADDRESS && !insert_below(w, p, address);
}

static int reliable_insert(struct nic_wire *w, const void *address, uint64_t *peer)
{
    struct address a;
    memcpy(&a, address, sizeof a);
    struct peer *p = a.rank < w->config.ranks ? peer_of(w, a.rank) : NULL;
    if (!p)
        return a.rank < w->config.ranks ? -ENOMEM : -EPROTO;
    *peer = a.rank;
    return insert_below(w, p, address);
}

static int reliable_address(struct nic_wire *w, void *address, size_t room, size_t *bytes)
{
    const struct address a = { w->config.rank, w->config.token };
    if (room <= sizeof a)
        return -ENOSPC;
    memcpy(address, &a, sizeof a);
    int rc = w->below->address(w->wire, (char *)address + sizeof a, room - sizeof a, bytes);
    *bytes += sizeof a;
    return rc;
}

/* -- onto the wire below */

static bool emit(void *context, uint32_t rank, void *data, size_t bytes)
{
    struct nic_wire *w = context;
    struct nic_wire_frame *f = w->spare ? w->spare : w->below->frame(w->wire);
    w->spare = NULL;
    if (!f)
        return false;
    memcpy(f->data, data, bytes);
    f->bytes = (uint32_t)bytes;
    f->told = false;
    f->owner = NULL;
    if (w->below->send(w->wire, w->peer[rank]->to, f) >= 0)
        return true;
    w->spare = f;
    return false;
}

/* The fault's scratch copy is what leaves; the kept one stays whole.  False: there was no room, and
 * the peer has been told of nothing. */
static bool put(struct nic_wire *w, struct peer *p, struct nic_datagram_head *head,
                const void *data)
{
    unsigned char *scratch = w->scratch;
    bool nack, held = w->fault.held != NULL;
    head->token = p->token;
    head->source = (uint16_t)w->config.rank;
    head->answered = nic_window_answer_now(&p->window, &nack);
    head->flags = nack ? NIC_DATAGRAM_NACK : 0;
    memcpy(scratch, head, sizeof *head);
    if (head->bytes)
        memcpy(scratch + sizeof *head, data, head->bytes);
    nic_datagram_seal((struct nic_datagram_head *)scratch);
    size_t bytes = sizeof *head + head->bytes;
    if (w->config.fault)
        nic_fault_send(&w->fault, p->rank, scratch, bytes, emit, w);
    else if (!emit(w, p->rank, scratch, bytes))
        return false;
    if (!held && w->fault.held)
        w->held_since = nic_now();
    nic_window_answered(&p->window, &nack);
    return true;
}

/* All frames of a peer that may leave; false: the wire is full. */
static bool put_frames(struct nic_wire *w, struct peer *p, uint64_t now)
{
    struct kept *k;
    uint32_t number;
    while ((k = nic_window_pop(&p->window, now, &number))) {
        struct nic_datagram_head h = { .number = number, .bytes = k->frame.bytes,
                                       .kind = NIC_DATAGRAM_DATA };
        if (!put(w, p, &h, k->data)) {
            nic_window_unpop(&p->window);
            return false;
        }
        w->again += k->left;
        k->left = true;
    }
    return true;
}

/* The same of an answer that nothing carries. */
static bool put_answer(struct nic_wire *w, struct peer *p, uint64_t now)
{
    struct nic_datagram_head h = { .kind = NIC_DATAGRAM_ANSWER };
    return nic_window_answer(&p->window, now) == NIC_WINDOW_NOTHING || !is_known(w, p)
           || put(w, p, &h, NULL);
}

/* -- frames of the user */

static struct nic_wire_frame *reliable_frame(struct nic_wire *w)
{
    struct kept *k = w->free;
    if (k)
        w->free = k->next;
    else if (!(k = malloc(sizeof *k + w->config.frame_bytes)))
        return NULL;
    *k = (struct kept){ .frame = { .data = k->data } };
    return &k->frame;
}

static void free_frame(struct nic_wire *w, struct kept *k)
{
    k->next = w->free;
    w->free = k;
}

static void reliable_drop(struct nic_wire *w, struct nic_wire_frame *frame)
{
    free_frame(w, (struct kept *)((char *)frame - offsetof(struct kept, frame)));
}

/* The user hears of them from the next poll, or the end of this one. */
static void tell(struct nic_wire *w, struct peer *p, uint32_t first, uint32_t count, bool lost)
{
    for (; count; count--, first++) {
        struct kept *k = p->slots[first % FRAMES];
        k->lost = lost;
        k->next = NULL;
        *w->told_end = k;
        w->told_end = &k->next;
    }
}

static unsigned tell_events(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = 0;
    for (; n < most && w->told; n++) {
        struct kept *k = w->told;
        if (!(w->told = k->next))
            w->told_end = &w->told;
        events[n] = (struct nic_wire_event){ .kind = k->lost ? NIC_WIRE_LOST : NIC_WIRE_SENT,
                                             .owner = k->frame.owner,
                                             .why = k->lost ? w->why : NULL };
        free_frame(w, k);
    }
    return n;
}

static void give_up(struct nic_wire *w, struct peer *p)
{
    struct nic_window *v = &p->window;
    p->dead = true;
    snprintf(w->why, sizeof w->why, "no answer for %g s", (double)w->window.give_up / 1e9);
    tell(w, p, v->oldest, v->next - v->oldest, true);
    v->oldest = v->again = v->sent = v->next;
    v->deadline = NIC_WINDOW_NEVER;
}

/* -- what comes */

/* True: a frame of the user's, at event->data. */
static bool take(struct nic_wire *w, struct nic_wire_event *e, uint64_t now)
{
    struct nic_datagram_head h;
    uint32_t first;
    if (!nic_datagram_is_sound(e->data, e->bytes, w->config.token, w->config.ranks))
        return false;
    memcpy(&h, e->data, sizeof h);
    struct peer *p = peer_of(w, h.source);
    if (!p || h.source == w->config.rank)
        return false;
    uint32_t gone = nic_window_acked(&p->window, h.answered, h.flags & NIC_DATAGRAM_NACK, now,
                                     &first);
    tell(w, p, first, gone, false);
    e->data += sizeof h;
    e->bytes -= (uint32_t)sizeof h;
    return h.kind == NIC_DATAGRAM_DATA
           && nic_window_arrived(&p->window, h.number, now) == NIC_WINDOW_NEXT;
}

/* The buffer of a frame that goes no further: the last frame in front of it that has none may lie
 * in it too, and then the user gives it back with that. */
static void give_back_behind(struct nic_wire *w, struct nic_wire_event *events, unsigned n,
                             void *buffer)
{
    while (n && events[n - 1].buffer)
        n--;
    if (n)
        events[n - 1].buffer = buffer;
    else
        w->below->give_back(w->wire, buffer);
}

/* Events from below become the user's, in place; returns how many. */
static unsigned sift(struct nic_wire *w, struct nic_wire_event *events, unsigned count,
                     uint64_t now)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        struct nic_wire_event e = events[i];
        if (e.kind == NIC_WIRE_LOST && e.frame)
            w->below->drop(w->wire, e.frame);
        if (e.kind != NIC_WIRE_CAME)
            continue;           /* sent below, or lost there: the window knows */
        if (take(w, &e, now))
            events[n++] = e;
        else if (e.buffer)
            give_back_behind(w, events, n, e.buffer);
    }
    return n;
}

/* -- time */

/* When a frame that is held goes if none overtakes it. */
static uint64_t held_due(const struct nic_wire *w)
{
    return w->fault.held ? w->held_since + HELD_NS : NIC_WINDOW_NEVER;
}

/* When a peer needs a turn for which the wire has just had no room: who is awake tries again in any
 * turn, but nobody is kept awake by it, as whoever makes room may need the processor. */
static uint64_t after_refusal(struct nic_wire *w, uint64_t now)
{
    if (w->retry <= now)
        w->retry = now + REFUSED_NS;
    return w->retry;
}

static uint64_t serve(struct nic_wire *w, uint64_t now)
{
    uint64_t due = NIC_WINDOW_NEVER;
    if (held_due(w) <= now)
        nic_fault_flush(&w->fault, emit, w);
    for (uint32_t i = 0; i < w->talks; i++) {
        struct peer *p = w->peer[w->talked[i]];
        if (p->dead)
            continue;
        if (!nic_window_tick(&p->window, now))
            give_up(w, p);
        bool room = (!p->known || put_frames(w, p, now)) && put_answer(w, p, now);
        uint64_t next = room ? nic_window_due(&p->window, now) : after_refusal(w, now);
        due = next < due ? next : due;
    }
    return held_due(w) < due ? held_due(w) : due;   /* it may have been held in this turn */
}

/* A sleeper is woken by the descriptor when something is due. */
static void set_timer(struct nic_wire *w, uint64_t due, uint64_t now)
{
    struct itimerspec t = { 0 };
    atomic_store(&w->quiet, due > now);
    if (due == w->timer_at)
        return;
    w->timer_at = due;
    if (due != NIC_WINDOW_NEVER) {
        /* 0 would stop it: who does not sleep may be about to leave, and nobody else looks */
        uint64_t ns = due > now ? due - now : 1;
        t.it_value.tv_sec = (time_t)(ns / 1000000000);
        t.it_value.tv_nsec = (long)(ns % 1000000000);
    }
    timerfd_settime(w->timer, 0, &t, NULL);
}

/* Who sends and does not look again is woken all the same when the answer is late. */
static int reliable_send(struct nic_wire *w, uint64_t rank, struct nic_wire_frame *frame)
{
    struct peer *p = w->peer[rank];
    struct kept *k = (struct kept *)((char *)frame - offsetof(struct kept, frame));
    if (p->dead || !nic_window_has_room(&p->window))
        return -EAGAIN;
    uint64_t now = nic_now();
    nic_window_add(&p->window, k);
    bool room = put_frames(w, p, now);
    uint64_t due = room ? nic_window_due(&p->window, now) : after_refusal(w, now);
    due = held_due(w) < due ? held_due(w) : due;
    if (due < w->timer_at)
        set_timer(w, due, now);
    return 0;
}

static unsigned reliable_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = tell_events(w, events, most);
    if (n == most)
        return n;
    unsigned came = w->below->poll(w->wire, events + n, most - n);
    uint64_t now = nic_now();
    n += sift(w, events + n, came, now);
    uint64_t due = serve(w, now);
    n += tell_events(w, events + n, most - n);
    set_timer(w, w->told ? now : due, now);
    return n;
}

static bool reliable_may_sleep(struct nic_wire *w)
{
    return atomic_load(&w->quiet) && w->below->may_sleep(w->wire);
}

static int reliable_fd(const struct nic_wire *w) { return w->epoll; }

static void reliable_give_back(struct nic_wire *w, void *buffer)
{
    w->below->give_back(w->wire, buffer);
}

static struct nic_wire_limits reliable_limits(const struct nic_wire *w)
{
    return (struct nic_wire_limits){ .frame_bytes = w->config.frame_bytes };
}

static const char *reliable_provider(const struct nic_wire *w)
{
    return w->below->provider(w->wire);
}

/* -- opening and closing */

static void release(struct nic_wire *w)
{
    for (uint32_t i = 0; i < w->talks; i++) {
        struct peer *p = w->peer[w->talked[i]];
        for (uint32_t n = p->window.oldest; n != p->window.next; n++)
            free(p->slots[n % FRAMES]);
        free(p);
    }
    for (struct kept *k; (k = w->told); free(k))
        w->told = k->next;
    for (struct kept *k; (k = w->free); free(k))
        w->free = k->next;
    nic_fault_end(&w->fault);
    if (w->epoll >= 0)
        close(w->epoll);
    if (w->timer >= 0)
        close(w->timer);
    free(w->peer);
    free(w->talked);
    free(w);
}

/* A peer whose last frame's acknowledgment was lost sends it again, and wants an answer. */
static void linger(struct nic_wire *w)
{
    struct nic_wire_event events[EVENTS];
    uint64_t until = nic_now() + 2 * w->window.wait;
    while (nic_now() < until) {
        unsigned n = reliable_poll(w, events, EVENTS);
        for (unsigned i = 0; i < n; i++)
            if (events[i].kind == NIC_WIRE_CAME && events[i].buffer)
                w->below->give_back(w->wire, events[i].buffer);
        struct timespec nap = { .tv_nsec = 100 * 1000 };
        nanosleep(&nap, NULL);
    }
}

static void reliable_close(struct nic_wire *w)
{
    if (w->talks)
        linger(w);
    if (w->spare)
        w->below->drop(w->wire, w->spare);
    w->below->close(w->wire);
    release(w);
}

static int watch(int epoll, int fd)
{
    struct epoll_event e = { .events = EPOLLIN };
    return fd < 0 || !epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) ? 0 : -errno;
}

/* The descriptors of a wire whose `below` is open.  One that cannot be slept on cannot here. */
static int open_descriptors(struct nic_wire *w)
{
    int fd = w->below->fd(w->wire);
    if ((w->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) < 0)
        return -errno;
    if (fd < 0)
        return 0;
    if ((w->epoll = epoll_create1(EPOLL_CLOEXEC)) < 0)
        return -errno;
    int rc = watch(w->epoll, fd);
    return rc ? rc : watch(w->epoll, w->timer);
}

static int open_parts(struct nic_wire *w)
{
    w->peer = calloc(w->config.ranks, sizeof *w->peer);
    w->talked = calloc(w->config.ranks, sizeof *w->talked);
    return w->peer && w->talked ? open_descriptors(w) : -ENOMEM;
}

int nic_reliable_open(const struct nic_reliable_config *config, struct nic_wire **wire)
{
    struct nic_wire *w = calloc(1, sizeof *w + NIC_RELIABLE_HEAD + config->frame_bytes);
    if (!w)
        return -ENOMEM;
    w->below = config->below;
    w->wire = config->wire;
    w->config = *config;
    w->window = usual;
    if (config->give_up)
        w->window.give_up = config->give_up;
    w->told_end = &w->told;
    w->epoll = w->timer = -1;
    w->timer_at = NIC_WINDOW_NEVER;
    if (config->fault) {
        w->fault = *config->fault;
        nic_fault_begin(&w->fault, config->rank);
    }
    int rc = open_parts(w);
    if (rc)
        release(w);
    else
        *wire = w;
    return rc;
}

const struct nic_fault *nic_reliable_faults(const struct nic_wire *w, uint64_t *again)
{
    *again = w->again;
    return &w->fault;
}

static int no_open(const struct nic_wire_config *config, struct nic_wire **wire, char *why,
                   size_t room)
{
    (void)config, (void)wire;
    snprintf(why, room, "it stands in front of another wire");
    return -ENOSYS;
}

const struct nic_wire_ops nic_wire_reliable = {
    .version = NIC_WIRE_VERSION, .open = no_open, .provider = reliable_provider,
    .limits = reliable_limits, .address = reliable_address, .insert = reliable_insert,
    .frame = reliable_frame, .send = reliable_send, .drop = reliable_drop, .poll = reliable_poll,
    .give_back = reliable_give_back,
    .fd = reliable_fd, .may_sleep = reliable_may_sleep, .close = reliable_close,
};
