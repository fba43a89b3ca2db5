/* The network of nodes on the model clock: where ranks are, how far from each other, and how many
 * nodes there are along each side. */
#include <stdlib.h>

#include "suite.h"
#include "time/network.h"

static struct nic_profile profile(enum nic_topology_kind kind, unsigned x, unsigned y, unsigned z)
{
    struct nic_profile p = { .name = "" };
    p.link.topology = kind;
    p.link.x = x;
    p.link.y = y;
    p.link.z = z;
    p.node.ranks = p.pgas.ranks = 1;
    return p;
}

static struct nic_network network(enum nic_topology_kind kind, unsigned x, unsigned y, unsigned z,
                                  unsigned ranks)
{
    struct nic_profile p = profile(kind, x, y, z);
    struct nic_network n;
    ck_assert(nic_network_of(&p, ranks, &n));
    return n;
}

/* -- distances, beside a search along the links */

/* One more or one less along this axis; -1: there is no link. */
static int neighbour(const struct nic_network *n, int node, unsigned axis, int step)
{
    int below = 1, side = (int)n->side[axis], at, next;
    for (unsigned i = 0; i < axis; i++)
        below *= (int)n->side[i];
    at = node / below % side;
    next = at + step;
    if (n->wraps[axis])
        next = (next + side) % side;
    return next < 0 || next >= side ? -1 : node + (next - at) * below;
}

/* Breadth first. */
static void search(const struct nic_network *n, int from, int nodes, int *far)
{
    int *queue = calloc((size_t)nodes, sizeof *queue), head = 0, tail = 0;
    ck_assert_ptr_nonnull(queue);
    for (int i = 0; i < nodes; i++)
        far[i] = -1;
    far[from] = 0;
    queue[tail++] = from;
    while (head < tail) {
        int node = queue[head++];
        for (unsigned axis = 0; axis < NIC_NETWORK_AXES; axis++)
            for (int step = -1; step <= 1; step += 2) {
                int next = neighbour(n, node, axis, step);
                if (next < 0 || far[next] >= 0)
                    continue;
                far[next] = far[node] + 1;
                queue[tail++] = next;
            }
    }
    free(queue);
}

static void compare(const struct nic_network *n)
{
    int nodes = (int)(n->side[0] * n->side[1] * n->side[2]);
    int *far = calloc((size_t)nodes, sizeof *far);
    ck_assert_ptr_nonnull(far);
    for (int from = 0; from < nodes; from++) {
        search(n, from, nodes, far);
        for (int to = 0; to < nodes; to++)
            ck_assert_uint_eq(nic_network_hops(n, (unsigned)from * n->of_node,
                                               (unsigned)to * n->of_node + n->of_node - 1),
                              (unsigned)far[to]);
    }
    free(far);
}

START_TEST(hops_are_shortest_ways)
{
    static const unsigned sides[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 5, 1, 1 }, { 4, 4, 2 },
                                         { 3, 5, 2 }, { 1, 1, 6 }, { 2, 3, 7 } };
    for (enum nic_topology_kind kind = NIC_TOPOLOGY_MESH; kind <= NIC_TOPOLOGY_MIXED; kind++)
        for (unsigned i = 0; i < sizeof sides / sizeof *sides; i++) {
            struct nic_network n = network(kind, sides[i][0], sides[i][1], sides[i][2], 1);
            compare(&n);
            n.of_node = 3;
            compare(&n);
        }
}
END_TEST

/* Along the links of neighbours, and no longer than it must be. */
static void walk(const struct nic_network *n)
{
    const uint32_t nodes = nic_network_routers(n);
    for (uint32_t from = 0; from < nodes; from++)
        for (uint32_t to = 0; to < nodes; to++) {
            uint32_t at = from, left = nic_network_hops(n, from, to);
            unsigned link;
            for (; at != to; left--) {
                uint32_t next = nic_network_next(n, at, to, &link);
                ck_assert_uint_gt(left, 0);
                ck_assert_uint_lt(link, NIC_NETWORK_TO_NODE);
                ck_assert_int_eq(neighbour(n, (int)at, link / 2, link % 2 ? -1 : 1), (int)next);
                at = next;
            }
            ck_assert_uint_eq(left, 0);
            ck_assert_uint_eq(nic_network_next(n, at, to, &link), to);
            ck_assert_uint_eq(link, NIC_NETWORK_TO_NODE);
        }
}

START_TEST(ways_are_shortest)
{
    static const unsigned sides[][3] = { { 1, 1, 1 }, { 2, 1, 1 }, { 5, 1, 1 }, { 4, 4, 2 },
                                         { 3, 5, 2 }, { 1, 1, 6 } };
    for (enum nic_topology_kind kind = NIC_TOPOLOGY_MESH; kind <= NIC_TOPOLOGY_MIXED; kind++)
        for (unsigned i = 0; i < sizeof sides / sizeof *sides; i++) {
            struct nic_network n = network(kind, sides[i][0], sides[i][1], sides[i][2], 1);
            walk(&n);
        }
}
END_TEST

/* Half around a ring both ways are as long: it goes up. */
START_TEST(half_around)
{
    struct nic_network ring = network(NIC_TOPOLOGY_TORUS, 4, 1, 1, 4);
    unsigned link;
    for (uint32_t from = 0; from < 4; from++) {
        ck_assert_uint_eq(nic_network_next(&ring, from, (from + 2) % 4, &link), (from + 1) % 4);
        ck_assert_uint_eq(link, 0);
    }
}
END_TEST

/* 4 x 4 x 2: (3, 3, 0) is rank 15, (0, 0, 1) is rank 16. */
START_TEST(rows_and_planes)
{
    struct nic_network mesh = network(NIC_TOPOLOGY_MESH, 4, 4, 2, 32),
        torus = network(NIC_TOPOLOGY_TORUS, 4, 4, 2, 32);
    ck_assert_uint_eq(nic_network_hops(&mesh, 0, 3), 3);
    ck_assert_uint_eq(nic_network_hops(&mesh, 0, 4), 1);
    ck_assert_uint_eq(nic_network_hops(&mesh, 0, 15), 6);
    ck_assert_uint_eq(nic_network_hops(&mesh, 0, 16), 1);
    ck_assert_uint_eq(nic_network_hops(&mesh, 15, 16), 7);
    ck_assert_uint_eq(nic_network_hops(&torus, 0, 3), 1);
    ck_assert_uint_eq(nic_network_hops(&torus, 0, 15), 2);
    ck_assert_uint_eq(nic_network_hops(&torus, 15, 16), 3);
    ck_assert_uint_eq(nic_network_hops(&torus, 7, 7), 0);
}
END_TEST

/* Red Storm's: only z comes round. */
START_TEST(mixed_wraps_in_z)
{
    struct nic_network n = network(NIC_TOPOLOGY_MIXED, 5, 5, 5, 125);
    ck_assert_uint_eq(nic_network_hops(&n, 0, 4), 4);
    ck_assert_uint_eq(nic_network_hops(&n, 0, 20), 4);
    ck_assert_uint_eq(nic_network_hops(&n, 0, 100), 1);
}
END_TEST

/* -- sides */

static void chosen(unsigned x, unsigned y, unsigned z, unsigned ranks, unsigned a, unsigned b,
                   unsigned c)
{
    struct nic_network n = network(NIC_TOPOLOGY_TORUS, x, y, z, ranks);
    ck_assert_uint_eq(n.side[0], a);
    ck_assert_uint_eq(n.side[1], b);
    ck_assert_uint_eq(n.side[2], c);
}

START_TEST(open_sides_are_chosen)
{
    chosen(0, 0, 0, 1, 1, 1, 1);
    chosen(0, 0, 0, 2, 2, 1, 1);
    chosen(0, 0, 0, 6, 3, 2, 1);
    chosen(0, 0, 0, 7, 2, 2, 2);        /* 3 x 2 x 1 has 6, and its sum is 6 too */
    chosen(0, 0, 0, 32, 4, 4, 2);
    chosen(0, 0, 0, 64, 4, 4, 4);
    chosen(0, 0, 0, 4096, 16, 16, 16);
    chosen(0, 1, 1, 100, 100, 1, 1);
    chosen(1, 0, 1, 100, 1, 100, 1);
    chosen(1, 1, 0, 100, 1, 1, 100);
    chosen(0, 0, 1, 12, 4, 3, 1);
    chosen(0, 0, 1, 65536, 256, 256, 1);
    chosen(5, 0, 0, 12, 5, 3, 1);
    chosen(8, 0, 0, 2, 8, 1, 1);
}
END_TEST

/* None with a smaller sum holds as many, nor one of that sum with less to spare. */
START_TEST(chosen_sides_are_least)
{
    for (unsigned nodes = 1; nodes <= 130; nodes++) {
        struct nic_network n = network(NIC_TOPOLOGY_MESH, 0, 0, 0, nodes);
        unsigned sum = n.side[0] + n.side[1] + n.side[2], all = n.side[0] * n.side[1] * n.side[2];
        ck_assert_uint_ge(all, nodes);
        for (unsigned x = 1; x <= nodes; x++)
            for (unsigned y = 1; y <= nodes; y++)
                for (unsigned z = 1; z <= sum && x + y + z <= sum; z++)
                    if (x * y * z >= nodes) {
                        ck_assert_uint_eq(x + y + z, sum);
                        ck_assert_uint_ge(x * y * z, all);
                    }
    }
}
END_TEST

START_TEST(too_few_nodes)
{
    struct nic_profile p = profile(NIC_TOPOLOGY_MESH, 2, 2, 2);
    struct nic_network n;
    ck_assert(nic_network_of(&p, 8, &n));
    ck_assert(!nic_network_of(&p, 9, &n));
    ck_assert_uint_eq(n.side[2], 2);
    p.node.ranks = 2;
    ck_assert(nic_network_of(&p, 16, &n) && n.of_node == 2);
    ck_assert(!nic_network_of(&p, 17, &n));
    p.pgas.unit = 1;                    /* then a node is that of the unit */
    p.pgas.ranks = 4;
    ck_assert(nic_network_of(&p, 32, &n) && n.of_node == 4);
    p.link.topology = NIC_TOPOLOGY_CROSSBAR;
    ck_assert(nic_network_of(&p, 1000, &n) && !nic_network_has_routers(&n));
}
END_TEST

/* Ranks that share a node are no hop from each other; others are at least one. */
START_TEST(least_hops)
{
    struct nic_profile p = profile(NIC_TOPOLOGY_TORUS, 0, 0, 0);
    struct nic_network n;
    nic_network_of(&p, 8, &n);
    ck_assert_uint_eq(nic_network_least(&n), 1);
    p.node.ranks = 2;
    nic_network_of(&p, 8, &n);
    ck_assert_uint_eq(nic_network_least(&n), 0);
    ck_assert_uint_eq(nic_network_hops(&n, 2, 3), 0);
    p.link.topology = NIC_TOPOLOGY_CROSSBAR;
    p.node.ranks = 1;
    nic_network_of(&p, 8, &n);
    ck_assert_uint_eq(nic_network_least(&n), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("network");
    TCase *t = tcase_create("network");

    tcase_add_test(t, hops_are_shortest_ways);
    tcase_add_test(t, ways_are_shortest);
    tcase_add_test(t, half_around);
    tcase_add_test(t, rows_and_planes);
    tcase_add_test(t, mixed_wraps_in_z);
    tcase_add_test(t, open_sides_are_chosen);
    tcase_add_test(t, chosen_sides_are_least);
    tcase_add_test(t, too_few_nodes);
    tcase_add_test(t, least_hops);
    suite_add_tcase(s, t);
    return suite_run(s);
}
