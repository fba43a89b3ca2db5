/* Communicators of groups, made by the ranks of the group alone. */
#include "core/err.h"
#include "core/group.h"
#include "mpi/among.h"
#include "mpi/args.h"
#include "mpi/comm_make.h"
#include "mpi/group_args.h"
#include "mpi/weak_alias.h"

static int check(const char *call, MPI_Comm comm, MPI_Group group, int tag, struct mpi_comm **c,
                 const struct mpi_group **g, const MPI_Comm *newcomm)
{
    int rc = mpi_check_intra(call, comm, c);
    if (!rc && !newcomm)
        rc = mpi_err(*c, call, MPI_ERR_ARG, "the address for the result is NULL");
    if (!rc && !(*g = mpi_group_get(group)))
        rc = mpi_err(*c, call, MPI_ERR_GROUP, "%p is no group", (void *)group);
    for (int i = 0; !rc && i < (*g)->size; i++)
        if (mpi_comm_rank_of(*c, (*g)->world[i]) < 0)
            rc = mpi_err(*c, call, MPI_ERR_GROUP,
                         "rank %d of the group is not in the communicator", i);
    if (!rc && tag < 0)
        rc = mpi_err(*c, call, MPI_ERR_TAG, "tag %d is negative", tag);
    return rc;
}

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
    const struct mpi_comm_origin from = {
        .call = "MPI_Comm_create_group", .maker = MPI_MADE_GROUP, .which = tag,
        .caller = __builtin_return_address(0),
    };
    struct mpi_agreed a = { .contexts = 1 };
    const struct mpi_group *g;
    struct mpi_comm *c;
    MPI_ENTER(from.call);
    int rc = check(from.call, comm, group, tag, &c, &g, newcomm);
    if (rc)
        return rc;
    *newcomm = MPI_COMM_NULL;
    if (g->rank == MPI_UNDEFINED)
        return MPI_SUCCESS;
    const uint64_t match = fw_match_bits(c->context, 0, (uint32_t)tag) | FW_OWN_TAG;
    const struct mpi_among among = {
        .call = from.call, .on = c, .match = match, .key = match, .count = g->size,
        .me = g->rank, .world = g->world,
    };
    rc = mpi_agree_among(&among, &a);
    return rc ? rc : mpi_comm_make_group(c, &from, &a, g, newcomm);
}
MPI_WEAK_ALIAS(Comm_create_group);
