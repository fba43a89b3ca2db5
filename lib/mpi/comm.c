/* What a program asks about a communicator, and its name. */
#include <stdio.h>

#include "core/comm.h"
#include "core/err.h"
#include "core/group.h"
#include "core/world.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static int get(const char *call, MPI_Comm comm, struct mpi_comm **c, const void *result)
{
    int rc = mpi_check_comm(call, comm, c);
    if (!rc && !result)
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the address for the result is NULL");
    return rc;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_size");
    int rc = get("MPI_Comm_size", comm, &c, size);
    if (!rc)
        *size = c->size;
    return rc;
}
MPI_WEAK_ALIAS(Comm_size);

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_rank");
    int rc = get("MPI_Comm_rank", comm, &c, rank);
    if (!rc)
        *rank = c->rank;
    return rc;
}
MPI_WEAK_ALIAS(Comm_rank);

int PMPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_test_inter");
    int rc = get("MPI_Comm_test_inter", comm, &c, flag);
    if (!rc)
        *flag = c->inter != NULL;
    return rc;
}
MPI_WEAK_ALIAS(Comm_test_inter);

int PMPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
    const char *call = "MPI_Comm_group";
    struct mpi_comm *c;
    MPI_ENTER(call);
    int rc = get(call, comm, &c, group);
    if (!rc && mpi_group_new_in(c->session, c->size, c->world, group))
        rc = mpi_err(c, call, MPI_ERR_NO_MEM, "no memory for a group");
    return rc;
}
MPI_WEAK_ALIAS(Comm_group);

/* -- comparison */

/* Ranks in MPI_COMM_WORLD; list NULL: these numbers themselves. */
struct ranks { int size; const int *world; };

static int world_of(const struct ranks *r, int i) { return r->world ? r->world[i] : i; }

static bool has(const struct ranks *r, int world)
{
    for (int i = 0; i < r->size; i++)
        if (world_of(r, i) == world)
            return true;
    return false;
}

static int compare(struct ranks a, struct ranks b)
{
    bool same_order = true, same_set = a.size == b.size;
    for (int i = 0; same_set && i < a.size; i++) {
        same_order = same_order && world_of(&a, i) == world_of(&b, i);
        same_set = same_order || has(&b, world_of(&a, i));
    }
    return !same_set ? MPI_UNEQUAL : same_order ? MPI_CONGRUENT : MPI_SIMILAR;
}

/* Of two that are of one kind. */
static int compare_all(const struct mpi_comm *a, const struct mpi_comm *b)
{
    int here = compare((struct ranks){ a->size, a->world }, (struct ranks){ b->size, b->world });
    int there = compare((struct ranks){ a->peers, a->peer_world },
                        (struct ranks){ b->peers, b->peer_world });
    return here > there ? here : there;     /* the numbers ascend as the likeness descends */
}

int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
    const char *call = "MPI_Comm_compare";
    struct mpi_comm *a, *b;
    MPI_ENTER(call);
    int rc = get(call, comm1, &a, result);
    if (!rc)
        rc = get(call, comm2, &b, result);
    if (rc)
        return rc;
    *result = a == b ? MPI_IDENT : !a->inter != !b->inter ? MPI_UNEQUAL : compare_all(a, b);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Comm_compare);

/* No process is started by another one. */
int PMPI_Comm_get_parent(MPI_Comm *parent)
{
    const char *call = "MPI_Comm_get_parent";
    MPI_ENTER(call);
    if (!parent)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the communicator is NULL");
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Comm_get_parent);

/* -- names */

int PMPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    struct mpi_comm *c;
    MPI_ENTER("MPI_Comm_set_name");
    int rc = get("MPI_Comm_set_name", comm, &c, name);
    if (!rc)
        snprintf(c->name, sizeof c->name, "%s", name);
    return rc;
}
MPI_WEAK_ALIAS(Comm_set_name);

int PMPI_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
    const char *call = "MPI_Comm_get_name";
    struct mpi_comm *c = NULL;
    MPI_ENTER(call);
    int rc = comm != MPI_COMM_NULL || !name ? get(call, comm, &c, name) : MPI_SUCCESS;
    if (!rc && !length)
        rc = mpi_err(c, call, MPI_ERR_ARG, "the address for the length is NULL");
    if (!rc)
        *length = snprintf(name, sizeof c->name, "%s", c ? c->name : "MPI_COMM_NULL");
    return rc;
}
MPI_WEAK_ALIAS(Comm_get_name);
