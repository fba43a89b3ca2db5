/* The calls with reduction operations that are no collectives. */
#include "core/op.h"

#include "core/err.h"
#include "core/type_label.h"
#include "mpi/alias.h"
#include "mpi/args.h"
#include "mpi/weak_alias.h"

static int no_op(const char *call, MPI_Op h)
{
    return mpi_err(NULL, call, MPI_ERR_OP, "%p is no operation", (void *)h);
}

/* Of one of both functions. */
static int create(const char *call, MPI_User_function *fn, MPI_User_function_c *fn_c, int commute,
                  MPI_Op *handle)
{
    MPI_ENTER(call);
    if (!fn && !fn_c)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the function is NULL");
    if (!handle)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the operation is NULL");
    *handle = mpi_op_new(fn, fn_c, commute != 0);
    if (*handle == MPI_OP_NULL)
        return mpi_err(NULL, call, MPI_ERR_NO_MEM, "no memory for another operation");
    return MPI_SUCCESS;
}

int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *handle)
{
    return create("MPI_Op_create", user_fn, NULL, commute, handle);
}
MPI_WEAK_ALIAS(Op_create);

int PMPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *handle)
{
    return create("MPI_Op_create_c", NULL, user_fn, commute, handle);
}
MPI_WEAK_ALIAS(Op_create_c);

int PMPI_Op_free(MPI_Op *handle)
{
    const char *call = "MPI_Op_free";
    MPI_ENTER(call);
    if (!handle)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the operation is NULL");
    if ((uintptr_t)*handle < MPI_HANDLE_PREDEFINED && mpi_op_get(*handle))
        return mpi_err(NULL, call, MPI_ERR_OP, "%s is predefined and cannot be freed",
                       mpi_op_get(*handle)->name);
    if (!mpi_op_free(*handle))
        return no_op(call, *handle);
    *handle = MPI_OP_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Op_free);

int PMPI_Op_commutative(MPI_Op handle, int *commute)
{
    const char *call = "MPI_Op_commutative";
    MPI_ENTER(call);
    const struct mpi_op *op = mpi_op_get(handle);
    if (!op)
        return no_op(call, handle);
    if (!commute)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address for the answer is NULL");
    *commute = op->commutative;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Op_commutative);

static int check_buffer(const char *call, const void *buf, MPI_Count count, const char *name)
{
    if (buf == MPI_IN_PLACE)
        return mpi_err(NULL, call, MPI_ERR_BUFFER, "%s must not be MPI_IN_PLACE", name);
    if (!buf && count > 0)
        return mpi_err(NULL, call, MPI_ERR_BUFFER, "%s is NULL with a count of %lld", name,
                       (long long)count);
    return MPI_SUCCESS;
}

static int reduce_local(const char *call, const void *inbuf, void *inoutbuf, MPI_Count count,
                        MPI_Datatype datatype, MPI_Op op)
{
    const struct mpi_type *type;
    MPI_ENTER(call);
    int rc = check_buffer(call, inbuf, count, "inbuf");
    if (!rc)
        rc = check_buffer(call, inoutbuf, count, "inoutbuf");
    if (!rc)
        rc = mpi_check_data(call, NULL, inbuf, count, datatype, &type);
    if (rc)
        return rc;
    if (!mpi_op_get(op))
        return no_op(call, op);
    if (mpi_op_check(op, type))
        return mpi_err(NULL, call, MPI_ERR_OP, "%s is not defined on %s", mpi_op_get(op)->name,
                       mpi_type_label(type));
    if (mpi_alias_data(type, inbuf, (size_t)count, inoutbuf, (size_t)count))
        return mpi_err(NULL, call, MPI_ERR_BUFFER, "inbuf and inoutbuf %s",
                       inbuf == inoutbuf ? "are the same" : "overlap");
    if (count)
        mpi_op_apply(mpi_op_get(op), datatype, inbuf, inoutbuf, (size_t)count);
    return MPI_SUCCESS;
}

int PMPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype,
                      MPI_Op op)
{
    return reduce_local("MPI_Reduce_local", inbuf, inoutbuf, count, datatype, op);
}
MPI_WEAK_ALIAS(Reduce_local);

int PMPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op)
{
    return reduce_local("MPI_Reduce_local_c", inbuf, inoutbuf, count, datatype, op);
}
MPI_WEAK_ALIAS(Reduce_local_c);
