/* Remote atomic operations whose numbers go past 2^32 and begin anew: each is executed once and
 * answered, and those that come again, from before and after, are told from new ones. */
#include "offload.h"
#include "offload/atomic.c"

enum { BEFORE = 2 * NIC_ATOMIC_WINDOW + 5, STEPS = 5 * NIC_ATOMIC_WINDOW };

static struct offload o;
static const struct nic_link_ops *unkept;
static struct { uint64_t match; struct atomic_request request; } sent[STEPS];
static unsigned requests;

/* Keeps what is asked, to ask it again. */
static int keeping_send(struct nic *n, unsigned peer, const struct nic_tx *m, bool service)
{
    if (m->type == NIC_HW_ATOMIC && requests < STEPS) {
        must(m->head_bytes == sizeof sent->request);
        sent[requests].match = m->match;
        memcpy(&sent[requests++].request, m->head, sizeof sent->request);
    }
    return unkept->send(n, peer, m, service);
}

static void ask_again(unsigned i)
{
    struct nic_tx m = { .type = NIC_HW_ATOMIC, .match = sent[i].match,
                             .head = &sent[i].request,
                             .head_bytes = sizeof sent->request };

    nic_enter(o.nic[0]);
    must(!unkept->send(o.nic[0], 1, &m, true));
    nic_leave(o.nic[0]);
    settle(&o);
}

/* As if so many had gone before. */
static void number_from(uint32_t sequence)
{
    static struct nic_link_ops keeping;

    nic_enter(o.nic[0]);
    unkept = o.nic[0]->link;
    keeping = *unkept;
    keeping.send = keeping_send;
    o.nic[0]->link = &keeping;
    must(peer_of(o.nic[0], 1));
    o.nic[0]->peer[1].atomics->sequence = sequence;
    nic_leave(o.nic[0]);
}

static struct nic_atomic one_more(uint64_t at, uint64_t *old)
{
    return (struct nic_atomic){ .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64, .operand = 1,
                                .target = { 1, NIC_KEY_SCRATCHPAD, at }, .result = old,
                                .counter = NIC_SPAD_NONE };
}

static uint64_t add_one(uint64_t at)
{
    uint64_t old = UINT64_MAX;
    struct nic_outcome outcome = { .done = NULL };
    const struct nic_atomic a = one_more(at, &old);

    must(AT(o.nic[0], nic_atomic(o.nic[0], &a, &outcome)) == 0);
    settle(&o);
    ck_assert_int_eq(nic_outcome_status(&outcome), 0);
    return old;
}

START_TEST(past_the_last_number)
{
    const uint64_t *word;

    offload_open(&o, 2, NIC_PROGRESS_HOST, PACKET);
    requests = 0;
    uint64_t at = offload_space(&o, 1, 64, 0);
    word = nic_spad_at(o.nic[1], 1, at, 8);
    number_from(UINT32_MAX - BEFORE);
    for (unsigned i = 0; i < STEPS; i++) {
        ck_assert_uint_eq(add_one(at), i);
        ck_assert_uint_eq(requests, i + 1);
        uint64_t repeats = o.nic[1]->counts.atomic_repeats, dropped = o.nic[1]->counts.hw_dropped;
        ask_again(i);
        ck_assert_uint_eq(o.nic[1]->counts.atomic_repeats, repeats + 1);
        if (i >= NIC_ATOMIC_WINDOW)
            ask_again(i - NIC_ATOMIC_WINDOW);       /* another has its slot by now */
        ck_assert_uint_eq(o.nic[1]->counts.hw_dropped, dropped + (i >= NIC_ATOMIC_WINDOW));
        ck_assert_uint_eq(*word, i + 1);
    }
    ck_assert_uint_lt((uint32_t)sent[STEPS - 1].match, STEPS);      /* it did begin anew */
    offload_close(&o);
}
END_TEST

/* All slots are taken by requests on both sides of the wrap: the next waits for its slot, not
 * for a number. */
START_TEST(many_under_way)
{
    struct nic_outcome outcome[STEPS] = { { .done = NULL } };
    uint64_t old[STEPS];

    offload_open(&o, 2, NIC_PROGRESS_HOST, PACKET);
    requests = 0;
    uint64_t at = offload_space(&o, 1, 64, 0);
    number_from(UINT32_MAX - NIC_ATOMIC_WINDOW / 2);
    for (unsigned i = 0; i < STEPS; i++) {
        const struct nic_atomic a = one_more(at, &old[i]);
        must(AT(o.nic[0], nic_atomic(o.nic[0], &a, &outcome[i])) == 0);
    }
    ck_assert_uint_eq(requests, NIC_ATOMIC_WINDOW);
    settle(&o);
    for (unsigned i = 0; i < STEPS; i++) {
        ck_assert_int_eq(nic_outcome_status(&outcome[i]), 0);
        ck_assert_uint_eq(old[i], i);
    }
    offload_close(&o);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("atomic wrap");
    TCase *tcase = tcase_create("atomic wrap");

    tcase_add_test(tcase, past_the_last_number);
    tcase_add_test(tcase, many_under_way);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
