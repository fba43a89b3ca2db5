/* Ranks onto places of a grid, on machines that are made up: pairs of neighbours that sit in
 * different packages and caches, before and after. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "core/grid_place.h"

enum { RANKS_MAX = 4096, DIMS_MAX = 4 };

/* Sockets with caches with cores; round: ranks go round the sockets, else they fill them. */
struct machine { int sockets, caches, cores; bool round; };

static struct nic_seat seat_of(const struct machine *m, int rank)
{
    int each = m->caches * m->cores;
    int socket = m->round ? rank % m->sockets : rank / each % m->sockets;
    int core = m->round ? rank / m->sockets % each : rank % each, cache = core / m->cores;
    struct nic_seat s = { { 0 } };

    s.in[NIC_SEAT_SOCKET] = s.in[NIC_SEAT_NODE] = (uint16_t)socket;
    s.in[NIC_SEAT_L3] = (uint16_t)(socket * m->caches + cache);
    s.in[NIC_SEAT_L2] = s.in[NIC_SEAT_CORE] = (uint16_t)(socket * each + core);
    return s;
}

struct grid { int n, dims[DIMS_MAX], periods[DIMS_MAX]; };

static int places(const struct grid *g)
{
    int n = 1;

    for (int i = 0; i < g->n; i++)
        n *= g->dims[i];
    return n;
}

static int rank_at[RANKS_MAX];
static struct nic_seat seat[RANKS_MAX];

/* Each rank has one place, and neighbours are no further apart than they were. */
static struct mpi_crossings place(const struct grid *g, struct mpi_crossings *before)
{
    static int order[RANKS_MAX], seen[RANKS_MAX];
    struct mpi_crossings after;
    int level = 0;

    memset(seen, 0, sizeof seen);
    for (int i = 0; i < places(g); i++)
        order[i] = i;
    ck_assert(mpi_grid_place(g->n, g->dims, g->periods, seat, rank_at));
    for (int i = 0; i < places(g); i++)
        ck_assert_int_eq(seen[rank_at[i]]++, 0);
    *before = mpi_grid_crossings(g->n, g->dims, g->periods, seat, order);
    after = mpi_grid_crossings(g->n, g->dims, g->periods, seat, rank_at);
    while (level < NIC_SEAT_LEVELS - 1 && after.of[level] == before->of[level])
        level++;
    ck_assert_int_le(after.of[level], before->of[level]);
    return after;
}

/* Pairs across sockets and across caches of one socket. */
static void expect(struct grid g, struct machine m, int sockets, int caches, int sockets_after,
                   int caches_after)
{
    struct mpi_crossings before, after;

    for (int i = 0; i < places(&g); i++)
        seat[i] = seat_of(&m, i);
    after = place(&g, &before);
    ck_assert_int_eq(before.of[NIC_SEAT_SOCKET], sockets);
    ck_assert_int_eq(before.of[NIC_SEAT_L3], caches);
    ck_assert_int_eq(after.of[NIC_SEAT_SOCKET], sockets_after);
    ck_assert_int_eq(after.of[NIC_SEAT_L3], caches_after);
}

START_TEST(blocks)
{
    struct grid four = { 2, { 4, 4 }, { 0 } }, eight = { 2, { 8, 8 }, { 0 } };
    struct grid cube = { 3, { 4, 4, 4 }, { 0 } }, torus = { 3, { 8, 4, 4 }, { 1, 1, 1 } };

    expect(four, (struct machine){ 4, 1, 4, false }, 12, 0, 8, 0);
    expect(four, (struct machine){ 2, 2, 4, false }, 4, 8, 4, 4);
    expect(eight, (struct machine){ 4, 2, 8, false }, 24, 32, 16, 16);
    expect(eight, (struct machine){ 4, 2, 8, true }, 56, 8, 16, 16);
    expect(cube, (struct machine){ 8, 1, 8, true }, 96, 0, 48, 0);
    expect(torus, (struct machine){ 2, 8, 8, true }, 128, 128, 32, 160);
    expect((struct grid){ 2, { 64, 64 }, { 0 } }, (struct machine){ 64, 8, 8, false }, 4032, 448,
           896, 2048);
}
END_TEST

/* Packages that get no block of equal size. */
START_TEST(uneven)
{
    expect((struct grid){ 2, { 3, 2 }, { 0 } }, (struct machine){ 2, 1, 4, false }, 2, 0, 2, 0);
    expect((struct grid){ 2, { 2, 3 }, { 0 } }, (struct machine){ 2, 1, 4, false }, 3, 0, 2, 0);
    expect((struct grid){ 2, { 7, 5 }, { 0 } }, (struct machine){ 4, 1, 9, false }, 18, 0, 15, 0);
    expect((struct grid){ 2, { 12, 1 }, { 0 } }, (struct machine){ 3, 2, 2, true }, 11, 0, 2, 3);
}
END_TEST

/* Nothing is gained: the order stays. */
START_TEST(no_change)
{
    expect((struct grid){ 0 }, (struct machine){ 1, 1, 1, false }, 0, 0, 0, 0);
    ck_assert_int_eq(rank_at[0], 0);
    expect((struct grid){ 2, { 4, 4 }, { 0 } }, (struct machine){ 1, 1, 16, false }, 0, 0, 0, 0);
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(rank_at[i], i);
    expect((struct grid){ 1, { 8 }, { 1 } }, (struct machine){ 2, 1, 4, false }, 2, 0, 2, 0);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(rank_at[i], i);
}
END_TEST

/* Any seats: those of random numbers are as bad as can be. */
START_TEST(random_seats)
{
    struct mpi_crossings before;

    srand(5);
    for (int round = 0; round < 300; round++) {
        struct grid g = { .n = 1 + rand() % DIMS_MAX };
        for (int i = 0; i < g.n; i++) {
            g.dims[i] = 1 + rand() % 6;
            g.periods[i] = rand() % 2;
        }
        for (int i = 0; i < places(&g); i++)
            for (int level = 0; level < NIC_SEAT_LEVELS; level++)
                seat[i].in[level] = (uint16_t)(rand() % (1 + round % 5));
        place(&g, &before);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("grid_place");
    TCase *tc = tcase_create("grid_place");

    tcase_add_test(tc, blocks);
    tcase_add_test(tc, uneven);
    tcase_add_test(tc, no_change);
    tcase_add_test(tc, random_seats);
    suite_add_tcase(s, tc);
    return suite_run(s);
}
