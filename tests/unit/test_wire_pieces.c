/* Long frames over a wire of short ones: what arrives is what was sent, in order, over a wire with
 * faults too; a peer that has gone; pieces that make no sense. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wire/local.h"
#include "wire/pieces.h"
#include "wire/reliable.h"
#include "suite.h"

#define must(x) do { if (!(x)) ck_abort_msg("%s", #x); } while (0)

enum { RANKS = 3, DATAGRAM = 200, FRAME_BYTES = 9000, COUNT = 300, TOKEN = 5, EVENTS = 5 };
/* What a piece carries. */
enum { PIECE = (DATAGRAM - NIC_RELIABLE_HEAD - NIC_PIECE_HEAD) & ~7 };

struct end {
    struct nic_wire *wire, *reliable;
    uint32_t sent[RANKS], came[RANKS], told, lost;      /* frames; those that events were for */
};

static struct world { struct end end[RANKS]; uint64_t job, give_up; } world;

static int address_of(void *context, unsigned rank, void *address, size_t room, size_t *bytes)
{
    uint32_t all[3] = { rank, TOKEN, rank };
    (void)context;
    must(room >= sizeof all);
    memcpy(address, all, *bytes = sizeof all);
    return 0;
}

static void begin(uint64_t give_up)
{
    static unsigned tests;
    world = (struct world){ .job = ((uint64_t)getpid() << 16) + 1000 + ++tests,
                            .give_up = give_up };
}

static void open_end(unsigned rank, const struct nic_fault *fault)
{
    struct end *e = &world.end[rank];
    struct nic_reliable_config c = { .below = &nic_wire_local, .token = TOKEN, .rank = rank,
                                     .frame_bytes = DATAGRAM - NIC_RELIABLE_HEAD,
                                     .ranks = RANKS, .fault = fault, .give_up = world.give_up,
                                     .address_of = address_of };
    ck_assert_int_eq(nic_local_open(world.job, rank, DATAGRAM, &c.wire), 0);
    ck_assert_int_eq(nic_reliable_open(&c, &e->reliable), 0);
    struct nic_pieces_config p = { .below = &nic_wire_reliable, .wire = e->reliable, .rank = rank,
                                   .frame_bytes = FRAME_BYTES, .ranks = RANKS };
    ck_assert_int_eq(nic_pieces_open(&p, &e->wire), 0);
    ck_assert_uint_eq(nic_wire_pieces.limits(e->wire).frame_bytes, FRAME_BYTES);
    ck_assert(!nic_wire_pieces.limits(e->wire).loses);
    for (unsigned r = 0; r < RANKS; r++) {
        unsigned char address[64];
        uint64_t to;
        size_t bytes;
        address_of(NULL, r, address, sizeof address, &bytes);
        if (r == rank)
            continue;
        ck_assert_int_eq(nic_wire_pieces.insert(e->wire, address, &to), 0);
        ck_assert_uint_eq(to, r);
    }
}

/* Around the ends of pieces, one byte, and as long as may be. */
static uint32_t size_of(unsigned from, uint32_t number)
{
    static const uint32_t some[] = { 1, 8, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 3 * PIECE + 5,
                                     FRAME_BYTES, FRAME_BYTES - 1, 1000 };
    return some[(number + from) % (sizeof some / sizeof *some)];
}

static unsigned char at(unsigned from, uint32_t number, uint32_t i)
{
    return (unsigned char)(from << 6 | ((number * 7 + i + i / 251) & 63));
}

static int send_next(unsigned from, unsigned to)
{
    struct end *e = &world.end[from];
    struct nic_wire_frame *f = nic_wire_pieces.frame(e->wire);
    must(f && !((uintptr_t)f->data & 7));
    f->bytes = size_of(from, e->sent[to]);
    for (uint32_t i = 0; i < f->bytes; i++)
        f->data[i] = at(from, e->sent[to], i);
    f->owner = e;
    int rc = nic_wire_pieces.send(e->wire, to, f);
    if (rc)
        nic_wire_pieces.drop(e->wire, f);
    else
        e->sent[to]++;
    return rc;
}

/* Of the source that has sent just this. */
static void take(unsigned rank, const struct nic_wire_event *v)
{
    struct end *e = &world.end[rank];
    if (v->kind != NIC_WIRE_CAME) {
        must(v->owner == e && (v->kind == NIC_WIRE_SENT) == !v->why && !v->frame);
        e->told++;
        e->lost += v->kind == NIC_WIRE_LOST;
        return;
    }
    must(!((uintptr_t)v->data & 7) && v->buffer);
    unsigned from = 0;
    while (from < RANKS && (from == rank || v->bytes != size_of(from, e->came[from])
                            || v->data[0] != at(from, e->came[from], 0)))
        from++;
    must(from < RANKS);
    for (uint32_t i = 0; i < v->bytes; i++)
        must(v->data[i] == at(from, e->came[from], i));
    e->came[from]++;
    nic_wire_pieces.give_back(e->wire, v->buffer);
}

static unsigned turn(unsigned rank)
{
    struct nic_wire_event events[EVENTS];
    unsigned n = nic_wire_pieces.poll(world.end[rank].wire, events, EVENTS);
    for (unsigned i = 0; i < n; i++)
        take(rank, &events[i]);
    return n;
}

static void close_all(void)
{
    for (unsigned r = 0; r < RANKS; r++)
        if (world.end[r].wire)
            nic_wire_pieces.close(world.end[r].wire);
}

static bool all_there(void)
{
    for (unsigned from = 0; from < RANKS; from++) {
        if (world.end[from].told != COUNT * (RANKS - 1))
            return false;
        for (unsigned to = 0; to < RANKS; to++)
            if (to != from && world.end[to].came[from] != COUNT)
                return false;
    }
    return true;
}

static void traffic(const struct nic_fault *f)
{
    begin(0);
    for (unsigned r = 0; r < RANKS; r++)
        open_end(r, f);
    for (uint32_t x = 1; !all_there(); x = x * 1664525 + 1013904223) {
        unsigned from = x >> 9 & 3, to = x >> 12 & 3;
        if (from >= RANKS)
            continue;
        struct end *e = &world.end[from];
        if (to < RANKS && to != from && e->sent[to] < COUNT
            && e->sent[0] + e->sent[1] + e->sent[2] - e->told < 12)
            must(!send_next(from, to));
        else
            turn(from);
        must(!e->lost);
    }
    close_all();
}

START_TEST(good_wire) { traffic(NULL); }
END_TEST

START_TEST(bad_wire)
{
    struct nic_fault f;
    char why[100];
    ck_assert_int_eq(nic_fault_parse(&f, "drop=2%,dup=2%,reorder=4%,corrupt=1%,seed=3", why,
                                     sizeof why), 0);
    traffic(&f);
}
END_TEST

/* Whoever sleeps in the descriptor is woken by each piece, until the frame is there and told. */
START_TEST(sleeps)
{
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    for (unsigned i = 0; i < 20; i++) {
        must(!send_next(0, 1));
        for (;;) {
            struct pollfd p[2];
            bool may = true;
            while (turn(0) + turn(1))
                ;
            if (world.end[1].came[0] == i + 1 && world.end[0].told == i + 1)
                break;
            for (unsigned r = 0; r < 2; r++) {
                p[r] = (struct pollfd){ nic_wire_pieces.fd(world.end[r].wire), POLLIN, 0 };
                may &= nic_wire_pieces.may_sleep(world.end[r].wire);
            }
            if (may)
                must(poll(p, 2, 60 * 1000) > 0);
        }
    }
    close_all();
}
END_TEST

/* All that was sent to nobody is told of, once: what has left, what has not, and in part. */
START_TEST(gone_for_good)
{
    begin(50 * 1000 * 1000);
    open_end(0, NULL);
    for (unsigned i = 0; i < 20; i++)
        must(!send_next(0, 1));
    while (world.end[0].told < 20)
        turn(0);
    ck_assert_uint_eq(world.end[0].lost, 20);
    ck_assert_int_eq(send_next(0, 1), -EAGAIN);
    must(!send_next(0, 2));
    open_end(2, NULL);
    while (world.end[2].came[0] < 1 || world.end[0].told < 21) {
        turn(0);
        turn(2);
    }
    ck_assert_uint_eq(world.end[0].lost, 20);
    close_all();
}
END_TEST

/* Closed in the midst of all. */
START_TEST(closed_early)
{
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    for (unsigned i = 0; i < 15; i++) {
        must(!send_next(0, 1));
        turn(1);
        turn(0);
    }
    close_all();
}
END_TEST

/* -- pieces that make no sense */

struct head { uint32_t bytes; uint16_t source, first; };

/* Past the pieces' own module, which is to hear nothing of it. */
static void send_piece(struct head h, uint32_t bytes)
{
    struct nic_wire *w = world.end[1].reliable;
    struct nic_wire_frame *f = nic_wire_reliable.frame(w);
    struct nic_wire_event events[EVENTS];
    memset(f->data, 0x5a, DATAGRAM - NIC_RELIABLE_HEAD);
    memcpy(f->data, &h, sizeof h);
    f->bytes = bytes;
    must(!nic_wire_reliable.send(w, 0, f));
    while (!nic_wire_reliable.poll(w, events, EVENTS))
        turn(0);
}

/* None of them is a frame, nor does it keep back the frame behind it. */
START_TEST(senseless)
{
    static const struct { struct head head; uint32_t bytes; } some[] = {
        { { 100, 1, 1 }, 0 }, { { 100, 1, 1 }, 7 }, { { 100, 1, 1 }, 8 },       /* too short */
        { { 0, 1, 1 }, 20 }, { { FRAME_BYTES + 1, 1, 1 }, 20 }, { { 10, 1, 1 }, 19 },
        { { UINT32_MAX, 1, 1 }, 20 },
        { { 10, RANKS, 1 }, 18 }, { { 10, UINT16_MAX, 1 }, 18 }, { { 10, 0, 1 }, 18 },
        { { 10, 1, 2 }, 18 }, { { 10, 1, 0 }, 18 },                     /* begins nothing */
        { { 300, 1, 1 }, 108 }, { { 301, 1, 0 }, 108 },                 /* of another one */
        { { 200, 1, 1 }, 108 }, { { 201, 1, 0 }, 108 },         /* as long as it takes */
        { { 300, 1, 1 }, 108 }, { { 300, 1, 1 }, 108 },                 /* begins again */
    };
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    for (unsigned i = 0; i < sizeof some / sizeof *some; i++)
        send_piece(some[i].head, some[i].bytes);
    must(!send_next(1, 0));
    while (world.end[0].came[1] < 1) {
        turn(0);
        turn(1);
    }
    close_all();
}
END_TEST

/* -- a wire below that does as it is told */

enum { KEPT = 4 };

static struct {
    struct nic_wire_frame frame[KEPT];
    unsigned char data[KEPT][DATAGRAM];
    unsigned frames, sent, room;        /* taken so far; sent so far, and how many it takes */
    bool no_memory;
    struct nic_wire_event event[KEPT];
    unsigned events, told;
} below;

static struct nic_wire_limits below_limits(const struct nic_wire *w)
{
    (void)w;
    return (struct nic_wire_limits){ .frame_bytes = DATAGRAM };
}

static int below_insert(struct nic_wire *w, const void *address, uint64_t *peer)
{
    (void)w;
    *peer = *(const unsigned char *)address;
    return 0;
}

static struct nic_wire_frame *below_frame(struct nic_wire *w)
{
    (void)w;
    if (below.no_memory)
        return NULL;
    must(below.frames < KEPT);
    struct nic_wire_frame *f = &below.frame[below.frames];
    f->data = below.data[below.frames++];
    return f;
}

static void below_drop(struct nic_wire *w, struct nic_wire_frame *f)
{
    (void)w;
    must(f == &below.frame[--below.frames]);
}

static int below_send(struct nic_wire *w, uint64_t peer, struct nic_wire_frame *f)
{
    (void)w, (void)peer, (void)f;
    if (below.sent == below.room)
        return -EAGAIN;
    below.sent++;
    return 0;
}

static unsigned below_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = 0;
    (void)w;
    while (n < most && below.told < below.events)
        events[n++] = below.event[below.told++];
    return n;
}

static bool below_may_sleep(struct nic_wire *w)
{
    (void)w;
    return true;
}

static void below_close(struct nic_wire *w) { (void)w; }

/* Of rank 0, which has talked to rank 1. */
static struct nic_wire *over_the_told(unsigned room)
{
    static const struct nic_wire_ops ops = {
        .limits = below_limits, .insert = below_insert, .frame = below_frame, .drop = below_drop,
        .send = below_send, .poll = below_poll, .may_sleep = below_may_sleep,
        .close = below_close,
    };
    struct nic_pieces_config c = { .below = &ops, .frame_bytes = FRAME_BYTES, .ranks = 2 };
    struct nic_wire *w;
    uint64_t to;
    memset(&below, 0, sizeof below);
    below.room = room;
    must(!nic_pieces_open(&c, &w));
    must(!nic_wire_pieces.insert(w, &(unsigned char){ 1 }, &to) && to == 1);
    return w;
}

static void send_short(struct nic_wire *w)
{
    struct nic_wire_frame *f = nic_wire_pieces.frame(w);
    must(f);
    memset(f->data, 1, f->bytes = 10);
    must(!nic_wire_pieces.send(w, 1, f));
}

static void tell_piece(unsigned i, enum nic_wire_event_kind kind, const char *why)
{
    below.event[below.events++] = (struct nic_wire_event){ .kind = kind, .why = why,
                                                           .owner = below.frame[i].owner };
}

/* One event from below ends more frames than a poll has place for: the others are told of by the
 * next ones, and nobody sleeps before that. */
START_TEST(told_later)
{
    static const char *const why[] = { "the cable is cut", NULL };
    struct nic_wire *w = over_the_told(1);
    struct nic_wire_event e;
    for (unsigned i = 0; i < 3; i++)
        send_short(w);
    ck_assert_uint_eq(below.sent, 1);
    ck_assert(nic_wire_pieces.may_sleep(w));        /* until there is room */
    tell_piece(0, NIC_WIRE_LOST, why[_i]);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_uint_eq(nic_wire_pieces.poll(w, &e, 1), 1);
        ck_assert_int_eq(e.kind, NIC_WIRE_LOST);
        ck_assert_str_eq(e.why, why[_i] ? why[_i] : "it did not arrive");
        ck_assert_int_eq(nic_wire_pieces.may_sleep(w), i == 2);
    }
    ck_assert_uint_eq(nic_wire_pieces.poll(w, &e, 1), 0);
    nic_wire_pieces.close(w);
}
END_TEST

/* Nobody wakes who waits for memory: it is looked for again by each poll. */
START_TEST(no_memory)
{
    struct nic_wire *w = over_the_told(KEPT);
    struct nic_wire_event e;
    below.no_memory = true;
    send_short(w);
    ck_assert(!nic_wire_pieces.may_sleep(w));
    ck_assert_uint_eq(nic_wire_pieces.poll(w, &e, 1), 0);
    ck_assert(!nic_wire_pieces.may_sleep(w));
    below.no_memory = false;
    ck_assert_uint_eq(nic_wire_pieces.poll(w, &e, 1), 0);
    ck_assert_uint_eq(below.sent, 1);
    ck_assert(nic_wire_pieces.may_sleep(w));
    tell_piece(0, NIC_WIRE_SENT, NULL);
    ck_assert_uint_eq(nic_wire_pieces.poll(w, &e, 1), 1);
    ck_assert_int_eq(e.kind, NIC_WIRE_SENT);
    nic_wire_pieces.close(w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("wire_pieces");
    TCase *t = tcase_create("wire_pieces");
    tcase_add_test(t, good_wire);
    tcase_add_test(t, bad_wire);
    tcase_add_test(t, sleeps);
    tcase_add_test(t, gone_for_good);
    tcase_add_test(t, closed_early);
    tcase_add_test(t, senseless);
    tcase_add_loop_test(t, told_later, 0, 2);
    tcase_add_test(t, no_memory);
    suite_add_tcase(s, t);
    return suite_run(s);
}
