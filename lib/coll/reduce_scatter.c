/* Reduce-scatter: a reduction to one rank and a scatter of its parts. */
#include <stdlib.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

static void run(struct mpi_coll *x, const void *sendbuf, void *recvbuf, const struct mpi_reduction *r, const size_t *at, const size_t *len)
{
    size_t bytes = r->unit * r->count;
    char *whole = mpi_coll_memory(x, bytes);
    if (whole) {
        mpi_coll_copy(whole, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, bytes);
        mpi_coll_reduce(x, whole, r, 0);
        mpi_coll_scatterv(x, whole, at, len, recvbuf, len[x->rank], 0);
    }
    mpi_coll_release(x, whole);
}

/* counts NULL: `count` for each rank. */
static int call(const char *name, const void *sendbuf, void *recvbuf, const int *counts, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    struct mpi_reduction r;
    const struct mpi_type *t;
    int rc = mpi_coll_check_comm(name, comm, &c);
    for (int i = 0; !rc && counts && i < c->size; i++)
        if (counts[i] < 0)
            rc = mpi_err(c, name, MPI_ERR_COUNT, "the count for rank %d is %d", i, counts[i]);
    if (!rc)
        rc = mpi_coll_check_data(name, c, recvbuf, counts ? counts[c->rank] : count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_op(name, c, op, datatype, 0, &r);
    if (rc)
        return rc;
    mpi_coll_begin(&x, name, c);
    size_t *at = mpi_coll_memory(&x, 2 * sizeof *at * (size_t)x.size), *len = at + x.size, next = 0;
    for (int i = 0; at && i < x.size; i++) {
        len[i] = (size_t)(counts ? counts[i] : count) * r.unit;
        at[i] = next;
        next += len[i];
    }
    r.count = r.unit ? next / r.unit : 0;
    mpi_coll_sign(&x, MPI_COLL_REDUCE_SCATTER, next, !counts);
    if (at)
        run(&x, sendbuf, recvbuf, &r, at, len);
    free(at);
    return mpi_coll_end(&x);
}

int PMPI_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    MPI_ENTER("MPI_Reduce_scatter");
    if (!recvcounts)
        return mpi_err(mpi_comm_get(comm), "MPI_Reduce_scatter", MPI_ERR_ARG, "the counts are NULL");
    return call("MPI_Reduce_scatter", sendbuf, recvbuf, recvcounts, 0, datatype, op, comm);
}
MPI_WEAK_ALIAS(Reduce_scatter);

int PMPI_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    MPI_ENTER("MPI_Reduce_scatter_block");
    return call("MPI_Reduce_scatter_block", sendbuf, recvbuf, NULL, recvcount, datatype, op, comm);
}
MPI_WEAK_ALIAS(Reduce_scatter_block);
