/* Schedules and their lines: early arrivals, the bound on them, ranks in between whose hosts are
 * away, malformed packets. */
#include <stdatomic.h>

#include "core/nic.h"
#include "ranks.h"
#include "fw/schedule.h"

enum { COLL_CONTEXT = CONTEXT | 1 };

static uint64_t match_number(uint32_t number) { return fw_match_bits(COLL_CONTEXT, 0, number); }

static struct fw_sched *new_schedule(unsigned rank, uint32_t number)
{
    nic_enter(at[rank].nic);
    struct fw_sched *s = mpi_fw_sched_new(at[rank].fw, "a test", match_number(number), rank, NULL);
    nic_leave(at[rank].nic);
    must(s);
    return s;
}

static void add_line(struct fw_sched *s, unsigned peer, unsigned round, const void *from,
                     size_t bytes)
{
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_PACKET, .peer = peer,
                                           .round = (uint16_t)round, .from = from,
                                           .bytes = bytes });
}

static void add_await(struct fw_sched *s, unsigned peer, unsigned round, void *to, size_t bytes)
{
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_AWAIT, .peer = peer,
                                           .round = (uint16_t)round, .to = to, .bytes = bytes });
}

static struct fw_req *start(unsigned rank, struct fw_sched *s)
{
    nic_enter(at[rank].nic);
    struct fw_req *r = new_request(rank, FW_COLL, NULL, 0);
    mpi_fw_sched_start(at[rank].fw, s, r);
    nic_leave(at[rank].nic);
    return r;
}

static void finish(unsigned rank, struct fw_req *r, enum fw_error error)
{
    wait_done(r);
    ck_assert_int_eq(r->error, error);
    free_request(rank, r);
}

static void send_value(unsigned from, unsigned to, uint32_t number, unsigned round, uint64_t value)
{
    struct fw_sched *s = new_schedule(from, number);
    add_line(s, to, round, &value, sizeof value);
    struct fw_req *r = start(from, s);
    must(fw_req_done(r));           /* a line is sent and forgotten */
    free_request(from, r);
}

/* Rounds and collectives are told apart, whatever comes first. */
START_TEST(in_any_order)
{
    uint64_t got[2][2] = { { 0 } };

    ranks_start(2);
    for (int early = 0; early < 2; early++) {
        struct fw_req *wait[2];
        for (int pass = 0; pass < 2; pass++) {
            if (pass == early)
                for (unsigned n = 0; n < 2; n++) {
                    struct fw_sched *s = new_schedule(1, n);
                    add_await(s, 0, 0, &got[n][0], 8);
                    add_await(s, 0, 1, &got[n][1], 8);
                    wait[n] = start(1, s);
                }
            else
                for (unsigned i = 4; i--;)
                    send_value(0, 1, i / 2, i % 2, 100 + i);
            settle();
        }
        for (unsigned n = 0; n < 2; n++) {
            finish(1, wait[n], FW_OK);
            for (unsigned round = 0; round < 2; round++)
                ck_assert_uint_eq(got[n][round], 100 + 2 * n + round);
        }
    }
    ranks_end(0);
}
END_TEST

/* Past the bound lines are refused, kept by their sender, and come when they are awaited: also
 * where the one awaited was refused and all kept ones are for later. */
START_TEST(refused_and_resent)
{
    enum { LINES = 40, BOUND = 4 };
    uint64_t got = 0;

    ranks_start(3);
    at[1].fw->steps_kept_limit = BOUND;
    for (uint32_t n = 0; n < LINES; n++)
        send_value(n % 2 ? 2 : 0, 1, n, 0, 1000 + n);
    settle();
    ck_assert_uint_eq(at[1].fw->steps_kept, BOUND);
    must(FW_FIGURE(at[1].fw, steps_refused) >= 2);      /* those behind them are held back */
    must(FW_FIGURE(at[1].fw, steps_refused) <= LINES - BOUND);
    must(!mpi_fw_quiet(at[0].fw) && !mpi_fw_quiet(at[2].fw));
    for (uint32_t n = LINES; n--;) {
        struct fw_sched *s = new_schedule(1, n);
        add_await(s, n % 2 ? 2 : 0, 0, &got, 8);
        struct fw_req *r = start(1, s);
        finish(1, r, FW_OK);
        ck_assert_uint_eq(got, 1000 + n);
        must(at[1].fw->steps_kept <= BOUND);
    }
    ck_assert_uint_eq(at[1].fw->steps_kept, 0);
    ranks_end(0);
}
END_TEST

static struct fw_req *await_value(uint32_t number, unsigned from, uint64_t *got)
{
    struct fw_sched *s = new_schedule(1, number);
    add_await(s, from, 0, got, 8);
    return start(1, s);
}

/* Who had one refused sends one more, which says so, and no further ones but what is waited for, as
 * soon as there is one; what others wait for does not hold that up. */
START_TEST(held_back)
{
    enum { LINES = 12, BOUND = 4 };
    uint64_t got, later = 0;

    ranks_start(2);
    at[1].fw->steps_kept_limit = BOUND;
    for (uint32_t n = 0; n < LINES; n++) {
        send_value(0, 1, n, 0, 1000 + n);
        settle();
    }
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, steps_refused), 2);
    struct fw_req *r = await_value(100, 0, &later);         /* not sent yet */
    settle();
    must(!fw_req_done(r));
    finish(1, await_value(LINES - 1, 0, &got), FW_OK);      /* waits at its sender */
    ck_assert_uint_eq(got, 1000 + LINES - 1);
    send_value(0, 1, 100, 0, 7);
    finish(1, r, FW_OK);
    ck_assert_uint_eq(later, 7);
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, steps_refused), 2);
    for (uint32_t n = 0; n < LINES - 1; n++) {
        finish(1, await_value(n, 0, &got), FW_OK);
        ck_assert_uint_eq(got, 1000 + n);
        must(at[1].fw->steps_kept <= BOUND);
    }
    /* each of the others came when there was room, and none twice */
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, steps_refused), 2);
    must(mpi_fw_quiet(at[0].fw));
    send_value(0, 1, LINES, 0, 8);                          /* goes at once, as before */
    settle();
    ck_assert_uint_eq(at[1].fw->steps_kept, 1);
    finish(1, await_value(LINES, 0, &got), FW_OK);
    ranks_end(0);
}
END_TEST

/* It is another round of the collective that is waited for. */
START_TEST(another_round)
{
    uint64_t got = 0;

    ranks_start(2);
    at[1].fw->steps_kept_limit = 1;
    for (uint32_t n = 0; n < 4; n++) {
        send_value(0, 1, n, 0, n);
        settle();
    }
    struct fw_sched *s = new_schedule(1, 100);
    add_await(s, 0, 1, &got, 8);
    struct fw_req *r = start(1, s);
    settle();
    send_value(0, 1, 100, 0, 5);
    send_value(0, 1, 100, 1, 6);
    finish(1, r, FW_OK);
    ck_assert_uint_eq(got, 6);
    finish(1, await_value(100, 0, &got), FW_OK);
    ck_assert_uint_eq(got, 5);
    for (uint32_t n = 0; n < 4; n++) {
        finish(1, await_value(n, 0, &got), FW_OK);
        ck_assert_uint_eq(got, n);
    }
    ranks_end(0);
}
END_TEST

/* What was asked for finds the room taken by another rank's packets: it goes back, and comes again
 * in front of all others, and none is lost, whether others wait behind or not. */
START_TEST(room_is_taken)
{
    enum { BOUND = 8, OTHERS = 5 };
    const uint32_t lines = (const uint32_t[]){ 10, 14, 20 }[_i];
    uint64_t got;

    ranks_start(3);
    at[1].fw->steps_kept_limit = BOUND;
    for (uint32_t n = 0; n < lines; n++) {
        send_value(0, 1, n, 0, 1000 + n);
        if (n >= 13)
            settle();
    }
    settle();
    for (uint32_t n = 0; n < OTHERS; n++) {     /* when as many are left as it takes it asks */
        struct fw_req *r = await_value(n, 0, &got);
        must(fw_req_done(r));
        free_request(1, r);
    }
    for (uint32_t n = 0; n < OTHERS; n++)
        send_value(2, 1, 100 + n, 0, n);
    uint64_t refused = FW_FIGURE(at[1].fw, steps_refused);
    settle();
    ck_assert_uint_eq(at[1].fw->steps_kept, BOUND);
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, steps_refused), refused + 2);
    for (uint32_t n = OTHERS; n < lines; n++) {
        finish(1, await_value(n, 0, &got), FW_OK);
        ck_assert_uint_eq(got, 1000 + n);
    }
    for (uint32_t n = 0; n < OTHERS; n++)
        finish(1, await_value(100 + n, 2, &got), FW_OK);
    ck_assert_uint_eq(FW_FIGURE(at[1].fw, steps_refused), refused + 2);
    ck_assert_uint_eq(at[1].fw->steps_kept, 0);
    settle();
    must(mpi_fw_quiet(at[0].fw) && mpi_fw_quiet(at[2].fw));
    ranks_end(0);
}
END_TEST

/* Whatever is sent and waited for first. */
START_TEST(with_little_room)
{
    enum { LINES = 60 };
    uint32_t order[2][LINES], seed = (uint32_t)_i + 1;
    uint64_t got[LINES] = { 0 };
    struct fw_req *wait[LINES] = { NULL };

    for (unsigned n = 0; n < LINES; n++)
        for (unsigned i = 0; i < 2; i++) {
            unsigned other = (seed = seed * 1664525 + 1013904223) / 65536 % (n + 1);
            order[i][n] = order[i][other];
            order[i][other] = n;
        }
    ranks_start(3);
    at[1].fw->steps_kept_limit = (uint32_t)_i % 5 + 1;
    for (unsigned sent = 0, awaited = 0; sent + awaited < 2 * LINES;) {
        bool send = (seed = seed * 1664525 + 1013904223) >> 31;
        if (send && sent < LINES) {
            uint32_t n = order[0][sent++];
            send_value(n % 3 ? 2 : 0, 1, n, 0, 1000 + n);
        } else if (awaited < LINES) {
            uint32_t n = order[1][awaited++];
            wait[n] = await_value(n, n % 3 ? 2 : 0, &got[n]);
        }
        if (seed >> 30 & 1)
            settle();
    }
    for (uint32_t n = 0; n < LINES; n++) {
        finish(1, wait[n], FW_OK);
        ck_assert_uint_eq(got[n], 1000 + n);
    }
    ck_assert_uint_eq(at[1].fw->steps_kept, 0);
    settle();
    must(mpi_fw_quiet(at[0].fw) && mpi_fw_quiet(at[2].fw));
    ranks_end(0);
}
END_TEST

START_TEST(lengths_must_agree)
{
    uint64_t got[2] = { 7, 7 };

    ranks_start(2);
    for (unsigned bytes = 4; bytes <= 16; bytes += 12) {
        struct fw_sched *s = new_schedule(1, bytes);
        add_await(s, 0, 0, got, bytes);
        struct fw_req *r = start(1, s);
        send_value(0, 1, bytes, 0, 8);
        finish(1, r, FW_TRUNCATED);
        ck_assert(got[0] == 7 && got[1] == 7);
    }
    ranks_end(0);
}
END_TEST

/* A line that finds no room is kept with its bytes, which its sender does not keep. */
START_TEST(lines_wait_for_room)
{
    enum { MOST = 1000 };
    static struct fw_req *filler[MOST];
    static unsigned char in[EAGER_MAX];
    unsigned fillers = 0;

    ranks_start(2);
    while (!at[0].fw->sendq) {
        must(fillers < MOST);
        filler[fillers++] = start_send(0, 1, 5, loop_payload(5), EAGER_MAX);
    }
    for (unsigned i = 0; i < 3; i++)        /* the next lies where the one before lay */
        send_value(0, 1, i, 0, 1000 + i);
    struct fw_sched *s[3];
    uint64_t values[3] = { 0 };
    struct fw_req *r[3];
    for (unsigned i = 0; i < 3; i++) {
        s[i] = new_schedule(1, i);
        add_await(s[i], 0, 0, &values[i], sizeof values[i]);
        r[i] = start(1, s[i]);
    }
    for (unsigned i = 0; i < fillers; i++) {
        finish_recv(1, start_recv(1, 0, 5, in, EAGER_MAX), EAGER_MAX, 0, 5, loop_payload(5),
                    EAGER_MAX);
        finish_send(0, filler[i]);
    }
    for (unsigned i = 0; i < 3; i++) {
        finish(1, r[i], FW_OK);
        ck_assert_uint_eq(values[i], 1000 + i);
    }
    ranks_end(0);
}
END_TEST

static int cannot_read(struct nic *n, unsigned peer, uint64_t from, void *to, size_t bytes)
{
    (void)n, (void)peer, (void)from, (void)to, (void)bytes;
    return -1;
}

/* Of two things that go wrong the first is told. */
START_TEST(first_error)
{
    enum { BYTES = 100000 };
    static unsigned char to[BYTES], from[BYTES];
    uint64_t got[2];

    ranks_open_as(2, NIC_PROGRESS_HOST, "get", NULL);
    const struct nic_link_ops *sound = at[1].nic->link;
    struct nic_link_ops unsound = *sound;
    unsound.read = cannot_read;
    at[1].nic->link = &unsound;
    struct fw_sched *s = new_schedule(1, 1);
    add_await(s, 0, 0, got, sizeof got);
    mpi_fw_sched_add(s,
                     &(struct fw_step){ .kind = FW_STEP_RECV, .peer = 0, .to = to,
                                        .bytes = BYTES });
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_WAIT });
    struct fw_req *r = start(1, s);
    send_value(0, 1, 1, 0, 8);
    s = new_schedule(0, 1);
    mpi_fw_sched_add(s,
                     &(struct fw_step){ .kind = FW_STEP_SEND, .peer = 1, .from = from,
                                        .bytes = BYTES });
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_WAIT });
    struct fw_req *send = start(0, s);
    finish(1, r, FW_TRUNCATED);
    finish(0, send, FW_COPY_FAILED);
    at[1].nic->link = sound;
    ranks_end(0);
}
END_TEST

static void subtract(const void *context, const void *in, void *inout, size_t bytes)
{
    int64_t a, b;
    (void)context;
    must(bytes == sizeof a);
    memcpy(&a, in, 8);
    memcpy(&b, inout, 8);
    a -= b;
    memcpy(inout, &a, 8);
}

/* A message of any length, combined and copied. */
START_TEST(all_kinds_of_steps)
{
    enum { BYTES = 200000 };
    static unsigned char to[BYTES];
    int64_t mine = 10, theirs = 0, copied = 0;

    ranks_start(2);
    struct fw_sched *s = new_schedule(1, 1), *o = new_schedule(0, 1);
    mpi_fw_sched_add(s,
                     &(struct fw_step){ .kind = FW_STEP_RECV, .peer = 0, .to = to,
                                        .bytes = BYTES });
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_WAIT });
    add_await(s, 0, 0, &theirs, 8);
    mpi_fw_sched_add(s,
                     &(struct fw_step){ .kind = FW_STEP_COMBINE, .from = &mine, .to = &theirs,
                                        .bytes = 8 });
    mpi_fw_sched_add(s,
                     &(struct fw_step){ .kind = FW_STEP_COPY, .from = &theirs, .to = &copied,
                                        .bytes = 8 });
    s->combine = subtract;
    int64_t three = 3;
    add_line(o, 1, 0, &three, 8);
    mpi_fw_sched_add(o, &(struct fw_step){ .kind = FW_STEP_SEND, .peer = 1,
                                           .from = loop_payload(5), .bytes = 4000 });
    mpi_fw_sched_add(o, &(struct fw_step){ .kind = FW_STEP_WAIT });
    struct fw_req *r = start(1, s), *q = start(0, o);
    finish(0, q, FW_OK);
    finish(1, r, FW_TRUNCATED);     /* 4000 are fewer than were expected */
    must(loop_is_payload(to, 4000, 5));
    ck_assert_int_eq(copied, 0);    /* after an error nothing is computed any more */
    ranks_end(0);
}
END_TEST

/* A message that asks first, however short, goes when its receive is there. */
START_TEST(asks_first)
{
    static unsigned char to[8];

    ranks_start(2);
    struct fw_sched *s = new_schedule(0, 1), *o = new_schedule(1, 1);
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_SEND, .peer = 1,
                                           .from = loop_payload(5), .bytes = sizeof to });
    if (_i)
        s->step[0].heard = 1;       /* as coll/build.c */
    mpi_fw_sched_add(s, &(struct fw_step){ .kind = FW_STEP_WAIT });
    mpi_fw_sched_add(o, &(struct fw_step){ .kind = FW_STEP_RECV, .peer = 0, .to = to,
                                           .bytes = sizeof to });
    mpi_fw_sched_add(o, &(struct fw_step){ .kind = FW_STEP_WAIT });
    struct fw_req *send = start(0, s);
    settle();
    ck_assert_int_eq(fw_req_done(send), !_i);
    struct fw_req *recv = start(1, o);
    finish(1, recv, FW_OK);
    finish(0, send, FW_OK);
    must(loop_is_payload(to, sizeof to, 5));
    ranks_end(0);
}
END_TEST

/* Rank 1 passes a value on from rank 0 to rank 2 and its host does nothing after the start: its
 * NIC's thread does. */
START_TEST(the_host_in_between_is_away)
{
    uint64_t seen = 0, through = 0;

    ranks_open_as(3, NIC_PROGRESS_AUTO, NULL, NULL);
    struct fw_sched *middle = new_schedule(1, 1), *last = new_schedule(2, 1);
    add_await(middle, 0, 0, &through, 8);
    add_line(middle, 2, 0, &through, 8);
    struct fw_req *m = start(1, middle);
    add_await(last, 1, 0, &seen, 8);
    struct fw_req *l = start(2, last);
    send_value(0, 1, 1, 0, 77);
    while (!fw_req_done(l)) {           /* nobody steps rank 1 here */
        step(2);
        step(0);
        usleep(100);
    }
    ck_assert_uint_eq(seen, 77);
    finish(2, l, FW_OK);
    finish(1, m, FW_OK);
    ranks_end(0);
}
END_TEST

static void send_garbage(uint8_t type, uint64_t match, const void *data, uint32_t bytes)
{
    struct nic_tx m = { .type = type, .match = match, .data = data, .data_bytes = bytes };
    must(!loop_send(at[0].nic, 1, &m));
    settle();
}

static void send_again(uint64_t rank, uint16_t bytes)
{
    struct fw_again again = { .match = match_number(1), .grant = 2, .wanted = true };
    struct nic_tx m = { .type = FW_PACKET_AGAIN, .match = rank, .head = &again,
                        .head_bytes = bytes };
    must(!loop_send(at[0].nic, 1, &m));
    settle();
}

START_TEST(garbage)
{
    struct fw_step_packet line = { .source = 0, .bytes = 8 };

    ranks_start(2);
    send_garbage(FW_PACKET_STEP, 1, &line, 4);              /* shorter than its head */
    send_garbage(FW_PACKET_STEP, 1, &line, 48);             /* longer than it says */
    line.source = 2;
    send_garbage(FW_PACKET_STEP, 1, &line, 16);             /* from nobody */
    send_garbage(FW_PACKET_REFUSED, 1, &line, 16);
    send_garbage(FW_PACKET_AGAIN, 0, NULL, 0);              /* says nothing */
    send_again(5, sizeof (struct fw_again));                /* from nobody */
    send_again(UINT64_MAX, sizeof (struct fw_again));
    send_again(0, sizeof (struct fw_again) - 1);
    ranks_end(8);
}
END_TEST

/* What has ended is used again, with its memory, so many and so much of it. */
START_TEST(spare_ones)
{
    enum { MANY = FW_SCHEDS_SPARE + 3, BYTES = 5000 };
    struct fw_sched *s[MANY];

    ranks_start(2);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < MANY; i++) {
            s[i] = new_schedule(0, i);
            must((uintptr_t)mpi_fw_sched_memory(s[i], 1) % 16 == 0);
            unsigned char *memory = mpi_fw_sched_memory(s[i], BYTES);
            must(memory && (uintptr_t)memory % 16 == 0);
            memset(memory, 255, BYTES);
            must(!s[i]->more_memory == (pass && i < FW_SCHEDS_SPARE));
            must(!s[i]->steps && !s[i]->error && !s[i]->failed);
            add_line(s[i], 1, 0, NULL, 0);
        }
        for (unsigned i = 0; i < MANY; i++)
            mpi_fw_sched_delete(at[0].fw, s[i]);
        ck_assert_uint_eq(at[0].fw->scheds_spare, FW_SCHEDS_SPARE);
    }
    s[0] = new_schedule(0, 0);
    must(mpi_fw_sched_memory(s[0], FW_SCHED_SPARE_BYTES + 1));
    mpi_fw_sched_delete(at[0].fw, s[0]);
    must(at[0].fw->spare_scheds->memory_bytes <= FW_SCHED_SPARE_BYTES);
    ranks_end(0);
}
END_TEST

/* Memory from which a message may still be read is nobody's any more. */
START_TEST(read_on)
{
    ranks_start(2);
    struct fw_sched *s = new_schedule(0, 0);
    unsigned char *memory = mpi_fw_sched_memory(s, 100);
    must(memory);
    s->read_on = true;
    mpi_fw_sched_delete(at[0].fw, s);
    s = new_schedule(0, 1);
    must(mpi_fw_sched_memory(s, 100) != memory);
    mpi_fw_sched_delete(at[0].fw, s);
    free(memory);       /* it was the first of its block */
    ranks_end(0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schedule");
    TCase *tc = tcase_create("schedule");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, in_any_order);
    tcase_add_test(tc, refused_and_resent);
    tcase_add_test(tc, held_back);
    tcase_add_test(tc, another_round);
    tcase_add_loop_test(tc, room_is_taken, 0, 3);
    tcase_add_loop_test(tc, with_little_room, 0, 40);
    tcase_add_test(tc, lengths_must_agree);
    tcase_add_test(tc, lines_wait_for_room);
    tcase_add_test(tc, first_error);
    tcase_add_test(tc, all_kinds_of_steps);
    tcase_add_loop_test(tc, asks_first, 0, 2);
    tcase_add_test(tc, the_host_in_between_is_away);
    tcase_add_test(tc, garbage);
    tcase_add_test(tc, spare_ones);
    tcase_add_test(tc, read_on);
    suite_add_tcase(suite, tc);
    return loop_run(suite);
}
