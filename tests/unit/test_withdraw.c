/* Cancelling a send: whatever the receiver has done with the envelope so far, both ends agree, and
 * nothing is left over. */
#include "fw/start.h"
#include "job/segment.h"
#include "ranks.h"

enum { BYTES = 100000, MANY = 20000 };

static unsigned char source[BYTES], sink[BYTES];

/* What the envelope is: eager or rendezvous, synchronous or not, short or with a body behind it,
 * with a claim word for both ends. */
static const struct { size_t bytes; bool sync; } kinds[] = {
    { 0, true }, { 8, true }, { 500, true }, { EAGER_MAX + 1, false },
    { EAGER_MAX + 1, true }, { BYTES, false }, { BYTES, true },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct fw_req *start_kind(unsigned kind, uint32_t tag)
{
    return start_send_as(0, 1, tag, source, kinds[kind].bytes, kinds[kind].sync);
}

static bool cancel_send(struct fw_req *send)
{
    nic_enter(at[0].nic);
    bool cancelled = mpi_fw_cancel(at[0].fw, send);
    nic_leave(at[0].nic);
    must(cancelled == (fw_req_done(send) && send->cancelled));
    return cancelled;
}

static bool is_there(uint32_t tag)
{
    uint64_t found;
    size_t bytes;
    nic_enter(at[1].nic);
    bool there = mpi_fw_probe(at[1].fw, match_of(0, (int)tag), 0, &found, &bytes);
    nic_leave(at[1].nic);
    return there;
}

/* The receive gets another message than the withdrawn one. */
static void receive_next(struct fw_req *recv)
{
    settle();
    must(!fw_req_done(recv));
    struct fw_req *next = start_send(0, 1, 1, loop_payload(5), 40);
    finish_recv(1, recv, BYTES, 0, 1, loop_payload(5), 40);
    finish_send(0, next);
}

static void receive_whole(unsigned kind, struct fw_req *send)
{
    finish_recv(1, start_recv(1, 0, 1, sink, BYTES), BYTES, 0, 1, source, kinds[kind].bytes);
    wait_done(send);
    must(!send->cancelled);
    finish_send(0, send);
}

/* Rank 0 alone decides: rank 1 is not stepped at all.  But it stays until rank 1 has answered. */
START_TEST(unread)
{
    ranks_start(2);
    struct fw_req *send = start_kind(_i, 1);
    ck_assert(cancel_send(send));
    free_request(0, send);
    ck_assert(!mpi_fw_quiet(at[0].fw));
    struct fw_req *recv = start_recv(1, 0, 1, sink, BYTES);
    settle();
    ck_assert(mpi_fw_quiet(at[0].fw));
    receive_next(recv);
    ck_assert_uint_eq(at[0].fw->stats.value[FW_STAT_sends_withdrawn], 1);
    ranks_end(0);
}
END_TEST

/* Left as a command while the NIC's thread had the baton: it is the host's like any other. */
START_TEST(submitted)
{
    ranks_start(2);
    nic_enter(at[0].nic);
    struct fw_req *send = new_request(0, FW_SEND, loop_payload(5), 100000);
    nic_leave(at[0].nic);
    send->peer = 1;
    send->match = fw_match_bits(CONTEXT, 0, 1);
    nic_submit(at[0].nic, &(struct nic_command){ .op = FW_COMMAND_START, .object = send });
    settle();
    must(is_there(1));
    ck_assert(cancel_send(send));
    free_request(0, send);
    settle();
    must(!is_there(1));
    ranks_end(0);
}
END_TEST

/* The firmware's own, which it waits for: such a one is not withdrawn. */
START_TEST(inside)
{
    ranks_start(2);
    nic_enter(at[0].nic);
    struct fw_req *send = new_request(0, FW_SEND, source, kinds[_i].bytes);
    send->sync = kinds[_i].sync;
    send->peer = 1;
    send->match = fw_match_bits(CONTEXT, 0, 1);
    mpi_fw_start_inside(at[0].fw, send);
    nic_leave(at[0].nic);
    settle();
    ck_assert(!cancel_send(send));
    settle();
    must(is_there(1));
    receive_whole((unsigned)_i, send);
    ck_assert_uint_eq(at[0].fw->stats.value[FW_STAT_sends_withdrawn], 0);
    ranks_end(0);
}
END_TEST

/* The receive was there first, and stays where it is in its queue. */
START_TEST(posted)
{
    ranks_start(2);
    struct fw_req *recv = start_recv(1, 0, 1, sink, BYTES);
    struct fw_req *second = start_recv(1, 0, 1, sink, BYTES);
    struct fw_req *send = start_kind(_i, 1);
    ck_assert(cancel_send(send));
    free_request(0, send);
    receive_next(recv);
    receive_next(second);
    ranks_end(0);
}
END_TEST

/* In the unexpected queue; `look`: what the receiver does before it has heard of the end. */
static void unexpected(unsigned kind, unsigned look)
{
    uint64_t found;
    size_t bytes;
    ranks_start(2);
    struct fw_req *send = start_kind(kind, 1), *behind = start_send(0, 1, 1, loop_payload(6), 20);
    settle();
    must(is_there(1));
    must(cancel_send(send));
    free_request(0, send);
    if (look == 1)
        settle();
    must(is_there(1));      /* the one behind */
    if (look == 2) {
        nic_enter(at[1].nic);
        struct fw_unexpected *m = mpi_fw_extract(at[1].fw, match_of(0, 1), 0, &found, &bytes);
        must(m && bytes == 20);
        struct fw_req *r = new_request(1, FW_RECV, sink, BYTES);
        mpi_fw_receive_message(at[1].fw, m, r);
        nic_leave(at[1].nic);
        finish_recv(1, r, BYTES, 0, 1, loop_payload(6), 20);
    } else {
        finish_recv(1, start_recv(1, 0, 1, sink, BYTES), BYTES, 0, 1, loop_payload(6), 20);
    }
    must(!is_there(1));
    finish_send(0, behind);
    settle();
    must(at[1].fw->stats.value[FW_STAT_messages_withdrawn] == 1);
    ranks_end(0);
}

START_TEST(unexpected_received) { unexpected((unsigned)_i, 0); }
END_TEST

START_TEST(unexpected_forgotten) { unexpected((unsigned)_i, 1); }
END_TEST

START_TEST(unexpected_extracted) { unexpected((unsigned)_i, 2); }
END_TEST

/* A receive takes it without asking anybody, and the sender has not heard of that. */
START_TEST(matched)
{
    ranks_start(2);
    for (int first = 0; first < 2; first++) {
        struct fw_req *send, *recv = NULL;
        if (first)
            recv = start_recv(1, 0, 1, sink, BYTES);
        send = start_kind(_i, 1);
        step(1);
        if (!first)
            recv = start_recv(1, 0, 1, sink, BYTES);
        ck_assert(!cancel_send(send));
        ck_assert(!cancel_send(send));
        finish_recv(1, recv, BYTES, 0, 1, source, kinds[_i].bytes);
        wait_done(send);
        ck_assert(!send->cancelled);
        finish_send(0, send);
    }
    ranks_end(0);
}
END_TEST

/* A matched probe has taken it. */
START_TEST(extracted)
{
    uint64_t found;
    size_t bytes;
    ranks_start(2);
    struct fw_req *send = start_kind(_i, 1);
    settle();
    nic_enter(at[1].nic);
    struct fw_unexpected *m = mpi_fw_extract(at[1].fw, match_of(0, 1), 0, &found, &bytes);
    nic_leave(at[1].nic);
    ck_assert(m && !cancel_send(send));
    settle();
    ck_assert(!fw_req_done(send));
    nic_enter(at[1].nic);
    struct fw_req *recv = new_request(1, FW_RECV, sink, BYTES);
    mpi_fw_receive_message(at[1].fw, m, recv);
    nic_leave(at[1].nic);
    finish_recv(1, recv, BYTES, 0, 1, source, kinds[_i].bytes);
    wait_done(send);
    ck_assert(!send->cancelled);
    finish_send(0, send);
    ranks_end(0);
}
END_TEST

/* Without room in the peer's inbox: what waits here never leaves, what is behind it does. */
START_TEST(never_left)
{
    static uint32_t number[MANY];
    static struct fw_req *flood[MANY];
    unsigned withdrawn = 0;

    ranks_start(2);
    for (uint32_t i = 0; i < MANY; i++) {
        number[i] = i;
        flood[i] = start_send(0, 1, 2, &number[i], sizeof number[i]);
    }
    ck_assert(!fw_req_done(flood[MANY - 1]));
    struct fw_req *send = start_kind(_i, 1), *last = start_send(0, 1, 1, loop_payload(7), 30);
    ck_assert(cancel_send(send));
    free_request(0, send);
    for (uint32_t i = 0; i < MANY; i++)     /* each second of those that wait, and the last one */
        if (!fw_req_done(flood[i]) && (i % 2 || i == MANY - 1)) {
            must(cancel_send(flood[i]));
            withdrawn++;
        }
    ck_assert_uint_gt(withdrawn, 0);
    for (uint32_t i = 0, got; i < MANY; i++)
        if (!flood[i]->cancelled) {
            struct fw_req *recv = start_recv(1, 0, 2, &got, sizeof got);
            wait_done(recv);
            must(got == i);
            free_request(1, recv);
        }
    finish_recv(1, start_recv(1, 0, 1, sink, BYTES), BYTES, 0, 1, loop_payload(7), 30);
    for (uint32_t i = 0; i < MANY; i++)
        finish_send(0, flood[i]);
    finish_send(0, last);
    settle();
    ck_assert(!is_there(1) && !is_there(2));
    ranks_end(0);
}
END_TEST

/* -- no claims: there is no heap and the scratchpad is taken, so the receiver must be asked */

static uint64_t taken[20];
static unsigned pieces;

static void start_without_heap(void)
{
    ranks_heap = NIC_HEAP_OFF;
    ranks_start(2);
    ranks_heap = 0;
}

static void take_scratchpad(void)
{
    pieces = 0;
    nic_enter(at[0].nic);
    for (size_t bytes; (bytes = nic_spad_largest(at[0].nic, 1)); pieces++) {
        must(pieces < 20);
        taken[pieces] = nic_spad_alloc(at[0].nic, NIC_SPAD_USER, bytes, 1);
        must(taken[pieces] != NIC_SPAD_NONE);
    }
    nic_leave(at[0].nic);
}

START_TEST(asked)
{
    start_without_heap();
    take_scratchpad();
    for (int settled = 0; settled < 2; settled++) {
        struct fw_req *send = start_kind(_i, 1);
        ck_assert_uint_eq(send->claim, 0);
        if (settled)
            settle();
        ck_assert(!cancel_send(send) && !cancel_send(send));
        wait_done(send);
        ck_assert(send->cancelled && send->error == FW_OK);
        free_request(0, send);
        receive_next(start_recv(1, 0, 1, sink, BYTES));
    }
    ranks_end(0);
}
END_TEST

/* The receive comes before the question. */
START_TEST(asked_in_vain)
{
    start_without_heap();
    take_scratchpad();
    struct fw_req *send = start_kind(_i, 1);
    step(1);
    ck_assert(!cancel_send(send));
    receive_whole(_i, send);
    ranks_end(0);
}
END_TEST

/* -- many at once */

enum { CROWD = 70000, IN_SCRATCHPAD = 256, IN_FIRST_HEAP = 16 * 4088 };

static struct fw_req *crowd[CROWD];

/* Rank 1 has all envelopes in its unexpected queue. */
static void start_crowd(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        crowd[i] = start_send(0, 1, i % 100, source, EAGER_MAX + 1);
        if (i % 500 == 0)
            step(1);
    }
    settle();
    must(fw_unexpected_count(at[1].fw) == n);
}

/* Returns how many were done at once. */
static unsigned cancel_crowd(unsigned n)
{
    unsigned at_once = 0;
    for (unsigned i = n; i--;)
        at_once += cancel_send(crowd[i]);
    for (unsigned i = 0; i < n; i++) {
        wait_done(crowd[i]);
        must(crowd[i]->cancelled);
        free_request(0, crowd[i]);
    }
    settle();
    must(!fw_unexpected_count(at[1].fw));
    return at_once;
}

/* The scratchpad has bytes for 256, the heap for more and more: nobody is asked.  They are there
 * again, so the next ones need no more. */
START_TEST(heap_helps)
{
    ranks_scratchpad = IN_SCRATCHPAD * 16;
    ranks_start(2);
    for (unsigned round = 0; round < 2; round++) {
        start_crowd(CROWD);
        ck_assert_uint_eq(cancel_crowd(CROWD), CROWD);
        ck_assert_uint_eq(at[0].fw->claims.areas, 3);
        ck_assert_uint_eq(at[0].fw->claims.area[1].all, IN_FIRST_HEAP);
    }
    ranks_end(0);
    ranks_scratchpad = 0;
}
END_TEST

/* What the receiver has matched goes on, wherever its claim is: each 1,000th, and at the edges. */
static bool is_picked(unsigned i)
{
    return i % 1000 == 0 || i == IN_SCRATCHPAD - 1 || i == IN_SCRATCHPAD
           || i == IN_SCRATCHPAD + 4087 || i == IN_SCRATCHPAD + 4088
           || i == IN_SCRATCHPAD + IN_FIRST_HEAP - 1
           || i == IN_SCRATCHPAD + IN_FIRST_HEAP || i == CROWD - 1;
}

START_TEST(heap_agrees)
{
    ranks_scratchpad = IN_SCRATCHPAD * 16;
    ranks_start(2);
    for (unsigned i = 0; i < CROWD; i++) {
        crowd[i] = start_send(0, 1, is_picked(i), source, EAGER_MAX + 1);
        if (i % 500 == 0)
            step(1);
    }
    settle();
    for (unsigned i = 0; i < CROWD; i++)
        if (is_picked(i)) {
            struct fw_req *recv = start_recv(1, 0, 1, sink, BYTES);
            must(!cancel_send(crowd[i]));
            finish_recv(1, recv, BYTES, 0, 1, source, EAGER_MAX + 1);
            finish_send(0, crowd[i]);
        } else {
            must(cancel_send(crowd[i]));
            free_request(0, crowd[i]);
        }
    settle();
    ck_assert(!fw_unexpected_count(at[1].fw));
    ranks_end(0);
    ranks_scratchpad = 0;
}
END_TEST

/* A heap of 64 KiB, most of which is somebody's: claims in the seven pages left. */
START_TEST(heap_full)
{
    enum { SENDS = IN_SCRATCHPAD + 7 * 4088 + 50 };
    ranks_scratchpad = IN_SCRATCHPAD * 16;
    ranks_heap = 64 * 1024;
    ranks_start(2);
    must(nic_heap_alloc(at[0].nic, 36 * 1024, 4096) != NIC_HEAP_NONE);
    for (unsigned round = 0; round < 2; round++) {
        start_crowd(SENDS);
        ck_assert_uint_eq(cancel_crowd(SENDS), SENDS - 50);
        ck_assert_uint_eq(at[0].fw->claims.areas, 4);
    }
    ranks_end(0);
    ranks_scratchpad = ranks_heap = 0;
}
END_TEST

/* A peer that opened its NIC after the messages were sent sees the claims in the heap as well. */
START_TEST(heap_late)
{
    ranks_scratchpad = IN_SCRATCHPAD * 16;
    ranks_start(2);
    uint64_t address = atomic_exchange(&job->publics[1].heap_address, 0);
    start_crowd(1000);
    atomic_store(&job->publics[1].heap_address, address);
    ck_assert_uint_eq(cancel_crowd(1000), 1000);
    ranks_end(0);
    ranks_scratchpad = 0;
}
END_TEST

/* Neither a job without heaps nor a peer that has mapped none has more than the scratchpad. */
START_TEST(heap_unseen)
{
    ranks_scratchpad = IN_SCRATCHPAD * 16;
    ranks_heap = _i ? NIC_HEAP_OFF : 0;
    ranks_start(2);
    atomic_store(&job->publics[1].heap_address, 0);
    start_crowd(1000);
    ck_assert_uint_eq(cancel_crowd(1000), IN_SCRATCHPAD);
    ranks_end(0);
    ranks_scratchpad = ranks_heap = 0;
}
END_TEST

/* -- packets that make no sense */

static void packet(unsigned from, unsigned to, enum fw_packet type, uint64_t match,
                   const void *head, unsigned bytes)
{
    struct nic_tx m = {
        .type = (uint8_t)type, .match = match, .head = head, .head_bytes = (uint16_t)bytes
    };
    must(!loop_send(at[from].nic, to, &m));
    settle();
}

START_TEST(strays)
{
    ranks_start(2);
    struct fw_req *send = start_send(0, 1, 1, source, BYTES);
    struct fw_req *sync = start_send_as(0, 1, 2, source, 8, true);
    struct fw_origin o = { .source = 2, .request = fw_req_id(send) };
    uint64_t claim = send->claim, none = 0, high = UINT64_MAX, beyond = claim + 1000;
    settle();
    packet(0, 1, FW_PACKET_WITHDRAW, match_of(0, 1), &o, sizeof o);    /* from no rank */
    packet(0, 1, FW_PACKET_WITHDRAW, match_of(0, 1), &o, 8);
    ck_assert_uint_eq(fw_strays(at[1].fw), 2);
    packet(1, 0, FW_PACKET_WITHDRAWN, fw_req_id(send), &claim, sizeof claim);  /* all is wanted */
    packet(1, 0, FW_PACKET_WITHDRAWN, fw_req_id(send), &none, sizeof none);
    packet(1, 0, FW_PACKET_WITHDRAWN, fw_req_id(sync), &none, sizeof none);
    packet(1, 0, FW_PACKET_WITHDRAWN, fw_req_id(send), &high, sizeof high);
    packet(1, 0, FW_PACKET_WITHDRAWN, fw_req_id(send), &beyond, sizeof beyond);
    packet(1, 0, FW_PACKET_WITHDRAWN, fw_req_id(send), NULL, 0);
    ck_assert_uint_eq(fw_strays(at[0].fw), 6);
    o.source = 0;
    o.request++;
    packet(0, 1, FW_PACKET_WITHDRAW, match_of(0, 1), &o, sizeof o);    /* no such message */
    ck_assert(!fw_req_done(send) && !fw_req_done(sync));
    finish_recv(1, start_recv(1, 0, 1, sink, BYTES), BYTES, 0, 1, source, BYTES);
    finish_recv(1, start_recv(1, 0, 2, sink, 8), 8, 0, 2, source, 8);
    finish_send(0, send);
    finish_send(0, sync);
    ranks_end(8);
}
END_TEST

/* A claim outside the sender's scratchpad is not touched, and what it names is matched. */
START_TEST(wrong_claim)
{
    ranks_start(2);
    struct fw_req *send = start_send_as(0, 1, 1, source, 8, true);
    struct fw_origin o = { .source = 0, .claim = UINT32_MAX, .request = fw_req_id(send) };
    packet(0, 1, FW_PACKET_SYNC, match_of(0, 2), &o, sizeof o);
    finish_recv(1, start_recv(1, 0, 2, sink, 8), 8, 0, 2, NULL, 0);
    finish_send(0, send);
    finish_recv(1, start_recv(1, 0, 1, sink, 8), 8, 0, 1, source, 8);
    ranks_end(1);       /* the second acknowledgment */
}
END_TEST

/* The same of a claim in the heap: what lies there is the program's, whatever it looks like. */
START_TEST(wrong_claim_in_heap)
{
    enum { BLOCK = 8192, HEAP_CLAIM = 1u << 31 };
    static const unsigned where[] = { 0, 7, 8, 4095, 4096, 4104, BLOCK - 1 };
    ranks_start(2);
    uint64_t block = nic_heap_alloc(at[0].nic, BLOCK, 4096);
    unsigned char *bytes = nic_heap_at(at[0].nic, 0, block, BLOCK);
    must(bytes);
    struct fw_req *send = start_send_as(0, 1, 1, source, 8, true);
    for (unsigned i = 0; i < sizeof where / sizeof *where; i++) {
        uint32_t claim = HEAP_CLAIM | (uint32_t)(block + where[i]);
        struct fw_origin o = { .request = fw_req_id(send), .claim = claim };
        packet(0, 1, FW_PACKET_SYNC, match_of(0, 2), &o, sizeof o);
        finish_recv(1, start_recv(1, 0, 2, sink, 8), 8, 0, 2, NULL, 0);
    }
    for (unsigned i = 0; i < BLOCK; i++)
        must(!bytes[i]);
    finish_send(0, send);
    finish_recv(1, start_recv(1, 0, 1, sink, 8), 8, 0, 1, source, 8);
    ranks_end(sizeof where / sizeof *where);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("withdraw");
    TCase *tcase = tcase_create("withdraw");

    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (unsigned char)(i * 13 + i / 251);
    tcase_add_loop_test(tcase, unread, 0, KINDS);
    tcase_add_test(tcase, submitted);
    tcase_add_loop_test(tcase, inside, 0, KINDS);
    tcase_add_loop_test(tcase, posted, 0, KINDS);
    tcase_add_loop_test(tcase, unexpected_received, 0, KINDS);
    tcase_add_loop_test(tcase, unexpected_forgotten, 0, KINDS);
    tcase_add_loop_test(tcase, unexpected_extracted, 0, KINDS);
    tcase_add_loop_test(tcase, matched, 0, KINDS);
    tcase_add_loop_test(tcase, extracted, 0, KINDS);
    tcase_add_loop_test(tcase, never_left, 0, KINDS);
    tcase_add_loop_test(tcase, asked, 0, KINDS);
    tcase_add_loop_test(tcase, asked_in_vain, 0, KINDS);
    tcase_add_test(tcase, heap_helps);
    tcase_add_test(tcase, heap_agrees);
    tcase_add_test(tcase, heap_full);
    tcase_add_test(tcase, heap_late);
    tcase_add_loop_test(tcase, heap_unseen, 0, 2);
    tcase_add_test(tcase, strays);
    tcase_add_test(tcase, wrong_claim);
    tcase_add_test(tcase, wrong_claim_in_heap);
    suite_add_tcase(suite, tcase);
    return suite_single(loop_run(suite));
}
