/* Ranks of a node on the model clock: who may use what they share, and who is woken for it. */
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "loop.h"
#include "time/governor.h"

enum { LATER = 1000 };

static struct nic_governor make(unsigned ranks, unsigned of_node, unsigned cores)
{
    struct nic_governor g = { .set = { .cores = cores, .lookahead = 10 } };
    size_t bytes = nic_governor_bytes(ranks);
    void *at = aligned_alloc(64, bytes);

    must(at);
    memset(at, 0, bytes);
    g.set.profile.node.ranks = of_node;
    nic_governor_point(&g, at, ranks);
    nic_governor_init(&g);
    for (unsigned r = 0; r < ranks; r++)
        nic_governor_mark_awake(&g, r);
    return g;
}

static void set(struct nic_governor *g, unsigned rank, uint64_t at, uint64_t promise)
{
    nic_governor_set_promise(g, rank, promise);
    nic_governor_set_at(g, rank, at);
}

static bool is_asleep(struct nic_governor *g, unsigned rank)
{
    return nic_governor_rank(g, rank)->state == NIC_GOVERNED_ASLEEP;
}

static void wake_safe(struct nic_governor *g)
{
    nic_governor_lock(g);
    nic_governor_wake_safe(g);
    nic_governor_unlock(g);
}

/* 7 ranks, 3 to a node: {0 1 2} {3 4 5} {6}. */
START_TEST(nodes_are_rows)
{
    struct nic_governor g = make(7, 3, 0);
    struct nic_nodes *n = &g.node;

    ck_assert_uint_eq(nic_node_first(n, 5), 3);
    ck_assert_uint_eq(nic_node_end(n, 5), 6);
    ck_assert_uint_eq(nic_node_first(n, 6), 6);
    ck_assert_uint_eq(nic_node_end(n, 6), 7);
    ck_assert(nic_node_is_same(n, 0, 2) && !nic_node_is_same(n, 2, 3));
    nic_nodes_set(n, 100);              /* all ranks are one node then */
    ck_assert_uint_eq(nic_node_end(n, 3), 7);
    nic_nodes_set(n, 0);
    ck_assert(!nic_nodes_share(n) && !nic_node_is_same(n, 1, 1));
    ck_assert_uint_eq(nic_node_limit(n, 1), NIC_NEVER);
    free(g.shared);
}
END_TEST

/* Before all others of the node; at the same time the lesser rank; other nodes do not count. */
START_TEST(the_first_goes)
{
    struct nic_governor g = make(6, 3, 0);

    for (unsigned r = 0; r < 6; r++)
        set(&g, r, 100, 1000);
    set(&g, 4, 50, 1000);
    ck_assert_uint_eq(nic_governor_horizon(&g, 0), 101);
    ck_assert_uint_eq(nic_governor_horizon(&g, 1), 100);
    ck_assert_uint_eq(nic_governor_horizon(&g, 2), 100);
    ck_assert_uint_eq(nic_governor_horizon(&g, 4), 100);
    ck_assert_uint_eq(nic_governor_horizon(&g, 3), 51);
    set(&g, 5, 100, 70);                /* a promise of another node does count */
    ck_assert_uint_eq(nic_governor_horizon(&g, 0), 70);
    free(g.shared);
}
END_TEST

/* A packet lets the receiver do something sooner, and its sender wait for that. */
START_TEST(what_comes_counts)
{
    struct nic_governor g = make(4, 2, 0);

    for (unsigned r = 0; r < 4; r++)
        set(&g, r, NIC_NEVER, NIC_NEVER);
    nic_governor_expect(&g, 1, 300, false);
    ck_assert_uint_eq(nic_node_limit(&g.node, 0), 301);
    ck_assert_uint_eq(nic_node_limit(&g.node, 1), NIC_NEVER);
    ck_assert_uint_eq(nic_node_limit(&g.node, 2), NIC_NEVER);
    ck_assert_uint_eq(nic_governor_horizon_after_send(&g, 0, 1, 300, false, LATER), 301);
    ck_assert_uint_eq(nic_governor_horizon_after_send(&g, 1, 0, 300, false, LATER), 300);
    nic_governor_mark_gone(&g, 1);
    ck_assert_uint_eq(nic_node_limit(&g.node, 0), NIC_NEVER);
    free(g.shared);
}
END_TEST

/* Whoever is first on its node is woken, and nobody behind it, though that one promises less. */
START_TEST(the_first_is_woken)
{
    struct nic_governor g = make(4, 2, _i ? 1 : 0);

    set(&g, 0, 200, 210);
    set(&g, 1, 100, 900);
    set(&g, 2, 300, 950);
    set(&g, 3, 400, 950);
    for (unsigned r = 0; r < 4; r++)
        nic_governor_mark_asleep(&g, r, 100 * (r < 2 ? 2 - r : r + 1));
    wake_safe(&g);
    ck_assert(is_asleep(&g, 0) && !is_asleep(&g, 1) && is_asleep(&g, 2) && is_asleep(&g, 3));
    nic_governor_mark_asleep(&g, 1, NIC_NEVER);
    set(&g, 1, NIC_NEVER, NIC_NEVER);   /* it waits: now the other is first */
    wake_safe(&g);
    ck_assert(!is_asleep(&g, 0) && is_asleep(&g, 1));
    free(g.shared);
}
END_TEST

/* Random times: somebody is always woken, and only those whom nobody of their node precedes. */
START_TEST(somebody_goes_on)
{
    uint64_t random = (uint64_t)_i + 1;
    const unsigned ranks = 1 + loop_below(&random, 20), of_node = 1 + loop_below(&random, 5);
    struct nic_governor g = make(ranks, of_node, loop_below(&random, 3));
    uint64_t next[20], least = NIC_NEVER;

    for (unsigned r = 0; r < ranks; r++) {
        next[r] = loop_below(&random, 50);
        set(&g, r, next[r], next[r] + 1 + loop_below(&random, 60));
        least = nic_time_sooner(least, nic_governor_promise(&g, r));
    }
    for (unsigned r = 0; r < ranks; r++)
        nic_governor_mark_asleep(&g, r, next[r]);
    wake_safe(&g);
    unsigned woken = 0;
    for (unsigned r = 0; r < ranks; r++) {
        if (is_asleep(&g, r))
            continue;
        woken++;
        ck_assert_uint_lt(next[r], least);
        for (unsigned m = 0; m < ranks && of_node > 1; m++)
            ck_assert(m == r || !nic_node_is_same(&g.node, m, r) || next[r] < next[m]
                      || (next[r] == next[m] && r < m));
    }
    ck_assert_uint_gt(woken, 0);
    free(g.shared);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("node");
    TCase *t = tcase_create("node");

    tcase_add_test(t, nodes_are_rows);
    tcase_add_test(t, the_first_goes);
    tcase_add_test(t, what_comes_counts);
    tcase_add_loop_test(t, the_first_is_woken, 0, 2);
    tcase_add_loop_test(t, somebody_goes_on, 0, 500);
    suite_add_tcase(s, t);
    return loop_run(s);
}
