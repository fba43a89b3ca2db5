/* Groups: members, order, set operations, ranges, translation, comparison. */
#include "t.h"

static MPI_Group world;

/* The group holds just these world ranks in this order. */
static void check(MPI_Group group, int n, const int *want)
{
    int size, rank, own = MPI_UNDEFINED, places[64], members[64];

    OK(MPI_Group_size(group, &size));
    SAME(size, n);
    for (int i = 0; i < n; i++) {
        places[i] = i;
        if (want[i] == t_rank)
            own = i;
    }
    OK(MPI_Group_rank(group, &rank));
    SAME(rank, own);
    OK(MPI_Group_translate_ranks(group, n, places, world, members));
    for (int i = 0; i < n; i++)
        SAME(members[i], want[i]);
}

static void include_and_exclude(void)
{
    int ends[2] = {t_size - 1, 0}, n = t_size > 1 ? 2 : 1, rest[64];
    MPI_Group group;

    OK(MPI_Group_incl(world, n, ends, &group));
    check(group, n, ends);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_excl(world, n, ends, &group));
    for (int i = 0; i < t_size - n; i++)
        rest[i] = i + 1;
    check(group, t_size - n, rest);
    if (t_size > n)
        OK(MPI_Group_free(&group));
    OK(MPI_Group_incl(world, 0, NULL, &group));
    CHECK(group == MPI_GROUP_EMPTY);
}

static void ranges(void)
{
    int down[1][3] = {{t_size - 1, 0, -1}}, even[1][3] = {{0, t_size - 1, 2}}, want[64], n = 0;
    MPI_Group group;

    OK(MPI_Group_range_incl(world, 1, down, &group));
    for (int i = 0; i < t_size; i++)
        want[i] = t_size - 1 - i;
    check(group, t_size, want);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_range_excl(world, 1, even, &group));
    for (int i = 1; i < t_size; i += 2)
        want[n++] = i;
    check(group, n, want);
    if (n > 0)
        OK(MPI_Group_free(&group));
}

/* Low: ranks 0 .. 2/3, high: 1/3 .. end. */
static void sets(void)
{
    int low[1][3] = {{0, t_size * 2 / 3, 1}}, high[1][3] = {{t_size / 3, t_size - 1, 1}}, want[64],
        n = 0;
    MPI_Group a, b, result;

    OK(MPI_Group_range_incl(world, 1, low, &a));
    OK(MPI_Group_range_incl(world, 1, high, &b));
    for (int i = 0; i < t_size; i++)
        want[i] = i;
    OK(MPI_Group_union(a, b, &result));
    check(result, t_size, want);
    OK(MPI_Group_free(&result));
    OK(MPI_Group_intersection(a, b, &result));
    check(result, t_size * 2 / 3 - t_size / 3 + 1, want + t_size / 3);
    OK(MPI_Group_free(&result));
    OK(MPI_Group_difference(b, a, &result));
    for (int i = t_size * 2 / 3 + 1; i < t_size; i++)
        want[n++] = i;
    check(result, n, want);
    if (n > 0)
        OK(MPI_Group_free(&result));
    OK(MPI_Group_free(&a));
    OK(MPI_Group_free(&b));
}

static void comparison(void)
{
    int down[1][3] = {{t_size - 1, 0, -1}}, result, ranks[3] = {0, MPI_PROC_NULL, t_size - 1},
        out[3];
    MPI_Group again, back, self;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &again));
    OK(MPI_Comm_group(MPI_COMM_SELF, &self));
    OK(MPI_Group_range_incl(world, 1, down, &back));
    OK(MPI_Group_compare(world, again, &result));
    SAME(result, MPI_IDENT);
    OK(MPI_Group_compare(world, back, &result));
    SAME(result, t_size == 1 ? MPI_IDENT : MPI_SIMILAR);
    OK(MPI_Group_compare(world, MPI_GROUP_EMPTY, &result));
    SAME(result, MPI_UNEQUAL);
    OK(MPI_Group_translate_ranks(world, 3, ranks, self, out));
    SAME(out[0], t_rank == 0 ? 0 : MPI_UNDEFINED);
    SAME(out[1], MPI_PROC_NULL);
    SAME(out[2], t_rank == t_size - 1 ? 0 : MPI_UNDEFINED);
    OK(MPI_Group_free(&again));
    OK(MPI_Group_free(&back));
    OK(MPI_Group_free(&self));
}

int main(int argc, char **argv)
{
    t_start(&argc, &argv);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    include_and_exclude();
    ranges();
    sets();
    comparison();
    OK(MPI_Group_free(&world));
    return t_end();
}
