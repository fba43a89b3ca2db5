/* Packets to one peer that share frames: which leave at once, how long frames get, and that all
 * arrive in order, also if the wire refuses, the peer is lost, or the NIC closes. */
#include <errno.h>
#include <stdlib.h>

#include "machines.h"
#include "wire/peer.h"
#include "wire/state.h"

enum { LONG = 8 * 1024, SHORT = 100 };
static_assert(LONG >= (int)NIC_WIRE_LONG && SHORT < (int)NIC_WIRE_LONG, "one of each");

/* -- a wire that says what it is given, and that may refuse */

static struct {
    const struct nic_wire_ops *behind;
    struct nic_wire_ops ops;
    bool closed, holds;
    unsigned frames, held;
    uint32_t bytes[1000];
    struct nic_wire_frame *frame[8];
} gate;

/* Frames that are held are lost in the next look, the first of them first. */
static unsigned gate_poll(struct nic_wire *w, struct nic_wire_event *events, unsigned most)
{
    if (gate.holds || !gate.held)
        return gate.behind->poll(w, events, most);
    must(gate.held <= most);
    for (unsigned i = 0; i < gate.held; i++)
        events[i] = (struct nic_wire_event){ .kind = NIC_WIRE_LOST, .frame = gate.frame[i],
                                             .owner = gate.frame[i]->owner, .why = "no way" };
    unsigned lost = gate.held;
    gate.held = 0;
    return lost;
}

static int gate_send(struct nic_wire *w, uint64_t peer, struct nic_wire_frame *f)
{
    uint32_t bytes = f->bytes;
    if (gate.holds && !gate.closed) {
        must(gate.held < sizeof gate.frame / sizeof *gate.frame);
        gate.frame[gate.held++] = f;
        return 0;
    }
    int rc = gate.closed ? -EAGAIN : gate.behind->send(w, peer, f);
    if (rc >= 0)
        gate.bytes[gate.frames++ % 1000] = bytes;
    return rc;
}

static uint32_t payload_of(unsigned i) { return i % 3 ? LONG - i * 8 % 512 : SHORT; }

/* Its number stands in the match bits. */
static void in_order(struct catcher *c, const struct nic_packet *p)
{
    must(p->match == c->packets - 1);
    must(loop_is_payload(p->head, p->length, (unsigned)p->match));
}

static unsigned sent;

/* With the baton, so that nobody looks at the wire meanwhile. */
static int send_one(struct machines *m, uint32_t bytes)
{
    struct nic_tx t = { .type = 1, .match = sent, .data = loop_payload(sent), .data_bytes = bytes };
    int rc = nic_send(m->nic[0], 1, &t);
    sent += !rc;
    return rc;
}

static void send_some(struct machines *m, unsigned count, uint32_t bytes)
{
    while (count--)
        ck_assert_int_eq(send_one(m, bytes), 0);
}

/* A look at the wire lets leave what waits. */
static void look(struct machines *m)
{
    for (uint32_t before = m->nic[0]->wires->look; m->nic[0]->wires->look == before;)
        nic_step(m->nic[0]);
}

/* Rank 0 of two machines inside, behind the gate, and known to rank 1. */
static struct nic_wires *open_gate(struct machines *m)
{
    machines_open(m, 2, 2, NIC_PROGRESS_AUTO);
    m->catcher[1]->caught = in_order;
    struct nic_wires *w = m->nic[0]->wires;
    struct nic_tx first = { .type = 1, .data = loop_payload(0), .data_bytes = 1 };
    machines_send(m, 0, 1, &first);
    machines_await(m, 1, sent = 1);
    machines_settle(m);
    nic_enter(m->nic[0]);
    memset(&gate, 0, sizeof gate);
    gate.behind = w->ops;
    gate.ops = *w->ops;
    gate.ops.send = gate_send;
    gate.ops.poll = gate_poll;
    w->ops = &gate.ops;
    look(m);
    return w;
}

/* All has come, and rank 0 knows that. */
static void arrive(struct machines *m)
{
    nic_leave(m->nic[0]);
    machines_await(m, 1, sent);
    machines_settle(m);
    ck_assert_uint_eq(m->catcher[1]->packets, sent);
    nic_enter(m->nic[0]);
}

static void close_gate(struct machines *m)
{
    arrive(m);
    nic_leave(m->nic[0]);
    machines_close(m);
}

static bool is_stream(const struct nic_wires *w) { return w->packet_bytes > NIC_LENGTH_MAX; }

/* -- what leaves at once */

/* Long ones up to 64 KiB, from one look to the next.  What comes then waits for a frame that is
 * full, or for a look. */
START_TEST(test_long)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    const uint32_t room = nic_frame_room(LONG);
    unsigned most = is_stream(w) ? (NIC_WIRE_BURST_BYTES + room - 1) / room : 12;
    for (unsigned round = 0; round < 2; round++, arrive(&m)) {
        look(&m);
        gate.frames = 0;
        send_some(&m, most, LONG);
        ck_assert_uint_eq(gate.frames, most);
        for (unsigned i = 0; i < most; i++)
            ck_assert_uint_eq(gate.bytes[i], sizeof(struct nic_frame_head) + room);
        if (!is_stream(w))
            continue;
        unsigned full = 1 + (NIC_WIRE_STREAM_FULL - sizeof(struct nic_frame_head) - 1) / room;
        send_some(&m, full - 1, LONG);
        ck_assert_uint_eq(gate.frames, most);
        send_some(&m, 1, LONG);
        ck_assert_uint_eq(gate.frames, most + 1);
        ck_assert_uint_eq(gate.bytes[most], sizeof(struct nic_frame_head) + full * room);
        send_some(&m, 1, LONG);
        ck_assert_uint_eq(gate.frames, most + 1);
        look(&m);
        ck_assert_uint_eq(gate.frames, most + 2);
    }
    close_gate(&m);
}
END_TEST

/* Short ones do not use up what long ones may: one of these takes with it what waits. */
START_TEST(test_mixed)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    send_some(&m, NIC_WIRE_BURST, SHORT);
    ck_assert_uint_eq(gate.frames, NIC_WIRE_BURST);
    send_some(&m, 2, SHORT);
    ck_assert_uint_eq(gate.frames, NIC_WIRE_BURST);
    ck_assert(nic_wire_queued(w) != NULL);
    send_some(&m, 1, LONG);
    ck_assert_uint_eq(gate.frames, NIC_WIRE_BURST + 1);
    ck_assert_uint_eq(gate.bytes[NIC_WIRE_BURST], sizeof(struct nic_frame_head)
                      + 2 * nic_frame_room(SHORT) + nic_frame_room(LONG));
    close_gate(&m);
}
END_TEST

/* A wire that loses keeps what it sends: its frames are no longer than they were. */
START_TEST(test_loses)
{
    struct machines m;
    setenv("NICEMU_FAULT", "drop=0%", 1);
    struct nic_wires *w = open_gate(&m);
    unsetenv("NICEMU_FAULT");
    ck_assert_uint_eq(w->gather_bytes, NIC_FRAME_GATHER);
    ck_assert_uint_eq(w->full_bytes, NIC_WIRE_LONG);
    send_some(&m, NIC_WIRE_IN_FLIGHT, LONG);
    ck_assert_uint_eq(gate.frames, NIC_WIRE_IN_FLIGHT);
    close_gate(&m);
}
END_TEST

/* -- a wire that refuses */

/* All that the peer's frames have room for; returns how many packets. */
static unsigned fill(struct machines *m)
{
    unsigned before = sent;
    int rc;
    while (!(rc = send_one(m, payload_of(sent))))
        ;
    ck_assert_int_eq(rc, -EAGAIN);
    return sent - before;
}

START_TEST(test_refused)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    const struct nic_wire_peer *p = m.nic[0]->peer[1].wire;
    for (unsigned round = 0; round < 3; round++) {
        gate.closed = true;
        gate.frames = 0;
        unsigned packets = fill(&m);
        ck_assert_uint_eq(p->queued, NIC_WIRE_QUEUED);
        ck_assert_uint_eq(gate.frames, 0);
        ck_assert_uint_gt(packets, NIC_WIRE_QUEUED);
        look(&m);
        ck_assert_uint_eq(gate.frames, 0);
        gate.closed = false;
        look(&m);
        ck_assert_uint_eq(gate.frames, NIC_WIRE_QUEUED);
        for (unsigned i = 0; i < NIC_WIRE_QUEUED; i++) {
            ck_assert_uint_le(gate.bytes[i], w->gather_bytes);
            ck_assert_uint_gt(gate.bytes[i], w->gather_bytes - nic_frame_room(LONG));
        }
        ck_assert_uint_eq(p->queued, 0);
        arrive(&m);
    }
    close_gate(&m);
}
END_TEST

/* Nothing is left of what was gathered for a peer that is lost, and the next packet is told so. */
START_TEST(test_lost)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    struct nic_wire_peer *p = m.nic[0]->peer[1].wire;
    gate.closed = true;
    fill(&m);
    w->closing = true;                  /* no patrol is there to be told: that ends the process */
    nic_wire_lose(m.nic[0], p, "the cable is cut");
    look(&m);
    ck_assert_uint_eq(p->queued, 0);
    ck_assert(nic_wire_queued(w) == NULL);
    ck_assert_uint_eq(p->in_flight, 0);
    ck_assert_uint_eq(atomic_load(&w->hosts->under_way), 0);
    ck_assert_int_eq(send_one(&m, LONG), -EHOSTUNREACH);
    nic_leave(m.nic[0]);
    m.nic[1]->wires->closing = true;
    machines_close(&m);
}
END_TEST

/* The first frames to a peer that cannot be reached yet are lost, and go again in order, with what
 * is sent meanwhile behind them. */
START_TEST(test_first_are_lost)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    struct nic_wire_peer *p = nic_wire_peer(m.nic[0], 1);
    p->reached = false;
    gate.holds = true;
    send_some(&m, 3, SHORT);
    ck_assert_uint_eq(gate.held, 3);
    gate.holds = false;
    while (gate.held)
        look(&m);
    ck_assert_uint_eq(w->lost, 0);
    ck_assert(!p->queued || nic_wire_queued(w) == p);       /* also if nothing else is sent */
    send_some(&m, 2, SHORT);
    close_gate(&m);
}
END_TEST

/* A wire that refuses now and then takes something in between: the peer is not lost. */
START_TEST(test_refused_again)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    const uint64_t patience = w->patience_ns;
    for (unsigned i = 0; i < 3; i++) {
        gate.closed = true;
        w->patience_ns = 1;
        send_some(&m, 1, SHORT);
        w->patience_ns = patience;
        ck_assert_uint_eq(w->lost, 0);
        ck_assert_uint_eq(nic_wire_peer(m.nic[0], 1)->queued, 1);
        gate.closed = false;
        arrive(&m);
    }
    close_gate(&m);
}
END_TEST

/* Nor is it while frames are under way to it, however long that takes: when they have come it takes
 * the next ones. */
START_TEST(test_refused_in_flight)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    struct nic_wire_peer *p = nic_wire_peer(m.nic[0], 1);
    const uint64_t patience = w->patience_ns;
    p->reached = false;                 /* what is held is sent again */
    gate.holds = true;
    send_some(&m, 1, SHORT);
    ck_assert_uint_eq(p->in_flight, 1);
    gate.closed = true;
    w->patience_ns = 1;
    for (unsigned i = 0; i < 3; i++) {
        send_some(&m, 1, SHORT);
        look(&m);
    }
    w->patience_ns = patience;
    ck_assert_uint_eq(w->lost, 0);
    gate.closed = gate.holds = false;
    while (gate.held)
        look(&m);
    close_gate(&m);
}
END_TEST

/* -- the end */

/* A NIC that closes lets leave what has gathered. */
START_TEST(test_closing)
{
    struct machines m;
    struct nic_wires *w = open_gate(&m);
    gate.closed = true;
    send_some(&m, 5, LONG);
    send_some(&m, 5, SHORT);
    gate.closed = false;
    ck_assert_uint_eq(gate.frames, 0);
    ck_assert(nic_wire_queued(w) != NULL);
    nic_leave(m.nic[0]);
    machines_close_in_turn(&m, sent, 1000);
}
END_TEST

int main(void)
{
    if (!machines_possible())
        return 77;
    Suite *s = suite_create("wire_gather");
    TCase *t = tcase_create("wire_gather");
    tcase_add_test(t, test_long);
    tcase_add_test(t, test_mixed);
    tcase_add_test(t, test_loses);
    tcase_add_test(t, test_refused);
    tcase_add_test(t, test_lost);
    tcase_add_test(t, test_first_are_lost);
    tcase_add_test(t, test_refused_again);
    tcase_add_test(t, test_refused_in_flight);
    tcase_add_test(t, test_closing);
    suite_add_tcase(s, t);
    return loop_run(s);
}
