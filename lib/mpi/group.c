/* What a program asks about groups, and groups combined. */
#include <stdlib.h>

#include "core/err.h"
#include "core/group.h"
#include "core/world.h"
#include "mpi/group_args.h"
#include "mpi/weak_alias.h"

/* -- questions */

int PMPI_Group_size(MPI_Group group, int *size)
{
    const char *call = "MPI_Group_size";
    const struct mpi_group *g;
    MPI_ENTER(call);
    int rc = mpi_check_group(call, group, &g);
    if (!rc)
        rc = mpi_check_group_place(call, size);
    if (!rc)
        *size = g->size;
    return rc;
}
MPI_WEAK_ALIAS(Group_size);

int PMPI_Group_rank(MPI_Group group, int *rank)
{
    const char *call = "MPI_Group_rank";
    const struct mpi_group *g;
    MPI_ENTER(call);
    int rc = mpi_check_group(call, group, &g);
    if (!rc)
        rc = mpi_check_group_place(call, rank);
    if (!rc)
        *rank = g->rank;
    return rc;
}
MPI_WEAK_ALIAS(Group_rank);

static int translate(const char *call, const struct mpi_group *from, int n, const int ranks1[],
                     const int *at, int ranks2[])
{
    for (int i = 0; i < n; i++) {
        if (ranks1[i] == MPI_PROC_NULL)
            ranks2[i] = MPI_PROC_NULL;
        else if (ranks1[i] < 0 || ranks1[i] >= from->size)
            return mpi_err(NULL, call, MPI_ERR_RANK,
                           "entry %d, rank %d, is not in 0..%d of the group", i, ranks1[i],
                           from->size - 1);
        else
            ranks2[i] = at[from->world[ranks1[i]]];
    }
    return MPI_SUCCESS;
}

int PMPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                               int ranks2[])
{
    const char *call = "MPI_Group_translate_ranks";
    const struct mpi_group *g1, *g2;
    MPI_ENTER(call);
    int rc = mpi_check_group(call, group1, &g1);
    if (!rc)
        rc = mpi_check_group_list(call, n, ranks1);
    if (!rc)
        rc = mpi_check_group(call, group2, &g2);
    if (!rc)
        rc = mpi_check_group_list(call, n, ranks2);
    if (rc)
        return rc;
    int *at = mpi_group_positions(g2);
    if (!at)
        return mpi_group_made(call, MPI_ERR_NO_MEM);
    rc = translate(call, g1, n, ranks1, at, ranks2);
    free(at);
    return rc;
}
MPI_WEAK_ALIAS(Group_translate_ranks);

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
    const char *call = "MPI_Group_compare";
    const struct mpi_group *g1, *g2;
    MPI_ENTER(call);
    int rc = mpi_check_group(call, group1, &g1);
    if (!rc)
        rc = mpi_check_group(call, group2, &g2);
    if (!rc)
        rc = mpi_check_group_place(call, result);
    if (rc)
        return rc;
    int *at = mpi_group_positions(g2);
    if (!at)
        return mpi_group_made(call, MPI_ERR_NO_MEM);
    *result = compare(g1, g2, at);
    free(at);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Group_compare);

/* -- set operations */

static int set_call(const char *call, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup,
                    enum mpi_group_operation operation)
{
    const struct mpi_group *g1, *g2;
    MPI_ENTER(call);
    int rc = mpi_check_group(call, group1, &g1);
    if (!rc)
        rc = mpi_check_group(call, group2, &g2);
    if (!rc)
        rc = mpi_check_group_place(call, newgroup);
    if (rc)
        return rc;
    return mpi_group_made(call, mpi_group_publish(mpi_group_combine(g1, g2, operation), newgroup));
}

int PMPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return set_call("MPI_Group_union", group1, group2, newgroup, MPI_GROUP_UNION);
}
MPI_WEAK_ALIAS(Group_union);

int PMPI_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return set_call("MPI_Group_intersection", group1, group2, newgroup, MPI_GROUP_INTERSECTION);
}
MPI_WEAK_ALIAS(Group_intersection);

int PMPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
    return set_call("MPI_Group_difference", group1, group2, newgroup, MPI_GROUP_DIFFERENCE);
}
MPI_WEAK_ALIAS(Group_difference);

/* -- the end */

int PMPI_Group_free(MPI_Group *group)
{
    const char *call = "MPI_Group_free";
    const struct mpi_group *g;
    MPI_ENTER(call);
    if (!group)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the group is NULL");
    int rc = mpi_check_group(call, *group, &g);
    if (rc)
        return rc;
    /* Calls that give an empty group give the predefined one, and programs free what they got. */
    if (*group != MPI_GROUP_EMPTY)
        mpi_group_free(*group);
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Group_free);
