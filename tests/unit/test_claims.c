/* Claims of a peer on registered memory whose owner lets it
 * go, and slots that stay taken for as long. */
#include <errno.h>
#include <pthread.h>

#include "core/nic.h"
#include "loop.h"
#include "remote/region.h"
#include "remote/packets.h"

static struct loop l;
static struct nic *owner, *peer;
static uint32_t key;
static unsigned char memory[64];
static _Atomic bool done;

static int add_region(uint32_t *new_key)
{
    nic_enter(owner);
    int rc = nic_register(owner, memory, sizeof memory, NIC_RIGHT_ALL, new_key);
    nic_leave(owner);
    return rc;
}

static int drop_region(uint32_t old_key)
{
    nic_enter(owner);
    int rc = nic_deregister(owner, old_key);
    nic_leave(owner);
    return rc;
}

/* The peer is about to copy. */
static void set_up(void)
{
    uint64_t at;
    loop_open(&l, 2);
    owner = l.nic[0];
    peer = l.nic[1];
    must(add_region(&key) == 0);
    nic_enter(peer);
    must(nic_region_claim(peer, 0, key, 0, 8, NIC_RIGHT_READ, &at) == 0);
    nic_leave(peer);
    atomic_store(&done, false);
}

static void *drops(void *argument)
{
    must(drop_region(key) == 0);
    atomic_store(&done, true);
    return argument;
}

static void *closes(void *argument)
{
    nic_close(owner);
    atomic_store(&done, true);
    return argument;
}

START_TEST(close_waits)
{
    pthread_t thread;
    set_up();
    must(!pthread_create(&thread, NULL, closes, NULL));
    usleep(20000);
    ck_assert(!atomic_load(&done));
    nic_region_release(peer);
    must(!pthread_join(thread, NULL));
    nic_close(peer);
    for (unsigned r = 0; r < 2; r++)
        free(l.catcher[r]);
    nic_job_close(l.job);
}
END_TEST

/* Nobody else gets the slot while the owner waits, as whoever
 * has claimed it may still look there. */
START_TEST(slot_stays_taken)
{
    pthread_t thread;
    uint32_t other;
    set_up();
    nic_enter(owner);
    nic_share(owner);
    nic_leave(owner);
    must(!pthread_create(&thread, NULL, drops, NULL));
    while (atomic_load(&nic_job_regions(l.job, 0)->entry[key % NIC_REGIONS_MAX].key))
        usleep(100);
    for (unsigned i = 0; i < 2 * NIC_REGIONS_MAX; i++) {        /* every other slot twice */
        ck_assert_int_eq(add_region(&other), 0);
        ck_assert_uint_ne(other % NIC_REGIONS_MAX, key % NIC_REGIONS_MAX);
        ck_assert_int_eq(drop_region(other), 0);
    }
    ck_assert(!atomic_load(&done));
    nic_region_release(peer);
    must(!pthread_join(thread, NULL));
    loop_close(&l);
}
END_TEST

/* A peer that has closed copies no more, whatever it left behind. */
START_TEST(of_a_closed_peer)
{
    set_up();
    nic_close(peer);
    ck_assert_int_eq(drop_region(key), 0);
    nic_close(owner);
    for (unsigned r = 0; r < 2; r++)
        free(l.catcher[r]);
    nic_job_close(l.job);
}
END_TEST

/* A slot comes back when all others have had their turn. */
START_TEST(slots_take_turns)
{
    uint32_t next;
    loop_open(&l, 1);
    owner = l.nic[0];
    must(add_region(&key) == 0);
    for (unsigned i = 1; i <= 2 * NIC_REGIONS_MAX; i++) {
        must(drop_region(key) == 0);
        must(add_region(&next) == 0);
        ck_assert_uint_eq(next % NIC_REGIONS_MAX, (key + 1) % NIC_REGIONS_MAX);
        key = next;
    }
    loop_close(&l);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("claims");
    TCase *tcase = tcase_create("claims");

    tcase_set_timeout(tcase, 0);
    tcase_add_test(tcase, close_waits);
    tcase_add_test(tcase, slot_stays_taken);
    tcase_add_test(tcase, of_a_closed_peer);
    tcase_add_test(tcase, slots_take_turns);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
