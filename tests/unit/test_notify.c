/* Waits that end by a store of somebody else into a scratchpad: nic_wait.ready and nic_notify. */
#include <pthread.h>
#include <stdatomic.h>

#include "core/nic.h"
#include "loop.h"

enum { ROUNDS = 2000, SLEEPS = 20 };

struct side { struct nic *nic; _Atomic uint64_t *mine, *theirs; uint64_t want; unsigned peer;
              bool patient; };

static bool has_come(void *argument)
{
    const struct side *s = argument;
    return atomic_load_explicit(s->mine, memory_order_acquire) >= s->want;
}

static void wait_for(struct side *s, uint64_t value)
{
    struct nic_wait w = { .ready = has_come, .argument = s };
    s->want = value;
    nic_enter(s->nic);
    while (!has_come(s))
        nic_wait_turn(s->nic, &w);
    nic_leave(s->nic);
}

static void tell(struct side *s, uint64_t value)
{
    if (s->patient)         /* the other one is to sleep before it is told */
        while (!(atomic_load(&s->nic->publics[s->peer].attention) & NIC_PARKED))
            usleep(50);
    atomic_store_explicit(s->theirs, value, memory_order_release);
    nic_notify(s->nic, s->peer);
}

static void *echo(void *argument)
{
    struct side *s = argument;
    for (uint64_t i = 1; i <= (s->patient ? SLEEPS : ROUNDS); i++) {
        wait_for(s, i);
        tell(s, i);
    }
    return NULL;
}

static void ping(bool patient)
{
    struct loop l;
    pthread_t thread;
    loop_open(&l, 2);
    _Atomic uint64_t *word[2];
    for (unsigned r = 0; r < 2; r++)
        word[r] = nic_spad_at(l.nic[r], r, nic_spad_alloc(l.nic[r], NIC_SPAD_USER, 64, 64), 64);
    struct side side[2] = { { l.nic[0], word[0], word[1], 0, 1, patient },
                            { l.nic[1], word[1], word[0], 0, 0, patient } };
    must(!pthread_create(&thread, NULL, echo, &side[1]));
    for (uint64_t i = 1; i <= (patient ? SLEEPS : ROUNDS); i++) {
        tell(&side[0], i);
        wait_for(&side[0], i);
    }
    pthread_join(thread, NULL);
    ck_assert_uint_eq(atomic_load(word[0]), patient ? SLEEPS : ROUNDS);
    loop_close(&l);
}

START_TEST(a_store_ends_a_wait) { ping(false); } END_TEST
START_TEST(a_sleeping_host_is_woken) { ping(true); } END_TEST

int main(void)
{
    Suite *suite = suite_create("notify");
    TCase *tc = tcase_create("notify");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, a_store_ends_a_wait);
    tcase_add_test(tc, a_sleeping_host_is_woken);
    suite_add_tcase(suite, tc);
    return loop_run(suite);
}
