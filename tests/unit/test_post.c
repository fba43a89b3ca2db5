/* Who sent a packet, and packets from handlers that find no room (nic_post): on both clocks. */
#include <errno.h>
#include <pthread.h>

#include "core/nic.h"
#include "modelled.h"
#include "remote/backlog.h"
#include "remote/packets.h"

enum { RANKS = 3, ASK = 1, ANSWER = 2, LONG = 200 };

/* Answers each question to whoever asked it; answers must come in order from each rank. */
struct teller {
    struct nic *nic;
    unsigned asks, length;              /* questions to each rank; bytes of an answer */
    unsigned long questions, answers;
    uint64_t next[RANKS];               /* answer expected from each */
};

static void on_packet(struct nic *nic, void *context, const struct nic_packet *p)
{
    struct teller *t = context;
    unsigned source = nic_packet_source(nic);
    if (p->type == ANSWER) {
        must(source < RANKS && p->match == t->next[source]++ && p->length == t->length);
        t->answers++;
        return;
    }
    struct nic_tx m = { .type = ANSWER, .match = p->match & UINT32_MAX,
                             .data = loop_payload(1),
                             .data_bytes = t->length };
    must(source == p->match >> 32);
    must(nic_post(nic, source, &m) == 0);
    t->questions++;
}

static const struct nic_program teller = { .name = "teller", .packet = on_packet,
                                           .landed = idle_landed, .command = idle_command,
                                           .advance = idle_advance };

static int ask(struct teller *t, unsigned peer, uint64_t number)
{
    struct nic_tx m = { .type = ASK, .match = (uint64_t)nic_rank(t->nic) << 32 | number,
                             .data = loop_payload(2), .data_bytes = number % 3 ? 8 : LONG };
    return nic_send(t->nic, peer, &m);
}

/* -- hosts that ask all others as fast as they can */

/* How many have all: a NIC that closes tries for no more than a second to be rid of what others
 * wait for. */
static _Atomic unsigned through;

static void *asks_all(void *argument)
{
    struct teller *t = argument;
    struct nic_wait full = { .polled = true }, wait = { 0 };
    nic_enter(t->nic);
    for (unsigned i = 0; i < t->asks; i++)
        for (unsigned peer = 0; peer < RANKS; peer++)
            while (ask(t, peer, i))
                nic_wait_turn(t->nic, &full);
    while (t->answers < (unsigned long)t->asks * RANKS
           || t->questions < (unsigned long)t->asks * RANKS)
        nic_wait_turn(t->nic, &wait);
    atomic_fetch_add(&through, 1);
    while (!nic_modelled(t->nic) && atomic_load(&through) < RANKS)
        nic_wait_turn(t->nic, &full);
    nic_leave(t->nic);
    nic_close(t->nic);
    return NULL;
}

static void all_ask(struct nic_job *job, unsigned asks, unsigned length)
{
    struct teller t[RANKS] = { 0 };
    pthread_t thread[RANKS];
    atomic_store(&through, 0);
    for (unsigned r = 0; r < RANKS; r++) {
        t[r] = (struct teller){ .asks = asks, .length = length };
        t[r].nic = loop_nic(job, r, NIC_PROGRESS_AUTO, &teller, &t[r]);
    }
    for (unsigned r = 0; r < RANKS; r++)
        must(!pthread_create(&thread[r], NULL, asks_all, &t[r]));
    for (unsigned r = 0; r < RANKS; r++)
        must(!pthread_join(thread[r], NULL));
    nic_job_close(job);
}

START_TEST(everybody_asks_live)
{
    all_ask(loop_job(RANKS), 8000, _i ? LONG : 8);
}
END_TEST

START_TEST(everybody_asks_modelled)
{
    all_ask(model_job(RANKS, _i, NULL), 900, LONG);
}
END_TEST

/* -- two ranks, one of which does not empty its inbox */

struct pair { struct nic_job *job; struct teller t[2]; };

static void pair_open(struct pair *p)
{
    *p = (struct pair){ .job = loop_job(2) };
    for (unsigned r = 0; r < 2; r++) {
        p->t[r].length = 8;
        p->t[r].nic = loop_nic(p->job, r, NIC_PROGRESS_HOST, &teller, &p->t[r]);
    }
}

static void pair_close(struct pair *p)
{
    for (unsigned r = 0; r < 2; r++)
        nic_close(p->t[r].nic);
    nic_job_close(p->job);
}

/* Rank 0 asks `count` times, rank 1 takes turns, rank 0 none.  Returns how often it could ask. */
static unsigned ask_only(struct pair *p, unsigned count)
{
    unsigned asked = 0;
    while (asked < count) {
        nic_enter(p->t[0].nic);
        int rc = ask(&p->t[0], 1, asked);
        nic_leave(p->t[0].nic);
        loop_drain(p->t[1].nic);
        must(rc == 0 || rc == -EAGAIN);
        if (rc)
            break;
        asked++;
    }
    return asked;
}

START_TEST(kept_in_order)
{
    enum { COUNT = NIC_RING_LINES + 100 };
    struct nic_tx m = { .type = ANSWER, .match = COUNT, .data = loop_payload(1),
                             .data_bytes = 8 };
    struct pair p;
    pair_open(&p);
    ck_assert_uint_eq(ask_only(&p, COUNT), COUNT);
    ck_assert_uint_eq(p.t[1].nic->posted, 100);
    /* not past those that are kept, nor the short way */
    ck_assert_int_eq(loop_send(p.t[1].nic, 0, &m), -EAGAIN);
    nic_enter(p.t[0].nic);
    nic_step(p.t[0].nic);
    nic_leave(p.t[0].nic);
    ck_assert(!nic_send_now(p.t[1].nic, 0, ANSWER, COUNT, loop_payload(1), 8));
    ck_assert_int_eq(loop_send(p.t[1].nic, 0, &m), -EAGAIN);
    for (unsigned i = 0; p.t[0].answers < COUNT; i++) {
        must(i < COUNT);
        loop_drain(p.t[0].nic);
        loop_drain(p.t[1].nic);
    }
    ck_assert_int_eq(loop_send(p.t[1].nic, 0, &m), 0);
    loop_drain(p.t[0].nic);
    ck_assert_uint_eq(p.t[0].answers, COUNT + 1);
    ck_assert_int_eq(p.t[1].nic->active, 0);
    ck_assert_int_eq(p.t[1].nic->service, 0);
    pair_close(&p);
}
END_TEST

/* Whoever does not take its answers cannot ask for ever; and can again when it has taken them. */
START_TEST(bounded)
{
    enum { MOST = NIC_RING_LINES + NIC_POSTS_MANY + 1 };
    struct pair p;
    pair_open(&p);
    unsigned asked = ask_only(&p, 2 * MOST);
    ck_assert_uint_eq(asked, MOST);
    ck_assert(!nic_send_now(p.t[0].nic, 1, ASK, asked, loop_payload(1), 8));
    while (p.t[0].answers < asked) {
        loop_drain(p.t[0].nic);
        loop_drain(p.t[1].nic);
    }
    nic_enter(p.t[0].nic);
    ck_assert_int_eq(ask(&p.t[0], 1, asked), 0);
    nic_leave(p.t[0].nic);
    ck_assert_uint_eq(p.t[0].nic->held, 0);
    ck_assert_uint_eq(p.t[0].nic->fast_path.slow_reasons & NIC_SLOW_MOVE, 0);
    loop_drain(p.t[1].nic);
    pair_close(&p);
}
END_TEST

static void check_head(struct catcher *c, const struct nic_packet *p)
{
    uint64_t head;
    memcpy(&head, p->head, sizeof head);
    must(p->match == c->packets - 1 && head == 3 * p->match + 1);
    must(p->length == sizeof head + 8);
    must(loop_is_payload((const char *)p->head + sizeof head, 8, 9));
}

/* More than the ring of `peer` holds; the caller's head is gone when a packet leaves. */
static void post_beyond(struct nic *n, unsigned peer, unsigned count)
{
    nic_enter(n);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t head = 3 * i + 1;
        must(!nic_post(n, peer, &(struct nic_tx){ .type = ASK, .match = i, .head = &head,
                                                       .head_bytes = sizeof head,
                                                       .data = loop_payload(9),
                                                       .data_bytes = 8 }));
    }
    nic_leave(n);
}

/* Packets are kept whole, and those for one rank do not wait for another's room. */
START_TEST(kept_apart)
{
    enum { MORE = 20, COUNT = NIC_RING_LINES + MORE };
    struct loop l;
    loop_open(&l, RANKS);
    for (unsigned peer = 0; peer < 2; peer++) {
        l.catcher[peer]->caught = check_head;
        post_beyond(l.nic[2], peer, COUNT);
    }
    ck_assert_uint_eq(l.nic[2]->posted, 2 * MORE);
    for (unsigned peer = 0; peer < 2; peer++) {     /* the one that came first, then the other */
        unsigned reader = _i ? !peer : peer;
        loop_drain(l.nic[reader]);
        loop_drain(l.nic[2]);
        ck_assert_uint_eq(l.nic[2]->posted, (1 - peer) * MORE);
        loop_drain(l.nic[reader]);
        ck_assert_uint_eq(l.catcher[reader]->packets, COUNT);
    }
    loop_close(&l);
}
END_TEST

/* A NIC that closes with packets that nobody takes: they are freed (sanitizers look). */
START_TEST(closed_with_packets)
{
    struct pair p;
    pair_open(&p);
    ask_only(&p, NIC_RING_LINES + 10);
    ck_assert_uint_eq(p.t[1].nic->posted, 10);
    nic_close(p.t[1].nic);
    nic_close(p.t[0].nic);
    nic_job_close(p.job);
}
END_TEST

/* One that has closed its NIC is not waited for. */
START_TEST(closed_behind_the_reader)
{
    struct pair p;
    pair_open(&p);
    ask_only(&p, NIC_RING_LINES + 10);
    ck_assert(nic_remote_has_reader(p.t[1].nic));
    nic_close(p.t[0].nic);
    ck_assert(!nic_remote_has_reader(p.t[1].nic));
    nic_close(p.t[1].nic);
    nic_job_close(p.job);
}
END_TEST

START_TEST(refused)
{
    struct nic_tx m = { .type = NIC_HW_FIRST };
    struct pair p;
    pair_open(&p);
    nic_enter(p.t[0].nic);
    ck_assert_int_eq(nic_post(p.t[0].nic, 1, &m), -EINVAL);
    m = (struct nic_tx){ .type = 1, .data_bytes = NIC_MESSAGE_BYTES_MAX + 1 };
    ck_assert_int_eq(nic_post(p.t[0].nic, 1, &m), -EMSGSIZE);
    uint64_t head[NIC_BACKLOG_HEAD_MAX / 8 + 1] = { 0 };
    m = (struct nic_tx){ .type = 1, .head = head, .head_bytes = sizeof head };
    ck_assert_int_eq(nic_post(p.t[0].nic, 1, &m), -EMSGSIZE);
    nic_leave(p.t[0].nic);
    pair_close(&p);
}
END_TEST

/* A source that is no rank: the packet is dropped, and the next one is right. */
START_TEST(forged_source)
{
    struct pair p;
    pair_open(&p);
    struct nic_ring *ring = nic_job_ring(p.job, 1);
    uint64_t seen = 0, pos;
    must(nic_ring_reserve(ring, 1, &seen, &pos));
    nic_ring_publish_header(ring, pos, nic_word0(pos, ASK, 0, 8, nic_ring_source_bits(2)));
    loop_drain(p.t[1].nic);
    ck_assert_uint_eq(p.t[1].questions, 0);
    ck_assert_uint_eq(p.t[1].nic->stats.value[NIC_STAT_packets_malformed], 1);
    ck_assert_uint_eq(ask_only(&p, 1), 1);
    ck_assert_uint_eq(p.t[1].questions, 1);
    pair_close(&p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("post");
    TCase *t = tcase_create("post");
    tcase_add_loop_test(t, everybody_asks_live, 0, 2);
    tcase_add_loop_test(t, everybody_asks_modelled, 0, 2);
    tcase_add_test(t, kept_in_order);
    tcase_add_loop_test(t, kept_apart, 0, 2);
    tcase_add_test(t, bounded);
    tcase_add_test(t, closed_with_packets);
    tcase_add_test(t, closed_behind_the_reader);
    tcase_add_test(t, refused);
    tcase_add_test(t, forged_source);
    suite_add_tcase(s, t);
    return loop_run(s);
}
