/* Looking after ranks on other machines (wire/patrol.c): who is silent for how long, by the time in
 * which there were patrols, which the tests say. */
#include <errno.h>

#include "machines.h"
#include "nicemu/atomic.h"
#include "nicemu/counter.h"
#include "wire/peer.h"
#include "wire/state.h"

#define PATIENCE UINT64_C(600000000000)         /* longer than any test takes */
enum { PATROL_NS = 250 * 1000 * 1000 };

static struct machines m;
static struct nic *nic;
static struct nic_wires *w;
static struct nic_wire_peer *peer;

static unsigned patrols;
static bool on_patrol(struct nic *n, void *context)
{
    (void)n, (void)context;
    patrols++;
    return false;
}

/* So much later there is another patrol. */
static void later(uint64_t ns)
{
    w->watched += ns;
    w->patrols++;
}

/* Rank 0 knows rank 1, and has the baton; a thread of its own would answer for it. */
static void begin(enum nic_progress progress)
{
    struct nic_tx t = { .type = 1, .data = loop_payload(1), .data_bytes = 100 };
    setenv("NICEMU_WIRE_PATIENCE", "600000", 1);
    machines_open(&m, 2, 2, NIC_PROGRESS_HOST);
    machines_send(&m, 0, 1, &t);
    machines_await(&m, 1, 1);
    machines_send(&m, 1, 0, &t);
    machines_await(&m, 0, 1);
    machines_settle(&m);
    nic = m.nic[0];
    w = nic->wires;
    peer = nic_wire_peer(nic, 1);
    nic_on_patrol(nic, on_patrol, NULL);
    nic_enter(nic);
    nic->progress = progress;
    peer->heard = false;
    later(PATROL_NS);
}

static void end(void)
{
    nic->progress = NIC_PROGRESS_HOST;
    nic_leave(nic);
    machines_close(&m);
}

START_TEST(test_silent)
{
    begin(NIC_PROGRESS_AUTO);
    nic_await(nic, 1);
    for (unsigned i = 0; i < 14; i++) {
        later(PATIENCE / 16);
        nic_await(nic, 1);
        ck_assert_ptr_null(nic_lost(nic, 1));
    }
    later(PATIENCE / 8);
    nic_await(nic, 1);
    ck_assert_ptr_nonnull(nic_lost(nic, 1));
    ck_assert_ptr_nonnull(strstr(nic_lost(nic, 1), "nothing has come from it for 600 s"));
    ck_assert_uint_eq(nic_losses(nic), 1);
    end();
}
END_TEST

/* Any frame that comes begins a new silence. */
START_TEST(test_heard)
{
    struct nic_tx t = { .type = 1 };
    begin(NIC_PROGRESS_AUTO);
    for (unsigned i = 0; i < 4; i++) {
        nic_await(nic, 1);
        later(PATIENCE / 2);
        nic_await(nic, 1);
        nic->progress = NIC_PROGRESS_HOST;      /* no thread begins */
        nic_leave(nic);
        machines_send(&m, 1, 0, &t);
        machines_await(&m, 0, i + 2);
        nic_enter(nic);
        nic->progress = NIC_PROGRESS_AUTO;
        later(PATIENCE / 4);
        nic_await(nic, 1);
        ck_assert_ptr_null(nic_lost(nic, 1));
    }
    end();
}
END_TEST

/* Who was not waited for in a patrol has not been silent. */
START_TEST(test_not_awaited)
{
    begin(NIC_PROGRESS_AUTO);
    nic_await(nic, 1);
    later(PATIENCE / 2);
    nic_await(nic, 1);
    later(PATIENCE);
    later(PATIENCE);
    nic_await(nic, 1);
    ck_assert_ptr_null(nic_lost(nic, 1));
    end();
}
END_TEST

/* Nor does silence mean anything where nobody answers for a host that computes; but it is asked, in
 * every second patrol. */
START_TEST(test_host_alone)
{
    begin(NIC_PROGRESS_HOST);
    nic_await(nic, 1);
    for (unsigned i = 1; i <= 8; i++) {
        uint32_t frames = peer->sent;
        later(PATROL_NS);
        nic_await(nic, 1);
        ck_assert_uint_eq(peer->sent - frames, i % 2 ? 0 : 1);
    }
    later(2 * PATIENCE);
    nic_await(nic, 1);
    ck_assert_ptr_null(nic_lost(nic, 1));
    end();
}
END_TEST

/* Until the next patrol, so long after the last one. */
static void patrol_after(uint64_t ns)
{
    unsigned before = patrols;
    w->patrolled = nic_now() - ns;
    while (patrols == before)
        nic_step(nic);
}

/* A process that had no time knows nothing of others' silence: one patrol is half a second of it at
 * most, and behind half of the patience nobody was waited for in the last one. */
START_TEST(test_stopped)
{
    begin(NIC_PROGRESS_AUTO);
    uint64_t watched = w->watched;
    uint32_t number = w->patrols;
    patrol_after(PATIENCE / 4);
    ck_assert_uint_eq(w->watched - watched, 2 * PATROL_NS);
    ck_assert_uint_eq(w->patrols - number, 1);
    patrol_after(PATIENCE / 2 + PATROL_NS);
    ck_assert_uint_eq(w->watched - watched, 4 * (uint64_t)PATROL_NS);
    ck_assert_uint_eq(w->patrols - number, 3);
    end();
}
END_TEST

/* A rank that is lost, and of which nothing is being read, ends nobody else. */
START_TEST(test_lost_long_ago)
{
    begin(NIC_PROGRESS_AUTO);
    nic_wire_lose(nic, peer, "the test says so");
    ck_assert_ptr_nonnull(strstr(nic_lost(nic, 1), "is lost: the test says so"));
    peer->gone_since = nic_now() - 2 * PATIENCE;
    patrol_after(PATROL_NS);
    patrol_after(PATROL_NS);
    ck_assert_uint_eq(nic_losses(nic), 1);
    end();
}
END_TEST

/* One request of each kind to rank 1, which takes no turn: what becomes of them. */
static void ask(struct nic_outcome *outcome)
{
    static uint64_t words[8];
    const struct nic_address there = { 1, NIC_KEY_SCRATCHPAD, 0 };
    const struct nic_transfer t = nic_transfer_of(words, there, sizeof words);
    const struct nic_atomic a = { .op = NIC_ATOMIC_ADD, .type = NIC_ATOMIC_UINT64,
                                  .target = there, .operand = 1, .counter = NIC_SPAD_NONE };
    must(!nic_put(nic, &t, &outcome[0]) && !nic_get(nic, &t, &outcome[1])
         && !nic_atomic(nic, &a, &outcome[2]));
    for (unsigned i = 0; i < 10; i++)
        nic_step(nic);
}

/* What is asked of a rank ends when that is lost, and what is asked of it then at once. */
START_TEST(test_asked)
{
    struct nic_outcome before[3] = { { .done = NULL } }, behind[3] = { { .done = NULL } };
    begin(NIC_PROGRESS_AUTO);
    ask(before);
    for (unsigned i = 0; i < 3; i++)
        ck_assert_int_eq(nic_outcome_status(&before[i]), -EINPROGRESS);
    nic_wire_lose(nic, peer, "the test says so");
    patrol_after(PATROL_NS);
    ask(behind);
    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(nic_outcome_status(&before[i]), -EHOSTDOWN);
        ck_assert_int_eq(nic_outcome_status(&behind[i]), -EHOSTDOWN);
    }
    ck_assert_uint_eq(nic_outstanding(nic), 0);
    end();
}
END_TEST

/* Who has said good-bye may be gone. */
START_TEST(test_gone_after_bye)
{
    begin(NIC_PROGRESS_AUTO);
    peer->bye = true;
    nic_wire_lose(nic, peer, "the test says so");
    ck_assert_ptr_null(nic_lost(nic, 1));
    ck_assert_uint_eq(nic_losses(nic), 0);
    end();
}
END_TEST

int main(void)
{
    if (!machines_possible())
        return 77;
    Suite *s = suite_create("patrol");
    TCase *t = tcase_create("patrol");
    tcase_add_test(t, test_silent);
    tcase_add_test(t, test_heard);
    tcase_add_test(t, test_not_awaited);
    tcase_add_test(t, test_host_alone);
    tcase_add_test(t, test_stopped);
    tcase_add_test(t, test_lost_long_ago);
    tcase_add_test(t, test_asked);
    tcase_add_test(t, test_gone_after_bye);
    suite_add_tcase(s, t);
    return loop_run(s);
}
