/* Arguments of collective calls. */
#include "mpi/coll_args.h"

#include "core/err.h"

int mpi_coll_check_request(const char *call, struct mpi_comm *c, const MPI_Request *request)
{
    if (request)
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_ARG, "the address for the request is NULL");
}

int mpi_coll_check_root(const char *call, struct mpi_comm *c, int root)
{
    if (likely((unsigned)root < (unsigned)c->size))
        return MPI_SUCCESS;
    return mpi_err(c, call, MPI_ERR_ROOT, "root %d is not in 0..%d", root, c->size - 1);
}

int mpi_coll_check_counts(const char *call, struct mpi_comm *c, const int *counts)
{
    for (int i = 0; counts && i < c->size; i++)
        if (counts[i] < 0)
            return mpi_err(c, call, MPI_ERR_COUNT, "the count for rank %d is %d", i, counts[i]);
    return MPI_SUCCESS;
}

int mpi_coll_check_layout(const char *call, struct mpi_comm *c, const int *counts,
                          const int *displs)
{
    if (!counts || !displs)
        return mpi_err(c, call, MPI_ERR_ARG, "the counts or the displacements are NULL");
    return mpi_coll_check_counts(call, c, counts);
}

int mpi_coll_check_buffers(const char *call, struct mpi_comm *c, const void *sendbuf,
                           const void *recvbuf, int count)
{
    if (unlikely(recvbuf == MPI_IN_PLACE))
        return mpi_err(c, call, MPI_ERR_BUFFER, "MPI_IN_PLACE stands for the receive buffer");
    if (unlikely(sendbuf == recvbuf && count))
        return mpi_err(c, call, MPI_ERR_BUFFER,
                       "send and receive buffer are the same: use MPI_IN_PLACE");
    return MPI_SUCCESS;
}

static int no_op(const char *call, struct mpi_comm *c, MPI_Op op)
{
    return mpi_err(c, call, MPI_ERR_OP,
                   op == MPI_OP_NULL ? "the operation is MPI_OP_NULL" : "%p is no operation",
                   (void *)op);
}

int mpi_coll_check_reduction(const char *call, struct mpi_comm *c, const void *buf, int count,
                             MPI_Datatype type, MPI_Op op, struct mpi_reduction *r)
{
    const struct mpi_type *t;
    const struct mpi_op *o = mpi_op_get(op);
    int rc = mpi_check_data(call, c, buf, count, type, &t);
    if (unlikely(rc))
        return rc;
    if (unlikely(!o))
        return no_op(call, c, op);
    if (unlikely(mpi_op_check(op, t)))
        return mpi_err(c, call, MPI_ERR_OP, "%s is not defined on %s",
                       o->name ? o->name : "the operation", t->name ? t->name : "the datatype");
    *r = (struct mpi_reduction){ .op = o, .type = type, .unit = mpi_coll_unit(t),
                                 .count = (size_t)count, .commutative = o->commutative,
                                 .loop = o->fn ? NULL : mpi_op_loop_get(op, t->elem) };
    return MPI_SUCCESS;
}
