/* Lists of the NIC's processor on the model clock: which entries cost what; and proxy copies with
 * boxes that a peer has filled with nonsense. */
#include <errno.h>

#include "job/proxy_box.h"
#include "model/proxy_copy.h"
#include "model/lists.h"
#include "model/state.h"
#include "modelled.h"

enum { ENTRIES = 4, LINE = 64 };

static const struct nic_program program = { .name = "lists", IDLE_PROGRAM };
static struct nic_profile profile;
static struct nic_job *job;
static struct nic *nic;

/* A processor whose cache holds so many entries, of one line each. */
static void set_up(uint64_t entries, uint64_t entry_free)
{
    profile = *test_profile();
    profile.nic.cache = entries * LINE;
    profile.nic.cache_line = LINE;
    profile.nic.cache_ways = 0;
    profile.nic.entry_bytes = LINE;
    profile.nic.entry_read = LINE;
    profile.nic.entry_free = entry_free;
    profile.nic.entry_miss = 7000;
    struct nic_model_config model = { .profile = &profile };
    struct nic_job_config config = { .ranks = 1, .cores = 1, .model = &model };
    must(nic_job_create(&config, &job) == 0);
    nic = loop_nic(job, 0, NIC_PROGRESS_AUTO, &program, NULL);
    nic_enter(nic);
}

static void end(void)
{
    nic_leave(nic);
    nic_close(nic);
    nic_job_close(job);
}

static uint64_t charged(enum nic_cost cost) { return nic->model->clock.charged[cost]; }

/* What the NIC goes by: lists that are made later are as it says then. */
static struct nic_profile *profile_of_rank(void)
{
    return (struct nic_profile *)(uintptr_t)nic->model->profile;
}

/* All entries are compared, the last one matches. */
static void search(struct nic_timed_list *list)
{
    uint32_t tag;
    for (uint32_t i = 0; i < ENTRIES; i++)
        must(nic_timed_list_append(list, i, 0, i) == 0);
    must(nic_timed_list_find(list, ENTRIES - 1, 0, &tag) && tag == ENTRIES - 1);
}

/* What has just been written is in a cache that is large enough; the first of them cost nothing. */
START_TEST(all_fit)
{
    struct nic_timed_list *list;
    for (uint64_t entry_free = 0; entry_free <= ENTRIES + 1; entry_free++) {
        set_up(ENTRIES, entry_free);
        must(nic_timed_list_new(nic, NIC_ALPU_POSTED, &list) == 0);
        search(list);
        ck_assert_uint_eq(charged(NIC_COST_LIST_MISS), 0);
        ck_assert_uint_eq(charged(NIC_COST_LIST_ENTRY),
                          entry_free < ENTRIES ? ENTRIES - entry_free : 0);
        end();
    }
}
END_TEST

/* One line too few: in order of use each goes before it is read again. */
START_TEST(one_too_many)
{
    struct nic_timed_list *list;
    set_up(ENTRIES - 1, 0);
    must(nic_timed_list_new(nic, NIC_ALPU_POSTED, &list) == 0);
    search(list);
    ck_assert_uint_eq(charged(NIC_COST_LIST_MISS), ENTRIES);
    ck_assert_uint_eq(charged(NIC_COST_LIST_ENTRY), 0);
    end();
}
END_TEST

/* Entries of two lines, of which the first is read: of eight lines that were written the cache has
 * the last six, and each of the first two that is read takes the place of one behind it. */
START_TEST(first_bytes)
{
    struct nic_timed_list *list;
    set_up(6, 0);
    profile_of_rank()->nic.entry_bytes = 2 * LINE;
    must(nic_timed_list_new(nic, NIC_ALPU_POSTED, &list) == 0);
    search(list);
    ck_assert_uint_eq(charged(NIC_COST_LIST_MISS), 2);
    ck_assert_uint_eq(charged(NIC_COST_LIST_ENTRY), 2);
    end();
}
END_TEST

/* What is in the cache of one list is not another's. */
START_TEST(apart)
{
    struct nic_timed_list *list, *other;
    uint32_t tag;
    set_up(ENTRIES, 0);
    must(nic_timed_list_new(nic, NIC_ALPU_POSTED, &list) == 0);
    must(nic_timed_list_new(nic, NIC_ALPU_UNEXPECTED, &other) == 0);
    search(list);
    search(other);
    must(nic_timed_list_find(list, ENTRIES - 1, 0, &tag));
    ck_assert_uint_eq(charged(NIC_COST_LIST_ENTRY), 2 * ENTRIES);
    ck_assert_uint_eq(charged(NIC_COST_LIST_MISS), ENTRIES);
    end();
}
END_TEST

/* One look at all units, if there are any. */
START_TEST(updates)
{
    struct nic_timed_list *list;
    for (unsigned units = 0; units < 3; units++) {
        set_up(ENTRIES, 0);
        profile_of_rank()->alpu.posted = units > 0 ? 16 : 0;
        profile_of_rank()->alpu.unexpected = units > 1 ? 16 : 0;
        must(nic_timed_list_new(nic, NIC_ALPU_POSTED, &list) == 0);
        must(nic_timed_list_new(nic, NIC_ALPU_UNEXPECTED, &list) == 0);
        nic_timed_lists_update(nic);
        ck_assert_uint_eq(charged(NIC_COST_UPDATE), units > 0);
        end();
    }
}
END_TEST

/* A list whose unit, of 500 MHz, has been loaded with an entry.  It needs 50 cycles for a command,
 * and has 10 while one is written. */
static struct nic_timed_list *loaded(void)
{
    struct nic_timed_list *list;
    set_up(ENTRIES, 0);
    profile_of_rank()->nic.clock = 2000000000;
    profile_of_rank()->alpu.clock = 500000000;
    profile_of_rank()->alpu.write = 20000;
    profile_of_rank()->alpu.posted = 16;
    profile_of_rank()->alpu.other = 50;
    must(nic_timed_list_new(nic, NIC_ALPU_POSTED, &list) == 0);
    must(nic_timed_list_append(list, 0, 0, 7) == 0);
    nic_timed_lists_update(nic);
    return list;
}

/* How long it takes until the entry is found, so many cycles of the unit later. */
static uint64_t found_after(uint64_t cycles)
{
    struct nic_timed_list *list = loaded();
    uint64_t cycle = nic->model->clock.cost[NIC_COST_ALPU_CYCLE], before, waited;
    uint32_t tag;
    ck_assert_uint_eq(charged(NIC_COST_ALPU_CYCLE), 50 - 10);
    ck_assert_uint_gt(cycle, 0);
    before = charged(NIC_COST_ALPU_CYCLE);
    nic->model->clock.now += cycles * cycle;
    must(nic_timed_list_match(list, 0, 0, &tag) && tag == 7);
    waited = charged(NIC_COST_ALPU_CYCLE) - before;
    end();
    return waited;
}

/* The unit goes on while the processor does something else, cycle by cycle. */
START_TEST(meanwhile)
{
    const uint64_t at_once = found_after(0);
    for (uint64_t cycles = 1; cycles < 20; cycles++)
        ck_assert_uint_eq(found_after(cycles), at_once - cycles);
}
END_TEST

static int proxy_copy(uint32_t bytes)
{
    static unsigned char memory[4 * NIC_PROXY_BYTES];
    struct nic_governor *g = nic->model->governor;
    struct nic_proxy_copy *e = nic_proxy_box(g, 0);
    e->address = (uint64_t)(uintptr_t)memory;
    e->bytes = bytes;
    e->write = false;
    e->next = 0;
    atomic_store(&e->asked, 1);
    atomic_store(&nic_governor_rank(g, 0)->proxy_copies, 1);
    nic_proxy_copies_do(nic);
    must(!atomic_load(&e->asked));
    return e->result;
}

START_TEST(proxy_copies)
{
    set_up(ENTRIES, 0);
    ck_assert_int_eq(proxy_copy(8), 0);
    ck_assert_int_eq(proxy_copy(NIC_PROXY_BYTES), 0);
    ck_assert_int_eq(proxy_copy(NIC_PROXY_BYTES + 1), -EINVAL);
    ck_assert_int_eq(proxy_copy(UINT32_MAX), -EINVAL);
    end();
}
END_TEST

/* The list of those who ask names a rank that there is not. */
START_TEST(proxy_copy_of_nobody)
{
    set_up(ENTRIES, 0);
    struct nic_governor *g = nic->model->governor;
    for (uint32_t who = 2; who; who *= 2) {
        atomic_store(&nic_governor_rank(g, 0)->proxy_copies, who);
        nic_proxy_copies_do(nic);
        ck_assert(!nic_proxy_copies_asked(nic));
    }
    end();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lists");
    TCase *tcase = tcase_create("lists");

    tcase_add_test(tcase, all_fit);
    tcase_add_test(tcase, one_too_many);
    tcase_add_test(tcase, first_bytes);
    tcase_add_test(tcase, apart);
    tcase_add_test(tcase, updates);
    tcase_add_test(tcase, meanwhile);
    tcase_add_test(tcase, proxy_copies);
    tcase_add_test(tcase, proxy_copy_of_nobody);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
