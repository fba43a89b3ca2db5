/* Whole frames, once and in order, over a wire with faults: several ranks of this process over the
 * kernel's datagrams; one that comes late, one that has gone, strangers' datagrams. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/time.h"
#include "reliable/datagram.h"
#include "wire/local.h"
#include "wire/reliable.h"
#include "suite.h"

#define must(x) do { if (!(x)) ck_abort_msg("%s", #x); } while (0)

enum { RANKS = 3, FRAME_BYTES = 512, COUNT = 1500, TOKEN = 77, EVENTS = 8 };

struct end {
    struct nic_wire *wire;
    uint64_t to[RANKS];
    uint32_t sent[RANKS], came[RANKS], told, lost;      /* frames; those that events were for */
    char why[80];
};

static struct world {
    struct end end[RANKS];
    uint64_t job, give_up;
    uint32_t token;
} world;

/* The wire below: the kernel's datagrams, refused while the gate is closed. */
static bool closed;

static int gate_send(struct nic_wire *w, uint64_t peer, struct nic_wire_frame *f)
{
    return closed ? -EAGAIN : nic_wire_local.send(w, peer, f);
}

static const struct nic_wire_ops *below(void)
{
    static struct nic_wire_ops gate;
    gate = nic_wire_local;
    gate.send = gate_send;
    return &gate;
}

static int address_of(void *context, unsigned rank, void *address, size_t room, size_t *bytes)
{
    uint32_t all[3] = { rank, world.token + rank, rank };
    (void)context;
    must(room >= sizeof all);
    memcpy(address, all, sizeof all);
    *bytes = sizeof all;
    return 0;
}

static void begin(uint64_t give_up)
{
    static unsigned tests;
    world = (struct world){ .job = ((uint64_t)getpid() << 16) + ++tests, .give_up = give_up,
                            .token = TOKEN };
}

static void open_end(unsigned rank, const struct nic_fault *fault)
{
    struct nic_reliable_config c = { .below = below(), .frame_bytes = FRAME_BYTES,
                                     .token = world.token + rank, .rank = rank,
                                     .ranks = RANKS, .fault = fault,
                                     .give_up = world.give_up, .address_of = address_of };
    struct end *e = &world.end[rank];
    ck_assert_int_eq(nic_local_open(world.job, rank, FRAME_BYTES + NIC_RELIABLE_HEAD, &c.wire), 0);
    ck_assert_int_eq(nic_reliable_open(&c, &e->wire), 0);
    unsigned char own[64];
    size_t bytes;
    ck_assert_int_eq(nic_wire_reliable.address(e->wire, own, sizeof own, &bytes), 0);
    ck_assert_uint_eq(bytes, 12);
    ck_assert_int_eq(memcmp(own, (uint32_t[]){ rank, world.token + rank, rank }, 12), 0);
    for (unsigned r = 0; r < RANKS; r++) {
        address_of(NULL, r, own, sizeof own, &bytes);
        if (r != rank)
            ck_assert_int_eq(nic_wire_reliable.insert(e->wire, own, &e->to[r]), 0);
    }
}

static uint32_t size_of(unsigned from, uint32_t number)
{
    return 8 + (number * 37 + from * 5) % (FRAME_BYTES - 7);
}

static void fill(unsigned char *data, unsigned from, uint32_t number)
{
    memcpy(data, (uint32_t[]){ from, number }, 8);
    for (uint32_t i = 8; i < size_of(from, number); i++)
        data[i] = (unsigned char)(number * 7 + i + from);
}

static void send_next(unsigned from, unsigned to)
{
    struct end *e = &world.end[from];
    struct nic_wire_frame *f = nic_wire_reliable.frame(e->wire);
    must(f && !((uintptr_t)f->data & 7));
    fill(f->data, from, e->sent[to]);
    f->bytes = size_of(from, e->sent[to]++);
    f->owner = e;
    must(!nic_wire_reliable.send(e->wire, e->to[to], f));
}

static void take(unsigned rank, const struct nic_wire_event *v)
{
    struct end *e = &world.end[rank];
    unsigned char want[FRAME_BYTES];
    uint32_t head[2];
    if (v->kind != NIC_WIRE_CAME) {
        must(v->owner == e);
        e->told++;
        if (v->kind == NIC_WIRE_LOST) {
            e->lost++;
            must(v->why);
            strncpy(e->why, v->why, sizeof e->why - 1);
        }
        return;
    }
    must(v->bytes >= 8 && !((uintptr_t)v->data & 7));
    memcpy(head, v->data, sizeof head);
    must(head[0] < RANKS && head[0] != rank && head[1] == e->came[head[0]]);
    fill(want, head[0], head[1]);
    must(v->bytes == size_of(head[0], head[1]) && !memcmp(v->data, want, v->bytes));
    e->came[head[0]]++;
    if (v->buffer)
        nic_wire_reliable.give_back(e->wire, v->buffer);
}

static unsigned turn(unsigned rank)
{
    struct nic_wire_event events[EVENTS];
    unsigned n = nic_wire_reliable.poll(world.end[rank].wire, events, EVENTS);
    for (unsigned i = 0; i < n; i++)
        take(rank, &events[i]);
    return n;
}

static void close_end(unsigned rank)
{
    nic_wire_reliable.close(world.end[rank].wire);
    world.end[rank].wire = NULL;
}

static struct nic_fault faults(const char *text)
{
    struct nic_fault f;
    char why[100];
    ck_assert_int_eq(nic_fault_parse(&f, text, why, sizeof why), 0);
    return f;
}

static bool all_there(void)
{
    for (unsigned from = 0; from < RANKS; from++) {
        struct end *e = &world.end[from];
        if (e->told != COUNT * (RANKS - 1))
            return false;
        for (unsigned to = 0; to < RANKS; to++)
            if (to != from && world.end[to].came[from] != COUNT)
                return false;
    }
    return true;
}

static void random_traffic(const struct nic_fault *f)
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
            && e->sent[0] + e->sent[1] + e->sent[2] - e->told < 20)
            send_next(from, to);
        else
            turn(from);
    }
}

START_TEST(good_wire)
{
    uint64_t again;
    random_traffic(NULL);
    for (unsigned r = 0; r < RANKS; r++)
        ck_assert_uint_eq(nic_fault_total(nic_reliable_faults(world.end[r].wire, &again)), 0);
    for (unsigned r = 0; r < RANKS; r++)
        close_end(r);
}
END_TEST

START_TEST(bad_wire)
{
    struct nic_fault f = faults("drop=3%,dup=3%,reorder=6%,corrupt=2%,seed=3");
    uint64_t again;
    random_traffic(&f);
    for (unsigned r = 0; r < RANKS; r++) {
        const struct nic_fault *done = nic_reliable_faults(world.end[r].wire, &again);
        for (unsigned i = 0; i < NIC_FAULT_COUNT; i++)
            ck_assert_uint_gt(done->done[i], 0);
        ck_assert_uint_gt(again, 0);
    }
    for (unsigned r = 0; r < RANKS; r++)
        close_end(r);
}
END_TEST

/* Nothing is lost that was sent to a rank before it was there. */
START_TEST(late_comer)
{
    begin(0);
    open_end(0, NULL);
    for (unsigned i = 0; i < 10; i++)
        send_next(0, 1);
    for (unsigned i = 0; i < 100; i++)
        turn(0);
    ck_assert_uint_eq(world.end[0].told, 0);
    open_end(1, NULL);
    while (world.end[1].came[0] < 10 || world.end[0].told < 10) {
        turn(0);
        turn(1);
    }
    close_end(0);
    close_end(1);
}
END_TEST

START_TEST(gone_for_good)
{
    begin(50 * 1000 * 1000);
    open_end(0, NULL);
    for (unsigned i = 0; i < 5; i++)
        send_next(0, 1);
    while (world.end[0].told < 5)
        turn(0);
    ck_assert_uint_eq(world.end[0].lost, 5);
    ck_assert_str_eq(world.end[0].why, "no answer for 0.05 s");
    close_end(0);
}
END_TEST

/* More than a window at once is refused, and room comes back. */
START_TEST(full)
{
    begin(0);
    open_end(0, NULL);
    struct nic_wire *w = world.end[0].wire;
    struct nic_wire_frame *f = NULL;
    unsigned sent = 0;
    for (; sent < 1000; sent++) {
        f = nic_wire_reliable.frame(w);
        fill(f->data, 0, sent);
        f->bytes = size_of(0, sent);
        f->owner = &world.end[0];
        if (nic_wire_reliable.send(w, world.end[0].to[2], f))
            break;
    }
    ck_assert_uint_gt(sent, 7);
    ck_assert_uint_lt(sent, 1000);
    open_end(2, NULL);
    while (world.end[0].told < sent) {
        turn(0);
        turn(2);
    }
    ck_assert_int_eq(nic_wire_reliable.send(w, world.end[0].to[2], f), 0);
    while (world.end[2].came[0] < sent + 1) {
        turn(0);
        turn(2);
    }
    close_end(0);
    close_end(2);
}
END_TEST

/* Datagrams that are none of ours, or too long, or end early. */
START_TEST(strangers)
{
    unsigned char junk[2 * FRAME_BYTES];
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    int length = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "nicemu/%016llx/0",
                          (unsigned long long)world.job);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ck_assert_int_ge(fd, 0);
    memset(junk, 0x11, sizeof junk);
    for (unsigned bytes = 0; bytes <= sizeof junk; bytes += 128) {
        ck_assert_int_eq(sendto(fd, junk, bytes, 0, (struct sockaddr *)&to, (socklen_t)
                                (offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
                         (int)bytes);
        turn(0);
    }
    send_next(1, 0);
    while (world.end[0].came[1] < 1) {
        turn(0);
        turn(1);
    }
    close(fd);
    close_end(0);
    close_end(1);
}
END_TEST

/* What was sent to somebody who had the same place earlier does not reach who has it now, and
 * what has his token does. */
START_TEST(another_token)
{
    begin(100 * 1000 * 1000);
    open_end(1, NULL);                  /* it knows the token that 0 has then */
    world.token = TOKEN + 100;
    open_end(0, NULL);
    send_next(1, 0);
    while (world.end[1].told < 1) {
        turn(0);
        turn(1);
    }
    ck_assert_uint_eq(world.end[1].lost, 1);
    ck_assert_uint_eq(world.end[0].came[1], 0);
    open_end(2, NULL);
    send_next(2, 0);
    while (world.end[2].told < 1) {
        turn(0);
        turn(2);
    }
    ck_assert_uint_eq(world.end[2].lost, 0);
    ck_assert_uint_eq(world.end[0].came[2], 1);
    for (unsigned r = 0; r < RANKS; r++)
        close_end(r);
}
END_TEST

/* Until a frame or the time wakes one of the first two. */
static void sleep_both(void)
{
    struct pollfd p[2];
    bool may = true;
    for (unsigned r = 0; r < 2; r++) {
        p[r] = (struct pollfd){ nic_wire_reliable.fd(world.end[r].wire), POLLIN, 0 };
        may &= nic_wire_reliable.may_sleep(world.end[r].wire);
    }
    if (may)
        must(poll(p, 2, 60 * 1000) > 0);
}

/* Whoever sleeps in the descriptor is woken by a frame, and by time: the first frame is lost. */
START_TEST(sleeps)
{
    struct nic_fault f = faults("drop=40%,seed=4");
    begin(0);
    open_end(0, &f);
    open_end(1, &f);
    for (unsigned i = 0; i < 20; i++) {
        send_next(0, 1);
        for (;;) {
            while (turn(0) + turn(1))
                ;
            must(!world.end[0].lost);
            if (world.end[1].came[0] == i + 1 && world.end[0].told == i + 1)
                break;
            sleep_both();
        }
    }
    close_end(0);
    close_end(1);
}
END_TEST

/* Who sends and sleeps at once, without a look, is woken to send again. */
START_TEST(sleeps_after_sending)
{
    struct nic_fault f = faults("drop=100%");
    begin(0);
    open_end(0, &f);
    struct pollfd p = { nic_wire_reliable.fd(world.end[0].wire), POLLIN, 0 };
    for (unsigned i = 0; i < 3; i++) {
        send_next(0, 1);
        ck_assert(nic_wire_reliable.may_sleep(world.end[0].wire));
        must(poll(&p, 1, 60 * 1000) == 1);
        turn(0);
    }
    must(nic_reliable_faults(world.end[0].wire, &(uint64_t){ 0 })->frames >= 3);
    close_end(0);
}
END_TEST

/* Who learns in a look that a frame has arrived tells so in that look: no other is needed. */
START_TEST(told_at_once)
{
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    send_next(0, 1);
    while (!world.end[1].came[0])
        turn(1);
    struct timespec longer_than_an_answer_waits = { .tv_nsec = 1000 * 1000 };
    nanosleep(&longer_than_an_answer_waits, NULL);
    turn(1);
    ck_assert_uint_eq(turn(0), 1);
    ck_assert_uint_eq(world.end[0].told, 1);
    close_end(0);
    close_end(1);
}
END_TEST

/* What a look had no place for is told by the next one, for which a sleeper is woken. */
START_TEST(told_later)
{
    enum { SENT = 4 };
    struct nic_wire_event event;
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    for (unsigned i = 0; i < SENT; i++)
        send_next(0, 1);
    while (world.end[1].came[0] < SENT)
        turn(1);
    struct timespec longer_than_an_answer_waits = { .tv_nsec = 1000 * 1000 };
    nanosleep(&longer_than_an_answer_waits, NULL);
    turn(1);
    struct pollfd p = { nic_wire_reliable.fd(world.end[0].wire), POLLIN, 0 };
    for (unsigned i = 0; i < SENT; i++) {
        must(poll(&p, 1, 20 * 1000) == 1);
        must(nic_wire_reliable.poll(world.end[0].wire, &event, 1) == 1);
        take(0, &event);
    }
    ck_assert_uint_eq(world.end[0].told, SENT);
    close_end(0);
    close_end(1);
}
END_TEST

/* An answer for which there was no room is still due. */
START_TEST(answer_refused)
{
    const struct timespec longer_than_an_answer_waits = { .tv_nsec = 1000 * 1000 };
    uint64_t again;
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    send_next(0, 1);
    closed = true;
    while (!world.end[1].came[0])
        turn(1);
    for (unsigned i = 0; i < 3; i++) {
        nanosleep(&longer_than_an_answer_waits, NULL);
        turn(1);
    }
    closed = false;
    turn(1);
    turn(0);
    ck_assert_uint_eq(world.end[0].told, 1);
    nic_reliable_faults(world.end[0].wire, &again);
    ck_assert_uint_eq(again, 0);
    close_end(0);
    close_end(1);
}
END_TEST

/* Who has found no room may sleep, and is woken to try again. */
START_TEST(sleeps_when_refused)
{
    begin(0);
    open_end(0, NULL);
    open_end(1, NULL);
    closed = true;
    send_next(0, 1);
    struct pollfd p = { nic_wire_reliable.fd(world.end[0].wire), POLLIN, 0 };
    for (unsigned i = 0; i < 5; i++) {
        turn(0);
        /* more than once only if a moment has passed since */
        while (!nic_wire_reliable.may_sleep(world.end[0].wire))
            turn(0);
        must(poll(&p, 1, 60 * 1000) == 1);
    }
    closed = false;
    while (!world.end[1].came[0]) {
        turn(0);
        turn(1);
    }
    close_end(0);
    close_end(1);
}
END_TEST

/* -- a wire below whose buffers hold several frames, as libfabric's do */

static struct { struct nic_wire_event event[3]; unsigned events, given_back; } script;
static struct { struct nic_datagram_head head; uint32_t data[2]; } datagram[3];

static unsigned script_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    unsigned n = script.events;
    (void)w;
    must(n <= most);
    memcpy(events, script.event, n * sizeof *events);
    script.events = 0;
    return n;
}

static void script_give_back(struct nic_wire *w, void *buffer)
{
    (void)w, (void)buffer;
    script.given_back++;
}

static int script_fd(const struct nic_wire *w) { (void)w; return -1; }
static void script_close(struct nic_wire *w) { (void)w; }
static int script_insert(struct nic_wire *w, const void *address, uint64_t *peer)
{
    (void)w, (void)address, (void)peer;
    return -ENOENT;             /* nobody can be answered */
}

static const struct nic_wire_ops nic_wire_script = {
    .poll = script_poll, .give_back = script_give_back, .fd = script_fd, .close = script_close,
    .insert = script_insert,
};

/* The event of a datagram from rank 1. */
static void comes(unsigned i, uint32_t number, void *buffer)
{
    datagram[i].head = (struct nic_datagram_head){ .token = TOKEN, .number = number, .source = 1,
                                                   .bytes = 8, .kind = NIC_DATAGRAM_DATA };
    nic_datagram_seal(&datagram[i].head);
    script.event[i] = (struct nic_wire_event){ .kind = NIC_WIRE_CAME, .bytes = sizeof datagram[i],
                                               .data = (void *)&datagram[i], .buffer = buffer };
    script.events = i + 1;
}

/* A buffer goes back behind the last frame in it that is read, not before. */
START_TEST(common_buffers)
{
    struct nic_reliable_config c = { .below = &nic_wire_script, .frame_bytes = FRAME_BYTES,
                                     .token = TOKEN, .ranks = RANKS, .address_of = address_of };
    struct nic_wire_event got[EVENTS];
    struct nic_wire *w;
    char a, b;
    ck_assert_int_eq(nic_reliable_open(&c, &w), 0);
    comes(0, 0, NULL);
    comes(1, 0, &a);                    /* had it: the last one in `a` */
    ck_assert_uint_eq(nic_wire_reliable.poll(w, got, EVENTS), 1);
    ck_assert_ptr_eq(got[0].buffer, &a);
    comes(0, 1, NULL);
    comes(1, 2, &b);
    comes(2, 1, &a);                    /* of `a`, where the first of the three lies */
    ck_assert_uint_eq(nic_wire_reliable.poll(w, got, EVENTS), 2);
    ck_assert_ptr_eq(got[0].buffer, &a);
    ck_assert_ptr_eq(got[1].buffer, &b);
    ck_assert_uint_eq(script.given_back, 0);
    comes(0, 9000, &b);
    ck_assert_uint_eq(nic_wire_reliable.poll(w, got, EVENTS), 0);
    ck_assert_uint_eq(script.given_back, 1);
    comes(0, 0, &b);
    datagram[0].head.source = 0;        /* as if it were its own */
    nic_datagram_seal(&datagram[0].head);
    ck_assert_uint_eq(nic_wire_reliable.poll(w, got, EVENTS), 0);
    ck_assert_uint_eq(script.given_back, 2);
    nic_wire_reliable.close(w);
}
END_TEST

/* -- the kernel's datagrams by themselves */

static struct nic_wire *local_wire(unsigned rank, uint32_t frame_bytes)
{
    struct nic_wire *w;
    ck_assert_int_eq(nic_local_open(world.job, rank, frame_bytes, &w), 0);
    ck_assert(nic_wire_local.limits(w).loses);
    ck_assert_uint_eq(nic_wire_local.limits(w).frame_bytes, frame_bytes);
    return w;
}

START_TEST(local_addresses)
{
    unsigned char address[NIC_LOCAL_ADDRESS];
    struct nic_wire *again;
    uint64_t peer;
    size_t bytes = 0;
    begin(0);
    struct nic_wire *w = local_wire(1, 100);
    ck_assert_int_eq(nic_local_open(world.job, 1, 100, &again), -EADDRINUSE);
    ck_assert_int_eq(nic_wire_local.address(w, address, sizeof address - 1, &bytes), -ENOSPC);
    ck_assert_int_eq(nic_wire_local.address(w, address, sizeof address, &bytes), 0);
    ck_assert_uint_eq(bytes, sizeof address);
    ck_assert_int_eq(nic_wire_local.insert(w, address, &peer), 0);
    ck_assert_uint_eq(peer, 1);
    nic_wire_local.close(w);
    nic_wire_local.close(local_wire(1, 100));
}
END_TEST

/* Somebody else's datagram that is longer than any frame is no frame; the next one is. */
START_TEST(local_too_long)
{
    static const uint32_t bytes[] = { 101, 100 };
    struct nic_wire_event e[EVENTS];
    begin(0);
    struct nic_wire *w = local_wire(0, 100), *other = local_wire(1, 200);
    for (unsigned i = 0; i < 2; i++) {
        struct nic_wire_frame *f = nic_wire_local.frame(other);
        must(f);
        memset(f->data, 7, f->bytes = bytes[i]);
        ck_assert_int_eq(nic_wire_local.send(other, 0, f), 1);
    }
    ck_assert_uint_eq(nic_wire_local.poll(w, e, EVENTS), 1);
    ck_assert_int_eq(e[0].kind, NIC_WIRE_CAME);
    ck_assert_uint_eq(e[0].bytes, 100);
    nic_wire_local.give_back(w, e[0].buffer);
    nic_wire_local.close(w);
    nic_wire_local.close(other);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("wire_reliable");
    TCase *t = tcase_create("wire_reliable");
    tcase_add_test(t, good_wire);
    tcase_add_test(t, bad_wire);
    tcase_add_test(t, late_comer);
    tcase_add_test(t, gone_for_good);
    tcase_add_test(t, full);
    tcase_add_test(t, strangers);
    tcase_add_test(t, another_token);
    tcase_add_test(t, sleeps);
    tcase_add_test(t, sleeps_after_sending);
    tcase_add_test(t, told_at_once);
    tcase_add_test(t, told_later);
    tcase_add_test(t, answer_refused);
    tcase_add_test(t, sleeps_when_refused);
    tcase_add_test(t, common_buffers);
    tcase_add_test(t, local_addresses);
    tcase_add_test(t, local_too_long);
    suite_add_tcase(s, t);
    return suite_run(s);
}
