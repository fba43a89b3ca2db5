/* Prefix reductions: along the chain of ranks. */
#include <stdlib.h>

#include "coll/coll.h"
#include "core/err.h"
#include "core/world.h"
#include "mpi/weak_alias.h"

static void add(const struct mpi_reduction *r, const void *lower, void *higher)
{
    if (r->count)
        mpi_op_apply(r->op, r->type, lower, higher, r->count);
}

/* `own` is this rank's contribution; `prefix` gets that of all lower ranks, and is not touched on rank 0.  The sum of both goes on to the next rank
 * in `own`. */
static void chain(struct mpi_coll *x, void *own, void *prefix, const struct mpi_reduction *r)
{
    size_t bytes = r->unit * r->count;
    if (x->rank > 0) {
        mpi_coll_recv(x, x->rank - 1, prefix, bytes);
        add(r, prefix, own);
    }
    if (x->rank + 1 < x->size)
        mpi_coll_send(x, x->rank + 1, own, bytes);
}

static int scan(const char *call, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, bool inclusive)
{
    struct mpi_coll x;
    struct mpi_comm *c;
    struct mpi_reduction r;
    const struct mpi_type *t;
    int rc = mpi_coll_check_comm(call, comm, &c);
    if (!rc)
        rc = mpi_coll_check_data(call, c, recvbuf, count, datatype, &t);
    if (!rc)
        rc = mpi_coll_check_op(call, c, op, datatype, count, &r);
    if (rc)
        return rc;
    mpi_coll_begin(&x, call, c);
    size_t bytes = r.unit * r.count;
    mpi_coll_sign(&x, MPI_COLL_SCAN, bytes, !inclusive);
    void *other = mpi_coll_memory(&x, bytes);
    if (other) {
        void *own = inclusive ? recvbuf : other, *prefix = inclusive ? other : recvbuf;
        mpi_coll_copy(own, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, bytes);
        chain(&x, own, prefix, &r);
    }
    mpi_coll_release(&x, other);
    return mpi_coll_end(&x);
}

int PMPI_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    MPI_ENTER("MPI_Scan");
    return scan("MPI_Scan", sendbuf, recvbuf, count, datatype, op, comm, true);
}
MPI_WEAK_ALIAS(Scan);

int PMPI_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    MPI_ENTER("MPI_Exscan");
    return scan("MPI_Exscan", sendbuf, recvbuf, count, datatype, op, comm, false);
}
MPI_WEAK_ALIAS(Exscan);
