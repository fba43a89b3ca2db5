/* Arguments of calls on topologies. */
#include "mpi/topo_args.h"

#include "core/err.h"
#include "mpi/args.h"

static const char *kind_name(int kind)
{
    return kind == MPI_CART ? "Cartesian topology"
           : kind == MPI_GRAPH ? "graph topology" : "distributed graph topology";
}

int mpi_check_topo(const char *call, MPI_Comm comm, int kind, struct mpi_comm **c,
                   const struct mpi_topo **t)
{
    int rc = mpi_check_comm(call, comm, c);
    if (rc)
        return rc;
    *t = (*c)->topo;
    if (likely(*t && (*t)->kind == kind))
        return MPI_SUCCESS;
    return mpi_err(*c, call, MPI_ERR_TOPOLOGY, "the communicator has no %s",
                   kind_name(kind));
}

int mpi_check_numbers(const char *call, struct mpi_comm *c, const void *numbers, int count,
                      const char *what)
{
    if (likely(numbers || count <= 0))
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_ARG, "the address of %s is NULL", what);
}

int mpi_check_member(const char *call, struct mpi_comm *c, int rank, const char *what)
{
    if (likely((unsigned)rank < (unsigned)c->size))
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_RANK, "%s %d is not in 0..%d", what, rank, c->size - 1);
}

int mpi_check_room(const char *call, struct mpi_comm *c, int room, int count, const char *what)
{
    if (likely(room >= count))
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_ARG, "there is room for %d %s, of which there are %d", room,
                   what, count);
}
