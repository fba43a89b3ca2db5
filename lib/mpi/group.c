/* Groups and the calls that build one from others.  Everything is local to the
 * process.  Look-ups go through maps from rank to position, so that each call
 * takes time in proportion to the sizes of its groups and of the job. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "mpi/comm.h"
#include "mpi/err.h"
#include "mpi/group.h"
#include "mpi/handle.h"
#include "mpi/init.h"
#include "mpi/twin.h"

static const struct mpi_group empty = { .size = 0, .rank = MPI_UNDEFINED };

const struct mpi_group *mpi_group_get(MPI_Group h)
{
    return h == MPI_GROUP_EMPTY ? &empty : mpi_handle_get(MPI_KIND_GROUP, (uintptr_t)h);
}

/* ----------------------------------------------------------------- building -- */

/* An empty group with room for `capacity` members; group_publish or free releases it. */
static struct mpi_group *group_start(int capacity)
{
    struct mpi_group *g = malloc(sizeof *g + (size_t)capacity * sizeof g->world[0]);

    if (g)
        *g = (struct mpi_group){ .size = 0, .rank = MPI_UNDEFINED };
    return g;
}

static void group_add(struct mpi_group *g, int world)
{
    if (world == mpi_comm_world.rank)
        g->rank = g->size;
    g->world[g->size++] = world;
}

/* Gives the group its handle, or releases it.  Takes NULL, for calls that had no memory for it. */
static int group_publish(struct mpi_group *g, MPI_Group *group)
{
    *group = MPI_GROUP_NULL;
    if (!g)
        return MPI_ERR_NO_MEM;
    if (g->size == 0) {
        free(g);
        *group = MPI_GROUP_EMPTY;
        return MPI_SUCCESS;
    }
    uintptr_t handle = mpi_handle_new(MPI_KIND_GROUP, g);
    if (!handle) {
        free(g);
        return MPI_ERR_NO_MEM;
    }
    *group = (MPI_Group)handle;
    return MPI_SUCCESS;
}

int mpi_group_new(int size, const int *world, MPI_Group *group)
{
    struct mpi_group *g = group_start(size);

    for (int i = 0; g && i < size; i++)
        group_add(g, world ? world[i] : i);
    return group_publish(g, group);
}

/* Rank in MPI_COMM_WORLD -> rank in the group, or MPI_UNDEFINED.  To be freed; NULL without memory. */
static int *positions(const struct mpi_group *g)
{
    int *at = malloc((size_t)mpi_comm_world.size * sizeof *at);

    if (!at)
        return NULL;
    for (int w = 0; w < mpi_comm_world.size; w++)
        at[w] = MPI_UNDEFINED;
    for (int i = 0; i < g->size; i++)
        at[g->world[i]] = i;
    return at;
}

/* Those of g whose being in the group behind `at` equals `member`, in g's order, are added to `to`. */
static void group_add_where(struct mpi_group *to, const struct mpi_group *g, const int *at, bool member)
{
    for (int i = 0; i < g->size; i++)
        if ((at[g->world[i]] != MPI_UNDEFINED) == member)
            group_add(to, g->world[i]);
}

/* --------------------------------------------------------- argument checks -- */

static int no_group(const char *call, MPI_Group h)
{
    if (h == MPI_GROUP_NULL)
        return mpi_err(NULL, call, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL");
    return mpi_err(NULL, call, MPI_ERR_GROUP, "%p is no group", (void *)h);
}

static int no_place(const char *call)
{
    return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the result is NULL");
}

/* What a call returns whose last step gave `class`. */
static int finish(const char *call, int class)
{
    return class ? mpi_err(NULL, call, class, "no memory for another group") : MPI_SUCCESS;
}

static int check_list(const char *call, int n, const void *list)
{
    if (n < 0)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the number of entries is %d", n);
    if (n > 0 && !list)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the list is NULL with %d entries", n);
    return MPI_SUCCESS;
}

/* ---------------------------------------------------------------- questions -- */

int PMPI_Group_size(MPI_Group group, int *size)
{
    const struct mpi_group *g;

    MPI_ENTER("MPI_Group_size");
    g = mpi_group_get(group);
    if (!g)
        return no_group("MPI_Group_size", group);
    if (!size)
        return no_place("MPI_Group_size");
    *size = g->size;
    return MPI_SUCCESS;
}
TWIN(Group_size);

int PMPI_Group_rank(MPI_Group group, int *rank)
{
    const struct mpi_group *g;

    MPI_ENTER("MPI_Group_rank");
    g = mpi_group_get(group);
    if (!g)
        return no_group("MPI_Group_rank", group);
    if (!rank)
        return no_place("MPI_Group_rank");
    *rank = g->rank;
    return MPI_SUCCESS;
}
TWIN(Group_rank);

static int translate(const struct mpi_group *from, int n, const int ranks1[], const int *at, int ranks2[])
{
    for (int i = 0; i < n; i++) {
        if (ranks1[i] == MPI_PROC_NULL)
            ranks2[i] = MPI_PROC_NULL;
        else if (ranks1[i] < 0 || ranks1[i] >= from->size)
            return mpi_err(NULL, "MPI_Group_translate_ranks", MPI_ERR_RANK,
                           "entry %d, rank %d, is not in 0..%d of the group", i, ranks1[i], from->size - 1);
        else
            ranks2[i] = at[from->world[ranks1[i]]];
    }
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])
{
    const struct mpi_group *g1, *g2;
    int *at, class;

    MPI_ENTER("MPI_Group_translate_ranks");
    g1 = mpi_group_get(group1);
    if (!g1)
        return no_group("MPI_Group_translate_ranks", group1);
    if ((class = check_list("MPI_Group_translate_ranks", n, ranks1)))
        return class;
    g2 = mpi_group_get(group2);
    if (!g2)
        return no_group("MPI_Group_translate_ranks", group2);
    if ((class = check_list("MPI_Group_translate_ranks", n, ranks2)))
        return class;
    at = positions(g2);
    if (!at)
        return finish("MPI_Group_translate_ranks", MPI_ERR_NO_MEM);
    class = translate(g1, n, ranks1, at, ranks2);
    free(at);
    return class;
}
TWIN(Group_translate_ranks);

static int compare(const struct mpi_group *g1, const struct mpi_group *g2, const int *at)
{
    int result = MPI_IDENT;

    if (g1->size != g2->size)
        return MPI_UNEQUAL;
    for (int i = 0; i < g1->size; i++) {
        if (at[g1->world[i]] == MPI_UNDEFINED)
            return MPI_UNEQUAL;
        if (at[g1->world[i]] != i)
            result = MPI_SIMILAR;
    }
    return result;
}

int PMPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
    const struct mpi_group *g1, *g2;
    int *at;

    MPI_ENTER("MPI_Group_compare");
    g1 = mpi_group_get(group1);
    if (!g1)
        return no_group("MPI_Group_compare", group1);
    g2 = mpi_group_get(group2);
    if (!g2)
        return no_group("MPI_Group_compare", group2);
    if (!result)
        return no_place("MPI_Group_compare");
    at = positions(g2);
    if (!at)
        return finish("MPI_Group_compare", MPI_ERR_NO_MEM);
    *result = compare(g1, g2, at);
    free(at);
    return MPI_SUCCESS;
}
TWIN(Group_compare);

/* ------------------------------------------------------------ set operations -- */

enum set_operation { UNION, INTERSECTION, DIFFERENCE };

static struct mpi_group *combine(const struct mpi_group *g1, const struct mpi_group *g2, enum set_operation operation)
{
    int *at = positions(operation == UNION ? g1 : g2);
    struct mpi_group *g = group_start(operation == UNION ? g1->size + g2->size : g1->size);

    if (at && g && operation == UNION) {
        for (int i = 0; i < g1->size; i++)
            group_add(g, g1->world[i]);
        group_add_where(g, g2, at, false);
    } else if (at && g) {
        group_add_where(g, g1, at, operation == INTERSECTION);
    }
    if (!at) {
        free(g);
        g = NULL;
    }
    free(at);
    return g;
}

static int set_call(const char *call, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup,
                    enum set_operation operation)
{
    const struct mpi_group *g1, *g2;

    MPI_ENTER(call);
    g1 = mpi_group_get(group1);
    if (!g1)
        return no_group(call, group1);
    g2 = mpi_group_get(group2);
    if (!g2)
        return no_group(call, group2);
    if (!newgroup)
        return no_place(call);
    return finish(call, group_publish(combine(g1, g2, operation), newgroup));
}

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return set_call("MPI_Group_union", group1, group2, newgroup, UNION);
}
TWIN(Group_union);

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return set_call("MPI_Group_intersection", group1, group2, newgroup, INTERSECTION);
}
TWIN(Group_intersection);

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return set_call("MPI_Group_difference", group1, group2, newgroup, DIFFERENCE);
}
TWIN(Group_difference);

/* -------------------------------------------------------------- choosing ranks --
 * The four calls name ranks of a group, once each, in a list or in ranges; those are taken or left out. */

struct choice {
    const char *call;
    const struct mpi_group *from;
    bool *chosen;           /* by rank in from */
    int *order;             /* the ranks chosen, in the order of naming */
    int count;
};

static int choice_start(struct choice *c)
{
    size_t n = c->from->size > 0 ? (size_t)c->from->size : 1;

    c->chosen = calloc(n, sizeof *c->chosen);
    c->order = malloc(n * sizeof *c->order);
    return c->chosen && c->order ? MPI_SUCCESS : finish(c->call, MPI_ERR_NO_MEM);
}

static void choice_end(struct choice *c)
{
    free(c->chosen);
    free(c->order);
}

static int choice_add(struct choice *c, int entry, long rank)
{
    if (rank < 0 || rank >= c->from->size)
        return mpi_err(NULL, c->call, MPI_ERR_RANK, "entry %d, rank %ld, is not in 0..%d of the group", entry, rank,
                       c->from->size - 1);
    if (c->chosen[rank])
        return mpi_err(NULL, c->call, MPI_ERR_RANK, "entry %d, rank %ld, was named before", entry, rank);
    c->chosen[rank] = true;
    c->order[c->count++] = (int)rank;
    return MPI_SUCCESS;
}

static int choice_add_range(struct choice *c, int entry, const int range[3])
{
    const long first = range[0], last = range[1], stride = range[2];
    int class = MPI_SUCCESS;

    if (stride == 0 || (stride > 0 ? first > last : first < last))
        return mpi_err(NULL, c->call, MPI_ERR_ARG, "entry %d, from %ld to %ld in steps of %ld, does not lead anywhere",
                       entry, first, last, stride);
    for (long rank = first; !class && (stride > 0 ? rank <= last : rank >= last); rank += stride)
        class = choice_add(c, entry, rank);
    return class;
}

static struct mpi_group *choice_group(const struct choice *c, bool include)
{
    struct mpi_group *g = group_start(c->from->size);

    if (!g)
        return NULL;
    if (include)
        for (int i = 0; i < c->count; i++)
            group_add(g, c->from->world[c->order[i]]);
    else
        for (int i = 0; i < c->from->size; i++)
            if (!c->chosen[i])
                group_add(g, c->from->world[i]);
    return g;
}

/* One of the lists is NULL. */
static int choice_call(const char *call, MPI_Group group, int n, const int ranks[], int ranges[][3],
                       MPI_Group *newgroup, bool include)
{
    struct choice c = { .call = call };
    int class;

    MPI_ENTER(call);
    c.from = mpi_group_get(group);
    if (!c.from)
        return no_group(call, group);
    if ((class = check_list(call, n, ranks ? (const void *)ranks : ranges)))
        return class;
    if (!newgroup)
        return no_place(call);
    class = choice_start(&c);
    for (int i = 0; !class && i < n; i++)
        class = ranks ? choice_add(&c, i, ranks[i]) : choice_add_range(&c, i, ranges[i]);
    if (!class)
        class = finish(call, group_publish(choice_group(&c, include), newgroup));
    choice_end(&c);
    return class;
}

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_incl", group, n, ranks, NULL, newgroup, true);
}
TWIN(Group_incl);

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_excl", group, n, ranks, NULL, newgroup, false);
}
TWIN(Group_excl);

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_range_incl", group, n, NULL, ranges, newgroup, true);
}
TWIN(Group_range_incl);

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_range_excl", group, n, NULL, ranges, newgroup, false);
}
TWIN(Group_range_excl);

int PMPI_Group_free(MPI_Group *group)
{
    struct mpi_group *g;

    MPI_ENTER("MPI_Group_free");
    if (!group)
        return mpi_err(NULL, "MPI_Group_free", MPI_ERR_ARG, "the address of the group is NULL");
    /* Calls that give an empty group give the predefined one, and programs free what they were given. */
    if (*group != MPI_GROUP_EMPTY) {
        g = mpi_handle_get(MPI_KIND_GROUP, (uintptr_t)*group);
        if (!g)
            return no_group("MPI_Group_free", *group);
        mpi_handle_free((uintptr_t)*group);
        free(g);
    }
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
TWIN(Group_free);
