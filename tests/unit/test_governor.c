/* Groups of ranks that share a core, on the model clock: who is woken, for whatever numbers of
 * ranks and groups, and who is woken in place of another. */
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "time/governor.h"

enum { NEXT = 1000, PROMISE = 3000, LOOKAHEAD = 10 };

static struct nic_governor make(unsigned ranks, unsigned groups)
{
    struct nic_governor g = { .set = { .cores = groups, .groups = groups,
                                       .lookahead = LOOKAHEAD } };
    size_t bytes = nic_governor_bytes(ranks);
    void *at = aligned_alloc(64, bytes);

    must(at);
    memset(at, 0, bytes);
    nic_governor_point(&g, at, ranks);
    nic_governor_init(&g);
    for (unsigned r = 0; r < ranks; r++)
        nic_governor_mark_awake(&g, r);
    return g;
}

static bool is_asleep(struct nic_governor *g, unsigned rank)
{
    return nic_governor_rank(g, rank)->state == NIC_GOVERNED_ASLEEP;
}

/* Rings nobody: there are no sleepers in the kernel. */
static void wake_safe(struct nic_governor *g)
{
    nic_governor_lock(g);
    nic_governor_wake_safe(g);
    nic_governor_unlock(g);
}

static uint64_t promise_of(unsigned rank) { return PROMISE + rank * 7 % 5; }

static void all_asleep(struct nic_governor *g)
{
    for (unsigned r = 0; r < g->ranks; r++) {
        nic_governor_set_promise(g, r, promise_of(r));
        nic_governor_mark_asleep(g, r, NEXT + r);
    }
}

/* Least promise, and the least rank of those. */
static unsigned first_turn(const struct nic_governor *g, uint32_t group)
{
    unsigned first = g->ranks;
    for (unsigned r = 0; r < g->ranks; r++)
        if (nic_group_of(g, r) == group
            && (first == g->ranks || promise_of(r) < promise_of(first)))
            first = r;
    return first;
}

static unsigned last_of(const struct nic_governor *g, uint32_t group)
{
    unsigned last = 0;
    for (unsigned r = 0; r < g->ranks; r++)
        last = nic_group_of(g, r) == group ? r : last;
    return last;
}

static const unsigned some[] = { 1, 2, 3, 5, 8, 12, 16, 24, 33, 64, 100, 257 };

#define EACH(i) (unsigned i = 0; i < sizeof some / sizeof *some; i++)
#define EACH_GROUPING(ranks, groups) \
    for EACH(i_) \
        for (unsigned ranks = some[i_], groups = 1; groups <= ranks && groups <= NIC_GROUPS; \
             groups++)

/* Ranks in a row, no group two larger than another; none is empty. */
START_TEST(groups_are_even)
{
    EACH_GROUPING(ranks, groups) {
        struct nic_governor g = make(ranks, groups);
        unsigned members[NIC_GROUPS] = { 0 };
        for (unsigned r = 0; r < ranks; r++) {
            must(nic_group_of(&g, r) < groups);
            must(!r || nic_group_of(&g, r) >= nic_group_of(&g, r - 1));
            members[nic_group_of(&g, r)]++;
        }
        for (unsigned k = 0; k < groups; k++)
            must(members[k] == ranks / groups || members[k] == (ranks + groups - 1) / groups);
        free(g.shared);
    }
}
END_TEST

/* One of each group, the one with the least promise; and nobody while that one is awake. */
START_TEST(one_of_each_group)
{
    EACH_GROUPING(ranks, groups) {
        struct nic_governor g = make(ranks, groups);
        all_asleep(&g);
        must(nic_governor_awaited(&g, PROMISE + 100));
        must(!nic_governor_awaited(&g, PROMISE - 1));
        for (unsigned lap = 0; lap < 2; lap++) {
            wake_safe(&g);
            for (unsigned r = 0; r < ranks; r++)
                must(is_asleep(&g, r) == (r != first_turn(&g, nic_group_of(&g, r))));
        }
        must(!nic_governor_awaited(&g, PROMISE + 100));
        free(g.shared);
    }
}
END_TEST

/* Nobody is at or beyond the least promise. */
START_TEST(unsafe_ones_sleep)
{
    EACH_GROUPING(ranks, groups) {
        struct nic_governor g = make(ranks, groups);
        for (unsigned r = 0; r < ranks; r++) {
            nic_governor_set_promise(&g, r, promise_of(r));
            nic_governor_mark_asleep(&g, r, PROMISE + r);
        }
        wake_safe(&g);
        for (unsigned r = 0; r < ranks; r++)
            must(is_asleep(&g, r));
        free(g.shared);
    }
}
END_TEST

/* Who watches is woken in place of the first in turn, and wakes that one when it sleeps again. */
START_TEST(watchers)
{
    EACH_GROUPING(ranks, groups) {
        struct nic_governor g = make(ranks, groups);
        all_asleep(&g);
        for (unsigned k = 0; k < groups; k++)
            must(nic_governor_watch(&g, last_of(&g, k)));
        wake_safe(&g);
        for (unsigned r = 0; r < ranks; r++)
            must(is_asleep(&g, r) == (r != last_of(&g, nic_group_of(&g, r))));
        for (unsigned k = 0; k < groups; k++)
            nic_governor_mark_asleep(&g, last_of(&g, k), NEXT + last_of(&g, k));
        wake_safe(&g);
        for (unsigned k = 0; k < groups; k++) {
            must(!is_asleep(&g, first_turn(&g, k)));
            must(!nic_governor_watch(&g, last_of(&g, k)));
        }
        free(g.shared);
    }
}
END_TEST

/* Whoever is woken by somebody else does not watch any more when it sleeps. */
START_TEST(who_stops_watching)
{
    struct nic_governor g = make(8, 2);
    all_asleep(&g);
    must(nic_governor_watch(&g, 1));
    nic_governor_rank(&g, 1)->bell = 1;
    nic_governor_sleep(&g, 1, 0, 10);           /* it has been rung already */
    must(g.shared->watcher[0] == 2);
    nic_governor_wake(&g, 2);
    must(!is_asleep(&g, 2) && is_asleep(&g, 1));
    nic_governor_mark_asleep(&g, 2, NEXT);
    must(!g.shared->watcher[0] && !g.shared->watcher[1]);
    free(g.shared);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("governor");
    TCase *tcase = tcase_create("governor");

    tcase_add_test(tcase, groups_are_even);
    tcase_add_test(tcase, one_of_each_group);
    tcase_add_test(tcase, unsafe_ones_sleep);
    tcase_add_test(tcase, watchers);
    tcase_add_test(tcase, who_stops_watching);
    suite_add_tcase(suite, tcase);
    return loop_run(suite);
}
