/* Groups of ranks chosen from another group.  The four calls name ranks, once each, in a list or in
 * ranges; the ranks named are taken or left out. */
#include <stdbool.h>
#include <stdlib.h>

#include "core/err.h"
#include "core/world.h"
#include "mpi/group_args.h"
#include "mpi/weak_alias.h"

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
    return c->chosen && c->order ? MPI_SUCCESS : mpi_group_made(c->call, MPI_ERR_NO_MEM);
}

static void choice_end(struct choice *c)
{
    free(c->chosen);
    free(c->order);
}

static int choice_add(struct choice *c, int entry, long rank)
{
    if (rank < 0 || rank >= c->from->size)
        return mpi_err(NULL, c->call, MPI_ERR_RANK,
                       "entry %d, rank %ld, is not in 0..%d of the group", entry, rank,
                       c->from->size - 1);
    if (c->chosen[rank])
        return mpi_err(NULL, c->call, MPI_ERR_RANK, "entry %d, rank %ld, was named before", entry,
                       rank);
    c->chosen[rank] = true;
    c->order[c->count++] = (int)rank;
    return MPI_SUCCESS;
}

static int choice_add_range(struct choice *c, int entry, const int range[3])
{
    const long first = range[0], last = range[1], stride = range[2];
    int class = MPI_SUCCESS;

    if (stride == 0 || (stride > 0 ? first > last : first < last))
        return mpi_err(NULL, c->call, MPI_ERR_ARG,
                       "entry %d, from %ld to %ld in steps of %ld, does not lead anywhere", entry,
                       first, last, stride);
    for (long rank = first; !class && (stride > 0 ? rank <= last : rank >= last); rank += stride)
        class = choice_add(c, entry, rank);
    return class;
}

static struct mpi_group *choice_group(const struct choice *c, bool include)
{
    struct mpi_group *g = mpi_group_start(c->from->size);

    if (!g)
        return NULL;
    g->session = c->from->session;
    if (include)
        for (int i = 0; i < c->count; i++)
            mpi_group_add(g, c->from->world[c->order[i]]);
    else
        for (int i = 0; i < c->from->size; i++)
            if (!c->chosen[i])
                mpi_group_add(g, c->from->world[i]);
    return g;
}

/* One of the lists is NULL. */
static int choice_call(const char *call, MPI_Group group, int n, const int ranks[], int ranges[][3],
                       MPI_Group *newgroup, bool include)
{
    struct choice c = { .call = call };
    MPI_ENTER(call);
    int rc = mpi_check_group(call, group, &c.from);
    if (!rc)
        rc = mpi_check_group_list(call, n, ranks ? (const void *)ranks : ranges);
    if (!rc)
        rc = mpi_check_group_place(call, newgroup);
    if (rc)
        return rc;
    rc = choice_start(&c);
    for (int i = 0; !rc && i < n; i++)
        rc = ranks ? choice_add(&c, i, ranks[i]) : choice_add_range(&c, i, ranges[i]);
    if (!rc)
        rc = mpi_group_made(call, mpi_group_publish(choice_group(&c, include), newgroup));
    choice_end(&c);
    return rc;
}

int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_incl", group, n, ranks, NULL, newgroup, true);
}
MPI_WEAK_ALIAS(Group_incl);

int PMPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_excl", group, n, ranks, NULL, newgroup, false);
}
MPI_WEAK_ALIAS(Group_excl);

int PMPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_range_incl", group, n, NULL, ranges, newgroup, true);
}
MPI_WEAK_ALIAS(Group_range_incl);

int PMPI_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
    return choice_call("MPI_Group_range_excl", group, n, NULL, ranges, newgroup, false);
}
MPI_WEAK_ALIAS(Group_range_excl);
