/* The reliability protocol apart from any wire: the window's states one by one, made-up faults; and
 * two NICs that talk over a simulated wire with every kind of fault. */
#include <stdlib.h>
#include <string.h>

#include "reliable/datagram.h"
#include "reliable/fault.h"
#include "reliable/streams.h"
#include "reliable/window.h"
#include "suite.h"

enum { FRAMES = 8, WAIT = 1000, WAIT_MOST = 8000, GIVE_UP = 100000, ACK_DELAY = 100 };
static const struct nic_window_config config = { .frames = FRAMES, .ack_every = 4,
                                                 .ack_delay = ACK_DELAY, .wait = WAIT,
                                                 .wait_most = WAIT_MOST, .give_up = GIVE_UP };

/* Where ck_assert, which writes a line each time, would take longer than all the rest. */
#define must(x) do { if (!(x)) ck_abort_msg("%s", #x); } while (0)

/* -- the window */

static char frame[2 * FRAMES];          /* any addresses */

static struct nic_window window(void **kept, uint32_t first)
{
    struct nic_window w;
    memset(kept, 0, FRAMES * sizeof *kept);
    nic_window_init(&w, &config, kept, first);
    return w;
}

static void add(struct nic_window *w, unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        nic_window_add(w, &frame[i]);
}

static void pops(struct nic_window *w, uint64_t now, uint32_t number, unsigned i)
{
    uint32_t n = ~number;
    ck_assert_ptr_eq(nic_window_pop(w, now, &n), &frame[i]);
    ck_assert_uint_eq(n, number);
}

static void no_more(struct nic_window *w, uint64_t now)
{
    uint32_t n;
    ck_assert_ptr_null(nic_window_pop(w, now, &n));
}

static void acked(struct nic_window *w, uint32_t number, bool nack, uint64_t now, uint32_t first,
                  uint32_t count)
{
    uint32_t from = ~first;
    ck_assert_uint_eq(nic_window_acked(w, number, nack, now, &from), count);
    ck_assert_uint_eq(from, first);
}

/* `_i`: across the end of the numbers as well. */
#define FIRST ((uint32_t)(_i ? UINT32_MAX - 2 : 0))

START_TEST(full_and_empty)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    ck_assert(nic_window_is_idle(&w));
    ck_assert_uint_eq(nic_window_due(&w, 5), NIC_WINDOW_NEVER);
    for (unsigned i = 0; i < FRAMES; i++) {
        ck_assert(nic_window_has_room(&w));
        add(&w, i, i + 1);
        ck_assert_uint_eq(nic_window_due(&w, 5), 5);
        pops(&w, 10 + i, FIRST + i, i);
    }
    ck_assert(!nic_window_has_room(&w));
    no_more(&w, 20);
    ck_assert_uint_eq(nic_window_due(&w, 20), 10 + WAIT);
    acked(&w, FIRST + 3, false, 30, FIRST, 3);
    ck_assert(nic_window_has_room(&w) && !nic_window_is_idle(&w));
    ck_assert_uint_eq(nic_window_due(&w, 30), 30 + WAIT);
    acked(&w, FIRST + 3, false, 40, FIRST + 3, 0);
    acked(&w, FIRST + 8, false, 50, FIRST + 3, 5);
    ck_assert(nic_window_is_idle(&w));
    ck_assert_uint_eq(nic_window_due(&w, 50), NIC_WINDOW_NEVER);
    ck_assert(nic_window_tick(&w, 50 + 2 * GIVE_UP));
}
END_TEST

/* What was never sent, or is long over, is not acknowledged. */
START_TEST(made_up_answers)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    add(&w, 0, 4);
    pops(&w, 0, FIRST, 0);
    pops(&w, 0, FIRST + 1, 1);
    acked(&w, FIRST + 3, false, 1, FIRST, 0);
    acked(&w, FIRST - 1, true, 1, FIRST, 0);
    acked(&w, FIRST + UINT32_C(0x80000000), true, 1, FIRST, 0);
    pops(&w, 1, FIRST + 2, 2);
    acked(&w, FIRST + 3, false, 2, FIRST, 3);
    acked(&w, FIRST + 1, true, 2, FIRST + 3, 0);
    pops(&w, 3, FIRST + 3, 3);
}
END_TEST

START_TEST(goes_back)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    add(&w, 0, 5);
    for (unsigned i = 0; i < 4; i++)
        pops(&w, i, FIRST + i, i);
    acked(&w, FIRST + 1, true, 10, FIRST, 1);       /* the second is missed */
    pops(&w, 11, FIRST + 1, 1);
    acked(&w, FIRST + 1, true, 12, FIRST + 1, 0);   /* told twice: not twice from the start */
    pops(&w, 12, FIRST + 2, 2);
    acked(&w, FIRST + 4, false, 13, FIRST + 1, 3);  /* the late ones arrived: not sent again */
    pops(&w, 14, FIRST + 4, 4);
    no_more(&w, 14);
    acked(&w, FIRST + 4, true, 15, FIRST + 4, 0);   /* a new gap */
    pops(&w, 16, FIRST + 4, 4);
}
END_TEST

/* Without answers: again and again, more and more seldom, and at last out of reach. */
START_TEST(patience)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    uint64_t now = 0, wait = WAIT;
    add(&w, 0, 2);
    pops(&w, now, FIRST, 0);
    pops(&w, now, FIRST + 1, 1);
    while (now + wait <= GIVE_UP) {
        ck_assert_uint_eq(nic_window_due(&w, now), now + wait);
        ck_assert(nic_window_tick(&w, now + wait - 1));
        no_more(&w, now + wait - 1);
        ck_assert(nic_window_tick(&w, now += wait));
        pops(&w, now, FIRST, 0);
        pops(&w, now, FIRST + 1, 1);
        wait = wait * 2 < WAIT_MOST ? wait * 2 : WAIT_MOST;
    }
    ck_assert(!nic_window_tick(&w, now + wait));
    acked(&w, FIRST + 1, false, now, FIRST, 1);     /* it lives: all is as in the beginning */
    ck_assert_uint_eq(nic_window_due(&w, now), now + WAIT);
    ck_assert(nic_window_tick(&w, now + WAIT));
    pops(&w, now + WAIT, FIRST + 1, 1);
    ck_assert_uint_eq(nic_window_due(&w, now + WAIT), now + 3 * WAIT);
}
END_TEST

/* A process that stands still, again and again and for longer than the patience lasts, has heard
 * nothing because it has not looked: only silence while it looks counts. */
START_TEST(standstill)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    uint64_t now = 0, looked = 0;
    add(&w, 0, 1);
    pops(&w, now, FIRST, 0);
    for (int i = 0; i < 3; i++) {
        looked += nic_window_due(&w, now) - now;
        now = nic_window_due(&w, now) + 2 * GIVE_UP;
        ck_assert(nic_window_tick(&w, now));
        pops(&w, now, FIRST, 0);
    }
    uint64_t wait = nic_window_due(&w, now) - now;
    while (nic_window_tick(&w, now = nic_window_due(&w, now))) {    /* now it looks in time */
        looked += wait;
        ck_assert_uint_le(looked, GIVE_UP);
        pops(&w, now, FIRST, 0);
        wait = nic_window_due(&w, now) - now;
    }
    ck_assert_uint_gt(looked + wait, GIVE_UP);
}
END_TEST

/* Frames that take longer to leave than an answer may take: patience begins when they have left. */
START_TEST(long_frames)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    add(&w, 0, 3);
    for (unsigned i = 0; i < 3; i++) {
        pops(&w, 0, FIRST + i, i);
        nic_window_leaves(&w, (i + 1) * 2 * GIVE_UP);
    }
    nic_window_leaves(&w, GIVE_UP);     /* nothing leaves sooner than what is in front of it */
    ck_assert_uint_eq(nic_window_due(&w, 0), 6 * GIVE_UP + WAIT);
    acked(&w, FIRST + 1, false, 2 * GIVE_UP, FIRST, 1);
    ck_assert_uint_eq(nic_window_due(&w, 2 * GIVE_UP), 6 * GIVE_UP + WAIT);
    ck_assert(nic_window_tick(&w, 6 * GIVE_UP + WAIT - 1));
    no_more(&w, 6 * GIVE_UP + WAIT - 1);
    ck_assert(nic_window_tick(&w, 6 * GIVE_UP + WAIT));         /* silent for WAIT, not longer */
    pops(&w, 6 * GIVE_UP + WAIT, FIRST + 1, 1);
    nic_window_leaves(&w, 8 * GIVE_UP);
    ck_assert_uint_eq(nic_window_due(&w, 7 * GIVE_UP), 7 * GIVE_UP);    /* the third */
    pops(&w, 7 * GIVE_UP, FIRST + 2, 2);
    ck_assert_uint_eq(nic_window_due(&w, 7 * GIVE_UP), 8 * GIVE_UP + 2 * WAIT);
    acked(&w, FIRST + 1, true, 7 * GIVE_UP, FIRST + 1, 0);      /* a NACK while they leave */
    pops(&w, 7 * GIVE_UP, FIRST + 1, 1);
    ck_assert(nic_window_tick(&w, 8 * GIVE_UP + 2 * WAIT));
    acked(&w, FIRST + 3, false, 9 * GIVE_UP, FIRST + 1, 2);
    add(&w, 3, 4);
    pops(&w, 9 * GIVE_UP, FIRST + 3, 3);
    ck_assert_uint_eq(nic_window_due(&w, 9 * GIVE_UP), 9 * GIVE_UP + WAIT);
}
END_TEST

/* Picoseconds of a long run are more than 32 bits hold. */
START_TEST(long_frames_late)
{
    const uint64_t now = UINT64_C(1) << 40, left = now + 10 * WAIT;
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    add(&w, 0, 2);
    pops(&w, now, FIRST, 0);
    pops(&w, now, FIRST + 1, 1);
    nic_window_leaves(&w, left);
    acked(&w, FIRST + 1, false, now + WAIT, FIRST, 1);
    ck_assert_uint_eq(nic_window_due(&w, now + WAIT), left + WAIT);
}
END_TEST

/* The wire had no room. */
START_TEST(not_sent_after_all)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    add(&w, 0, 2);
    pops(&w, 0, FIRST, 0);
    pops(&w, 0, FIRST + 1, 1);
    nic_window_unpop(&w);
    ck_assert_uint_eq(nic_window_due(&w, 3), 3);
    pops(&w, 3, FIRST + 1, 1);
    no_more(&w, 3);
}
END_TEST

static void answers(struct nic_window *w, uint64_t now, enum nic_window_answer wanted,
                    uint32_t number)
{
    bool nack;
    ck_assert_int_eq(nic_window_answer(w, now), wanted);
    if (!wanted)
        return;
    ck_assert_uint_eq(nic_window_answer_now(w, &nack), number);
    ck_assert_int_eq(nack, wanted == NIC_WINDOW_NACK);
    ck_assert_int_eq(nic_window_answer(w, now), wanted);        /* it has not left yet */
    ck_assert_uint_eq(nic_window_answered(w, &nack), number);
    ck_assert_int_eq(nack, wanted == NIC_WINDOW_NACK);
    ck_assert_int_eq(nic_window_answer(w, now), NIC_WINDOW_NOTHING);
}

START_TEST(receives)
{
    void *kept[FRAMES];
    struct nic_window w = window(kept, FIRST);
    ck_assert_int_eq(nic_window_arrived(&w, FIRST, 10), NIC_WINDOW_NEXT);
    answers(&w, 10, NIC_WINDOW_NOTHING, 0);
    ck_assert(!nic_window_is_idle(&w));
    ck_assert_uint_eq(nic_window_due(&w, 10), 10 + ACK_DELAY);
    answers(&w, 10 + ACK_DELAY, NIC_WINDOW_ACK, FIRST + 1);
    ck_assert(nic_window_is_idle(&w));
    for (unsigned i = 1; i < 5; i++)
        ck_assert_int_eq(nic_window_arrived(&w, FIRST + i, 200), NIC_WINDOW_NEXT);
    answers(&w, 200, NIC_WINDOW_ACK, FIRST + 5);    /* the fourth that is open */
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 6, 201), NIC_WINDOW_GAP);
    answers(&w, 201, NIC_WINDOW_NACK, FIRST + 5);
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 7, 202), NIC_WINDOW_GAP);
    answers(&w, 202, NIC_WINDOW_NOTHING, 0);        /* a gap is told once */
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 5, 203), NIC_WINDOW_NEXT);
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 7, 204), NIC_WINDOW_GAP);
    answers(&w, 204, NIC_WINDOW_NACK, FIRST + 6);
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 2, 205), NIC_WINDOW_OLD);
    answers(&w, 205, NIC_WINDOW_ACK, FIRST + 6);    /* its acknowledgment was lost */
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 6 + FRAMES, 206), NIC_WINDOW_SENSELESS);
    answers(&w, 206, NIC_WINDOW_NOTHING, 0);
    /* the wire may have had it for long */
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 5 - 9 * FRAMES, 206), NIC_WINDOW_OLD);
    answers(&w, 206, NIC_WINDOW_ACK, FIRST + 6);
    nic_window_refused(&w, FIRST + 6);              /* no room for it; the gap is told */
    answers(&w, 207, NIC_WINDOW_NOTHING, 0);
    ck_assert_int_eq(nic_window_arrived(&w, FIRST + 6, 208), NIC_WINDOW_NEXT);
    nic_window_refused(&w, FIRST + 7);
    answers(&w, 208, NIC_WINDOW_NACK, FIRST + 7);
    nic_window_refused(&w, FIRST + 9);              /* not the next one: of no interest */
    answers(&w, 209, NIC_WINDOW_NOTHING, 0);
    ck_assert(nic_window_is_idle(&w));
}
END_TEST

/* -- faults */

static struct nic_fault parsed(const char *text)
{
    struct nic_fault f;
    char why[200] = "";
    ck_assert_msg(!nic_fault_parse(&f, text, why, sizeof why), "%s: %s", text, why);
    return f;
}

static void refused(const char *text, const char *word)
{
    struct nic_fault f;
    char why[200] = "";
    ck_assert_msg(nic_fault_parse(&f, text, why, sizeof why), "%s is taken", text);
    ck_assert_msg(strstr(why, word) != NULL, "%s: '%s' does not say '%s'", text, why, word);
}

START_TEST(texts)
{
    struct nic_fault f = parsed("drop=25%,corrupt=0.5,seed=18446744073709551615");
    ck_assert_uint_eq(f.likely[NIC_FAULT_drop], UINT32_C(1) << 30);
    ck_assert_uint_eq(f.likely[NIC_FAULT_corrupt], UINT32_C(1) << 31);
    ck_assert_uint_eq(f.likely[NIC_FAULT_dup], 0);
    ck_assert_uint_eq(f.seed, UINT64_MAX);
    ck_assert_uint_eq(parsed("dup=100%").likely[NIC_FAULT_dup], UINT32_MAX);
    ck_assert_uint_eq(parsed("reorder=.5%").likely[NIC_FAULT_reorder], 21474836);
    refused("", "is no fault");
    refused("drop", "is no fault");
    refused("lose=1%", "lose");
    refused("drop=1%,", "is no fault");
    refused("drop=1%,drop=2%", "twice");
    refused("drop=101%", "share");
    refused("drop=-1%", "share");
    refused("drop=nan", "share");
    refused("drop=1%%", "share");
    refused("drop=1.2.3%", "share");
    refused("drop=", "share");
    refused("drop=%", "share");
    refused("seed=x", "number");
    refused("seed=18446744073709551616", "number");
}
END_TEST

struct wire { unsigned frames; unsigned char last[64]; };

static bool count(void *context, uint32_t peer, void *data, size_t bytes)
{
    struct wire *w = context;
    ck_assert_uint_eq(peer, 3);
    w->frames++;
    memcpy(w->last, data, bytes);
    return true;
}

START_TEST(always)
{
    struct wire w = { 0 };
    unsigned char data[64] = { 0 }, zero[64] = { 0 };
    struct nic_fault f = parsed("drop=100%");
    nic_fault_begin(&f, 0);
    for (unsigned i = 0; i < 100; i++)
        nic_fault_send(&f, 3, data, sizeof data, count, &w);
    ck_assert_uint_eq(w.frames, 0);
    ck_assert_uint_eq(nic_fault_total(&f), 100);
    f = parsed("dup=100%");
    nic_fault_send(&f, 3, data, sizeof data, count, &w);
    ck_assert_uint_eq(w.frames, 2);
    f = parsed("corrupt=100%");
    for (unsigned i = 0; i < 100; i++) {
        memset(data, 0, sizeof data);
        nic_fault_send(&f, 3, data, sizeof data, count, &w);
        ck_assert_int_ne(memcmp(w.last, zero, sizeof zero), 0);
    }
    f = parsed("reorder=100%");
    w.frames = 0;
    for (unsigned char i = 1; i <= 4; i++) {
        data[0] = i;
        nic_fault_send(&f, 3, data, sizeof data, count, &w);
        ck_assert_uint_eq(w.frames, i == 4 ? 4 : i - 1);
    }
    ck_assert_uint_eq(w.last[0], 1);        /* the first, behind three others */
    nic_fault_send(&f, 3, data, sizeof data, count, &w);
    ck_assert_uint_eq(w.frames, 4);
    nic_fault_flush(&f, count, &w);
    ck_assert_uint_eq(w.frames, 5);
    nic_fault_flush(&f, count, &w);
    ck_assert_uint_eq(w.frames, 5);
    nic_fault_send(&f, 3, data, sizeof data, count, &w);
    nic_fault_end(&f);
}
END_TEST

/* As often as is asked for, and the same ones for the same seed and rank alone. */
START_TEST(shares)
{
    struct wire w = { 0 };
    unsigned char data[8] = { 0 };
    struct nic_fault f[3];
    for (unsigned i = 0; i < 3; i++) {
        f[i] = parsed("drop=10%,dup=20%,seed=5");
        nic_fault_begin(&f[i], i == 2);
        for (unsigned k = 0; k < 10000; k++)
            nic_fault_send(&f[i], 3, data, sizeof data, count, &w);
        ck_assert_uint_eq(f[i].frames, 10000);
        ck_assert_uint_ge(f[i].done[NIC_FAULT_drop], 850);
        ck_assert_uint_le(f[i].done[NIC_FAULT_drop], 1150);
        ck_assert_uint_ge(f[i].done[NIC_FAULT_dup], 1800);
        ck_assert_uint_le(f[i].done[NIC_FAULT_dup], 2200);
    }
    ck_assert_uint_eq(f[0].state, f[1].state);
    ck_assert_int_eq(memcmp(f[0].done, f[1].done, sizeof f[0].done), 0);
    ck_assert_int_ne(memcmp(f[0].done, f[2].done, sizeof f[0].done), 0);
}
END_TEST

/* -- two ends and a wire with all faults, in simulated time */

enum { ON_WIRE = 4096, COUNT = 3000, DATA = 20 };

struct flying { uint64_t at; unsigned to; size_t bytes; unsigned char data[64]; };

struct end {
    struct nic_window window;
    void *kept[FRAMES];
    struct nic_fault fault;
    uint32_t added, delivered;      /* frames given to the window; taken from the wire, in order */
    unsigned rank;
};

static struct simulation {
    struct end end[2];
    struct flying wire[ON_WIRE];
    unsigned flying;
    uint64_t now;
    uint32_t random;
    unsigned spoilt, refusals;
} sim;

static uint32_t sim_random(uint32_t below)
{
    sim.random = sim.random * 1664525 + 1013904223;
    return (sim.random >> 8) % below;
}

static bool fly(void *context, uint32_t peer, void *data, size_t bytes)
{
    (void)context;
    must(sim.flying < ON_WIRE);
    struct flying *f = &sim.wire[sim.flying++];
    *f = (struct flying){ .at = sim.now + 20 + sim_random(60), .to = peer, .bytes = bytes };
    memcpy(f->data, data, bytes);
    return true;
}

static void put(struct end *e, enum nic_datagram_kind kind, uint32_t number, uint32_t content)
{
    struct { struct nic_datagram_head h; uint32_t content[DATA / 4]; } f = { 0 };
    bool nack;
    f.h = (struct nic_datagram_head){ .token = 9, .number = number, .source = (uint16_t)e->rank,
                                     .bytes = kind == NIC_DATAGRAM_DATA ? DATA : 0,
                                     .kind = (uint8_t)kind };
    f.h.answered = nic_window_answered(&e->window, &nack);
    f.h.flags = nack ? NIC_DATAGRAM_NACK : 0;
    f.content[0] = content;
    nic_datagram_seal(&f.h);
    nic_fault_send(&e->fault, !e->rank, &f, sizeof f.h + f.h.bytes, fly, NULL);
}

/* All that an end has to do at this time. */
static void act(struct end *e)
{
    uint32_t number;
    void *content;
    must(nic_window_tick(&e->window, sim.now));
    while (e->added < COUNT && nic_window_has_room(&e->window))
        nic_window_add(&e->window, (void *)(uintptr_t)++e->added);
    while ((content = nic_window_pop(&e->window, sim.now, &number))) {
        if (!sim_random(50)) {
            nic_window_unpop(&e->window);
            break;
        }
        put(e, NIC_DATAGRAM_DATA, number, (uint32_t)(uintptr_t)content);
    }
    if (nic_window_answer(&e->window, sim.now))
        put(e, NIC_DATAGRAM_ANSWER, 0, 0);
    if (!sim_random(20))
        nic_fault_flush(&e->fault, fly, NULL);
}

static void take(struct end *e, const struct flying *f)
{
    struct nic_datagram_head h;
    uint32_t first, content;
    if (!nic_datagram_is_sound(f->data, f->bytes, 9, 2)) {
        sim.spoilt++;
        return;
    }
    memcpy(&h, f->data, sizeof h);
    must(h.source != e->rank);
    for (uint32_t n = nic_window_acked(&e->window, h.answered, h.flags & NIC_DATAGRAM_NACK, sim.now,
                                       &first); n; n--, first++) {
        must(e->kept[first % FRAMES]);
        e->kept[first % FRAMES] = NULL;
    }
    if (h.kind != NIC_DATAGRAM_DATA)
        return;
    if (!sim_random(40)) {
        sim.refusals++;
        nic_window_refused(&e->window, h.number);
        return;
    }
    memcpy(&content, f->data + sizeof h, sizeof content);
    enum nic_window_verdict v = nic_window_arrived(&e->window, h.number, sim.now);
    must(v != NIC_WINDOW_SENSELESS);
    if (v == NIC_WINDOW_NEXT)
        must(content == ++e->delivered);
}

static bool done(void)
{
    return sim.end[0].delivered == COUNT && sim.end[1].delivered == COUNT
           && nic_window_is_idle(&sim.end[0].window) && nic_window_is_idle(&sim.end[1].window);
}

/* Every frame comes exactly once and in order, whatever the wire does. */
START_TEST(over_a_bad_wire)
{
    sim = (struct simulation){ .random = (uint32_t)_i * 77 + 1 };
    for (unsigned r = 0; r < 2; r++) {
        struct end *e = &sim.end[r];
        e->rank = r;
        e->fault = parsed("drop=5%,dup=5%,reorder=10%,corrupt=3%");
        nic_fault_begin(&e->fault, 10 * (uint32_t)_i + r);
        nic_window_init(&e->window, &config, e->kept, UINT32_MAX - 1000);
    }
    while (!done()) {
        act(&sim.end[0]);
        act(&sim.end[1]);
        sim.now += 10;
        for (unsigned i = 0; i < sim.flying;) {
            struct flying f = sim.wire[i];
            if (f.at > sim.now) {
                i++;
                continue;
            }
            sim.wire[i] = sim.wire[--sim.flying];
            take(&sim.end[f.to], &f);
        }
        must(sim.now < UINT64_C(20000) * COUNT);
    }
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned i = 0; i < NIC_FAULT_COUNT; i++)
            ck_assert_uint_gt(sim.end[r].fault.done[i], 0);
        nic_fault_end(&sim.end[r].fault);
    }
    ck_assert_uint_gt(sim.spoilt, 0);
    ck_assert_uint_gt(sim.refusals, 0);
}
END_TEST

/* -- streams */

START_TEST(streams_and_their_line)
{
    uint64_t until[3];
    struct nic_streams s;
    nic_streams_init(&s, 3, until);
    ck_assert_int_eq(nic_streams_take(&s, 10), 0);
    ck_assert_int_eq(nic_streams_take(&s, 10), 1);
    ck_assert_int_eq(nic_streams_take(&s, 10), 2);
    ck_assert_int_eq(nic_streams_take(&s, 1000), -1);   /* nobody has released any */
    nic_streams_release(&s, 1, 500);
    ck_assert_int_eq(nic_streams_take(&s, 499), -1);
    ck_assert_int_eq(nic_streams_take(&s, 500), 1);
    ck_assert_uint_eq(s.used, 3);
    ck_assert_uint_eq(nic_streams_refuse(&s), 1);
    ck_assert_uint_eq(nic_streams_refuse(&s), 2);
    nic_streams_accept(&s);
    ck_assert_uint_eq(nic_streams_refuse(&s), 2);
    for (int i = 0; i < 2 * NIC_STREAMS_LINE; i++)
        nic_streams_refuse(&s);
    ck_assert_uint_eq(s.line, NIC_STREAMS_LINE);
    for (int i = 0; i < 2 * NIC_STREAMS_LINE; i++)
        nic_streams_accept(&s);
    ck_assert_uint_eq(nic_streams_refuse(&s), 1);
}
END_TEST

/* Two messages to a receiver without a stream: each try of the first is refused and answered, the
 * second is dropped in silence, and both are there in order when there is room. */
START_TEST(each_refusal_is_told)
{
    struct nic_window_config each = config;
    void *kept[FRAMES], *other[FRAMES];
    struct nic_window from, to;
    uint32_t number, first;
    bool nack;
    each.each = true;
    nic_window_init(&from, &each, kept, 65535);
    nic_window_init(&to, &each, other, 65535);
    nic_window_add(&from, kept);
    nic_window_add(&from, other);
    for (int i = 0; i < 3; i++) {
        ck_assert_ptr_eq(nic_window_pop(&from, 1, &number), kept);
        nic_window_refused(&to, number);
        ck_assert_int_eq(nic_window_answer(&to, 1), NIC_WINDOW_NACK);
        ck_assert_uint_eq(nic_window_answered(&to, &nack), 65535);
        ck_assert(nack);
        ck_assert_ptr_eq(nic_window_pop(&from, 1, &number), other);
        ck_assert_int_eq(nic_window_arrived(&to, number, 1), NIC_WINDOW_GAP);
        ck_assert_int_eq(nic_window_answer(&to, 1), NIC_WINDOW_NOTHING);
        ck_assert_ptr_null(nic_window_pop(&from, 1, &number));
        ck_assert_uint_eq(nic_window_acked(&from, 65535, true, 1, &first), 0);
    }
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(nic_window_pop(&from, 1, &number));
        ck_assert_int_eq(nic_window_arrived(&to, number, 1), NIC_WINDOW_NEXT);
    }
    ck_assert_uint_eq(nic_window_acked(&from, nic_window_answered(&to, &nack), nack, 1, &first), 2);
}
END_TEST

/* What happens to a packet does not depend on whether it is sent here. */
START_TEST(faults_are_drawn_alike)
{
    struct nic_fault a, b;
    char why[80];
    ck_assert_int_eq(nic_fault_parse(&a, "drop=20%,dup=30%,seed=9", why, sizeof why), 0);
    b = a;
    nic_fault_begin(&a, 3);
    nic_fault_begin(&b, 3);
    for (int i = 0; i < 500; i++) {
        bool happens[NIC_FAULT_COUNT], again[NIC_FAULT_COUNT];
        nic_fault_draw(&a, happens);
        nic_fault_draw(&b, again);
        must(!memcmp(happens, again, sizeof happens));
    }
    ck_assert_uint_eq(a.frames, 500);
    ck_assert_uint_gt(a.done[NIC_FAULT_drop], 60);
    ck_assert_uint_lt(a.done[NIC_FAULT_drop], 140);
    ck_assert_uint_eq(a.done[NIC_FAULT_corrupt], 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reliable");
    TCase *t = tcase_create("reliable");
    tcase_add_loop_test(t, full_and_empty, 0, 2);
    tcase_add_loop_test(t, made_up_answers, 0, 2);
    tcase_add_loop_test(t, goes_back, 0, 2);
    tcase_add_loop_test(t, patience, 0, 2);
    tcase_add_loop_test(t, standstill, 0, 2);
    tcase_add_loop_test(t, long_frames, 0, 2);
    tcase_add_loop_test(t, long_frames_late, 0, 2);
    tcase_add_loop_test(t, not_sent_after_all, 0, 2);
    tcase_add_loop_test(t, receives, 0, 2);
    tcase_add_test(t, texts);
    tcase_add_test(t, always);
    tcase_add_test(t, shares);
    tcase_add_test(t, streams_and_their_line);
    tcase_add_test(t, each_refusal_is_told);
    tcase_add_test(t, faults_are_drawn_alike);
    tcase_add_loop_test(t, over_a_bad_wire, 0, 6);
    suite_add_tcase(s, t);
    return suite_run(s);
}
