/* Groups: set operations, choices, translations, and the refusal of wrong arguments; the contexts
 * of an intercommunicator, which two groups have.  This process is rank 3 of 8. */
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include "alone.h"
#include "core/comm.h"
#include "core/context.h"
#include "core/group.h"

/* A group of these ranks of MPI_COMM_WORLD; n of them follow. */
static MPI_Group make(int n, ...)
{
    int world[ALONE_SIZE];
    MPI_Group group;
    va_list args;

    va_start(args, n);
    for (int i = 0; i < n; i++)
        world[i] = va_arg(args, int);
    va_end(args);
    ck_assert_int_eq(mpi_group_new(n, world, &group), MPI_SUCCESS);
    return group;
}

/* Fails unless the group has these members in this order; frees it. */
static void check_members(MPI_Group group, int n, ...)
{
    const struct mpi_group *g = mpi_group_get(group);
    int size = -1, rank = -1, expected = MPI_UNDEFINED;
    va_list args;

    ck_assert_ptr_nonnull(g);
    ck_assert_int_eq(MPI_Group_size(group, &size), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Group_rank(group, &rank), MPI_SUCCESS);
    ck_assert_int_eq(size, n);
    va_start(args, n);
    for (int i = 0; i < n; i++) {
        ck_assert_int_eq(g->world[i], va_arg(args, int));
        expected = g->world[i] == ALONE_RANK ? i : expected;
    }
    va_end(args);
    ck_assert_int_eq(rank, expected);
    ck_assert_int_eq(group == MPI_GROUP_EMPTY, n == 0);
    ck_assert_int_eq(MPI_Group_free(&group), MPI_SUCCESS);
    ck_assert_ptr_eq(group, MPI_GROUP_NULL);
}

START_TEST(new_group)
{
    MPI_Group group;

    ck_assert_int_eq(mpi_group_new(4, NULL, &group), MPI_SUCCESS);
    check_members(group, 4, 0, 1, 2, 3);
    check_members(make(3, 7, 3, 5), 3, 7, 3, 5);
    check_members(make(0), 0);
}
END_TEST

typedef int set_function(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup);

static MPI_Group combined(set_function *fn, MPI_Group a, MPI_Group b)
{
    MPI_Group result;

    ck_assert_int_eq(fn(a, b, &result), MPI_SUCCESS);
    return result;
}

START_TEST(sets)
{
    MPI_Group a = make(4, 6, 1, 3, 0), b = make(3, 2, 3, 6);

    check_members(combined(MPI_Group_union, a, b), 5, 6, 1, 3, 0, 2);
    check_members(combined(MPI_Group_union, b, a), 5, 2, 3, 6, 1, 0);
    check_members(combined(MPI_Group_intersection, a, b), 2, 6, 3);
    check_members(combined(MPI_Group_intersection, b, a), 2, 3, 6);
    check_members(combined(MPI_Group_difference, a, b), 2, 1, 0);
    check_members(combined(MPI_Group_difference, b, a), 1, 2);
    check_members(combined(MPI_Group_difference, a, a), 0);
    check_members(combined(MPI_Group_union, a, MPI_GROUP_EMPTY), 4, 6, 1, 3, 0);
    check_members(combined(MPI_Group_union, MPI_GROUP_EMPTY, MPI_GROUP_EMPTY), 0);
    check_members(combined(MPI_Group_intersection, a, MPI_GROUP_EMPTY), 0);
    check_members(combined(MPI_Group_difference, MPI_GROUP_EMPTY, a), 0);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
}
END_TEST

/* A union has room for both groups, and touches no other: each is put where one of two members was
 * that has others before and behind it. */
START_TEST(unions_have_room)
{
    enum { ROW = 32 };
    MPI_Group all = make(8, 0, 1, 2, 3, 4, 5, 6, 7), pair = make(2, 6, 7), row[ROW];

    for (int i = 0; i < ROW; i++)
        row[i] = make(2, 4, 5);
    for (int i = 0; i < ROW; i += 2)
        MPI_Group_free(&row[i]);
    for (int i = 0; i < ROW; i += 2)
        row[i] = combined(MPI_Group_union, i % 4 ? pair : MPI_GROUP_EMPTY, all);
    for (int i = 1; i < ROW; i += 2)
        check_members(row[i], 2, 4, 5);
    for (int i = 0; i < ROW; i += 4) {
        check_members(row[i], 8, 0, 1, 2, 3, 4, 5, 6, 7);
        check_members(row[i + 2], 8, 6, 7, 0, 1, 2, 3, 4, 5);
    }
    MPI_Group_free(&pair);
    MPI_Group_free(&all);
}
END_TEST

/* The set operations on all pairs of subsets of 4 ranks, against their definition on bit masks. */
static MPI_Group of_mask(unsigned mask)
{
    int world[ALONE_SIZE], n = 0;
    MPI_Group group;

    for (int i = 0; i < ALONE_SIZE; i++)
        if (mask >> i & 1)
            world[n++] = i;
    ck_assert_int_eq(mpi_group_new(n, world, &group), MPI_SUCCESS);
    return group;
}

static unsigned take_mask(MPI_Group group)
{
    const struct mpi_group *g = mpi_group_get(group);
    unsigned mask = 0;

    for (int i = 0; i < g->size; i++) {
        ck_assert_uint_eq(mask >> g->world[i] & 1, 0);
        mask |= 1u << g->world[i];
    }
    MPI_Group_free(&group);
    return mask;
}

START_TEST(all_subsets)
{
    for (unsigned x = 0; x < 16; x++)
        for (unsigned y = 0; y < 16; y++) {
            MPI_Group a = of_mask(x << 2), b = of_mask(y << 2);
            int result;

            ck_assert_uint_eq(take_mask(combined(MPI_Group_union, a, b)), (x | y) << 2);
            ck_assert_uint_eq(take_mask(combined(MPI_Group_intersection, a, b)), (x & y) << 2);
            ck_assert_uint_eq(take_mask(combined(MPI_Group_difference, a, b)), (x & ~y) << 2);
            ck_assert_int_eq(MPI_Group_compare(a, b, &result), MPI_SUCCESS);
            ck_assert_int_eq(result, x == y ? MPI_IDENT : MPI_UNEQUAL);
            MPI_Group_free(&a);
            MPI_Group_free(&b);
        }
}
END_TEST

START_TEST(compare)
{
    MPI_Group a = make(3, 1, 2, 3), b = make(3, 3, 2, 1), c = make(3, 1, 2, 4), d = make(2, 1, 2);
    int result;

    ck_assert_int_eq(MPI_Group_compare(a, a, &result), MPI_SUCCESS);
    ck_assert_int_eq(result, MPI_IDENT);
    ck_assert_int_eq(MPI_Group_compare(a, b, &result), MPI_SUCCESS);
    ck_assert_int_eq(result, MPI_SIMILAR);
    ck_assert_int_eq(MPI_Group_compare(a, c, &result), MPI_SUCCESS);
    ck_assert_int_eq(result, MPI_UNEQUAL);
    ck_assert_int_eq(MPI_Group_compare(a, d, &result), MPI_SUCCESS);
    ck_assert_int_eq(result, MPI_UNEQUAL);
    ck_assert_int_eq(MPI_Group_compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &result), MPI_SUCCESS);
    ck_assert_int_eq(result, MPI_IDENT);
    take_mask(a);
    take_mask(b);
    take_mask(c);
    take_mask(d);
}
END_TEST

START_TEST(lists)
{
    MPI_Group a = make(5, 6, 1, 3, 0, 7), result;
    const int ranks[] = { 4, 0, 2 };

    ck_assert_int_eq(MPI_Group_incl(a, 3, ranks, &result), MPI_SUCCESS);
    check_members(result, 3, 7, 6, 3);
    ck_assert_int_eq(MPI_Group_excl(a, 3, ranks, &result), MPI_SUCCESS);
    check_members(result, 2, 1, 0);
    ck_assert_int_eq(MPI_Group_incl(a, 0, NULL, &result), MPI_SUCCESS);
    check_members(result, 0);
    ck_assert_int_eq(MPI_Group_excl(a, 0, NULL, &result), MPI_SUCCESS);
    check_members(result, 5, 6, 1, 3, 0, 7);
    take_mask(a);
}
END_TEST

START_TEST(ranges)
{
    MPI_Group a = of_mask(0xff), result;
    int ranges[][3] = { { 6, 2, -2 }, { 1, 1, INT_MAX }, { 3, 6, 4 } };

    ck_assert_int_eq(MPI_Group_range_incl(a, 3, ranges, &result), MPI_SUCCESS);
    check_members(result, 5, 6, 4, 2, 1, 3);
    ck_assert_int_eq(MPI_Group_range_excl(a, 3, ranges, &result), MPI_SUCCESS);
    check_members(result, 3, 0, 5, 7);
    ck_assert_int_eq(MPI_Group_range_incl(a, 0, NULL, &result), MPI_SUCCESS);
    check_members(result, 0);
    take_mask(a);
}
END_TEST

START_TEST(translate)
{
    MPI_Group a = make(4, 6, 1, 3, 0), b = make(3, 3, 5, 6);
    int from[] = { 0, 1, 2, 3, MPI_PROC_NULL, 0 }, to[6];

    ck_assert_int_eq(MPI_Group_translate_ranks(a, 6, from, b, to), MPI_SUCCESS);
    ck_assert(to[0] == 2 && to[1] == MPI_UNDEFINED && to[2] == 0 && to[3] == MPI_UNDEFINED);
    ck_assert(to[4] == MPI_PROC_NULL && to[5] == 2);
    ck_assert_int_eq(MPI_Group_translate_ranks(a, 0, NULL, b, NULL), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Group_translate_ranks(a, 1, from, MPI_GROUP_EMPTY, to), MPI_SUCCESS);
    ck_assert_int_eq(to[0], MPI_UNDEFINED);
    from[1] = 4;
    ck_assert_int_eq(MPI_Group_translate_ranks(a, 2, from, b, to), MPI_ERR_RANK);
    from[1] = MPI_ANY_SOURCE;
    ck_assert_int_eq(MPI_Group_translate_ranks(a, 2, from, b, to), MPI_ERR_RANK);
    take_mask(a);
    take_mask(b);
}
END_TEST

START_TEST(no_group)
{
    MPI_Group dead = make(1, 2), copy = dead, result;
    int n, list[1] = { 0 };

    ck_assert_int_eq(MPI_Group_free(&dead), MPI_SUCCESS);
    ck_assert_int_eq(MPI_Group_free(&copy), MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_free(NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_size(copy, &n), MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_rank((MPI_Group)MPI_COMM_WORLD, &n), MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_compare(MPI_GROUP_EMPTY, copy, &n), MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_union(MPI_GROUP_NULL, MPI_GROUP_EMPTY, &result), MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_intersection(MPI_GROUP_EMPTY, MPI_GROUP_NULL, &result),
                     MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_incl(copy, 0, NULL, &result), MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_translate_ranks(MPI_GROUP_EMPTY, 0, NULL, copy, NULL),
                     MPI_ERR_GROUP);
    ck_assert_int_eq(MPI_Group_translate_ranks(copy, 1, list, MPI_GROUP_EMPTY, list),
                     MPI_ERR_GROUP);
}
END_TEST

START_TEST(wrong_arguments)
{
    MPI_Group a = make(3, 0, 1, 2), result;
    const int twice[] = { 1, 2, 1 }, beyond[] = { 0, 3 }, negative[] = { -1 };
    int no_step[][3] = { { 0, 1, 0 } }, away[][3] = { { 2, 0, 1 } },
        over[][3] = { { 0, 2, 1 }, { 2, 2, 1 } };
    int outside[][3] = { { 1, 9, 1 } };

    ck_assert_int_eq(MPI_Group_size(a, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_rank(a, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_compare(a, a, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_union(a, a, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_incl(a, -1, twice, &result), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_incl(a, 1, NULL, &result), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_incl(a, 1, twice, NULL), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_incl(a, 3, twice, &result), MPI_ERR_RANK);
    ck_assert_int_eq(MPI_Group_excl(a, 3, twice, &result), MPI_ERR_RANK);
    ck_assert_int_eq(MPI_Group_excl(a, 2, beyond, &result), MPI_ERR_RANK);
    ck_assert_int_eq(MPI_Group_incl(a, 1, negative, &result), MPI_ERR_RANK);
    ck_assert_int_eq(MPI_Group_incl(MPI_GROUP_EMPTY, 1, beyond, &result), MPI_ERR_RANK);
    ck_assert_int_eq(MPI_Group_range_incl(a, 1, no_step, &result), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_range_excl(a, 1, away, &result), MPI_ERR_ARG);
    ck_assert_int_eq(MPI_Group_range_incl(a, 2, over, &result), MPI_ERR_RANK);
    ck_assert_int_eq(MPI_Group_range_incl(a, 1, outside, &result), MPI_ERR_RANK);
    ck_assert_int_eq(MPI_Group_translate_ranks(a, 2, twice, a, NULL), MPI_ERR_ARG);
    take_mask(a);
}
END_TEST

/* With an intercommunicator both contexts end that it had: its own, which is that of both groups,
 * and the local group's. */
START_TEST(contexts_of_two_groups)
{
    uint64_t before[MPI_CONTEXT_WORDS];
    static const int ranks[] = { 2, ALONE_RANK }, peers[] = { 5, 6, 7 };
    struct mpi_comm *c = calloc(1, sizeof *c);
    int *world = malloc(sizeof ranks), *peer_world = malloc(sizeof peers);
    ck_assert(c && world && peer_world);
    memcpy(world, ranks, sizeof ranks);
    memcpy(peer_world, peers, sizeof peers);
    *c = (struct mpi_comm){ .rank = 1, .size = 2, .peers = 3, .world = world,
                            .peer_world = peer_world, .errhandler = MPI_ERRORS_RETURN };
    ck_assert(mpi_inter_new(c, false));
    mpi_contexts_init();
    memcpy(before, mpi_context_window(0), sizeof before);
    mpi_context_take(100);
    mpi_context_take(101);
    c->context = c->inter->both->context = 2 * 100;
    c->inter->local->context = 2 * 101;
    ck_assert(memcmp(before, mpi_context_window(0), sizeof before) != 0);
    mpi_comm_end(c);
    ck_assert(!memcmp(before, mpi_context_window(0), sizeof before));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("group");
    TCase *tc = tcase_create("group");

    alone_start();
    tcase_add_test(tc, new_group);
    tcase_add_test(tc, sets);
    tcase_add_test(tc, unions_have_room);
    tcase_add_test(tc, all_subsets);
    tcase_add_test(tc, compare);
    tcase_add_test(tc, lists);
    tcase_add_test(tc, ranges);
    tcase_add_test(tc, translate);
    tcase_add_test(tc, no_group);
    tcase_add_test(tc, wrong_arguments);
    tcase_add_test(tc, contexts_of_two_groups);
    suite_add_tcase(suite, tc);
    return alone_run(suite);
}
