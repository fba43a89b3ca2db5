/* Reduction operations: which are defined on what, and those of the program. */
#include <limits.h>
#include <stdlib.h>
#include "mpi/err.h"
#include "mpi/init.h"
#include "mpi/op.h"
#include "mpi/twin.h"

enum {
    ARITHMETIC = MPI_FAMILY_C_INTEGER | MPI_FAMILY_FORTRAN_INTEGER | MPI_FAMILY_FLOAT | MPI_FAMILY_ADDRESS,
    TRUTH = MPI_FAMILY_C_INTEGER | MPI_FAMILY_LOGICAL,
    BITS = MPI_FAMILY_C_INTEGER | MPI_FAMILY_FORTRAN_INTEGER | MPI_FAMILY_BYTE | MPI_FAMILY_ADDRESS
};

#define ENTRY(op, types) [(uintptr_t)(op) - MPI_OP_FIRST] = { .commutative = true, .families = (types), .name = #op }

static const struct mpi_op predefined[MPI_OP_COUNT] = {
    ENTRY(MPI_MAX, ARITHMETIC),
    ENTRY(MPI_MIN, ARITHMETIC),
    ENTRY(MPI_SUM, ARITHMETIC | MPI_FAMILY_COMPLEX),
    ENTRY(MPI_PROD, ARITHMETIC | MPI_FAMILY_COMPLEX),
    ENTRY(MPI_LAND, TRUTH),
    ENTRY(MPI_LOR, TRUTH),
    ENTRY(MPI_LXOR, TRUTH),
    ENTRY(MPI_BAND, BITS),
    ENTRY(MPI_BOR, BITS),
    ENTRY(MPI_BXOR, BITS),
    ENTRY(MPI_MAXLOC, MPI_FAMILY_PAIR),
    ENTRY(MPI_MINLOC, MPI_FAMILY_PAIR),
    ENTRY(MPI_REPLACE, MPI_FAMILY_NONE),
    ENTRY(MPI_NO_OP, MPI_FAMILY_NONE),
};

const struct mpi_op *mpi_op_get(MPI_Op h)
{
    uintptr_t index = (uintptr_t)h - MPI_OP_FIRST;

    if (index < MPI_OP_COUNT)
        return predefined[index].name ? &predefined[index] : NULL;
    return mpi_handle_get(MPI_KIND_OP, (uintptr_t)h);
}

int mpi_op_check(MPI_Op h, const struct mpi_type *type)
{
    const struct mpi_op *op = mpi_op_get(h);

    return op && (op->fn || (op->families & type->family)) ? 0 : MPI_ERR_OP;
}

/* A user's function counts in int. */
static void apply_user(MPI_User_function *fn, MPI_Datatype h, const void *in, void *inout, size_t count)
{
    ptrdiff_t extent = mpi_type_get(h)->extent;
    const char *a = in;
    char *b = inout;

    while (count > 0) {
        int n = count > INT_MAX ? INT_MAX : (int)count;
        fn((void *)a, b, &n, &h);
        n = count > INT_MAX ? INT_MAX : (int)count;     /* the function may have changed it */
        a += n * extent;
        b += n * extent;
        count -= (size_t)n;
    }
}

void mpi_op_apply(MPI_Op h, MPI_Datatype type_handle, const void *in, void *inout, size_t count)
{
    const struct mpi_op *op = mpi_op_get(h);

    if (op->fn)
        apply_user(op->fn, type_handle, in, inout, count);
    else
        mpi_op_loop_get(h, mpi_type_get(type_handle)->elem)(in, inout, count);
}

/* ----------------------------------------------------------- the MPI calls -- */

#define NO_OP(call, handle) mpi_err(NULL, call, MPI_ERR_OP, "%p is no operation", (void *)(handle))

int PMPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *handle)
{
    struct mpi_op *op;

    MPI_ENTER("MPI_Op_create");
    if (!user_fn)
        return mpi_err(NULL, "MPI_Op_create", MPI_ERR_ARG, "the function is NULL");
    if (!handle)
        return mpi_err(NULL, "MPI_Op_create", MPI_ERR_ARG, "the address for the operation is NULL");
    op = malloc(sizeof *op);
    if (op) {
        *op = (struct mpi_op){ .fn = user_fn, .commutative = commute != 0, .name = "a created operation" };
        *handle = (MPI_Op)mpi_handle_new(MPI_KIND_OP, op);
        if (*handle)
            return MPI_SUCCESS;
        *handle = MPI_OP_NULL;
        free(op);
    }
    return mpi_err(NULL, "MPI_Op_create", MPI_ERR_NO_MEM, "no memory for another operation");
}
TWIN(Op_create);

int PMPI_Op_free(MPI_Op *handle)
{
    struct mpi_op *op;

    MPI_ENTER("MPI_Op_free");
    if (!handle)
        return mpi_err(NULL, "MPI_Op_free", MPI_ERR_ARG, "the address of the operation is NULL");
    if ((uintptr_t)*handle < MPI_HANDLE_PREDEFINED && mpi_op_get(*handle))
        return mpi_err(NULL, "MPI_Op_free", MPI_ERR_OP, "%s is predefined and cannot be freed",
                       mpi_op_get(*handle)->name);
    op = mpi_handle_get(MPI_KIND_OP, (uintptr_t)*handle);
    if (!op)
        return NO_OP("MPI_Op_free", *handle);
    mpi_handle_free((uintptr_t)*handle);
    free(op);
    *handle = MPI_OP_NULL;
    return MPI_SUCCESS;
}
TWIN(Op_free);

int PMPI_Op_commutative(MPI_Op handle, int *commute)
{
    const struct mpi_op *op;

    MPI_ENTER("MPI_Op_commutative");
    op = mpi_op_get(handle);
    if (!op)
        return NO_OP("MPI_Op_commutative", handle);
    if (!commute)
        return mpi_err(NULL, "MPI_Op_commutative", MPI_ERR_ARG, "the address for the answer is NULL");
    *commute = op->commutative;
    return MPI_SUCCESS;
}
TWIN(Op_commutative);

static int check_buffer(const void *buf, int count, const char *name)
{
    if (buf == MPI_IN_PLACE)
        return mpi_err(NULL, "MPI_Reduce_local", MPI_ERR_BUFFER, "%s must not be MPI_IN_PLACE", name);
    if (!buf && count > 0)
        return mpi_err(NULL, "MPI_Reduce_local", MPI_ERR_BUFFER, "%s is NULL with a count of %d", name, count);
    return MPI_SUCCESS;
}

int PMPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
    const struct mpi_type *type;
    int class;

    MPI_ENTER("MPI_Reduce_local");
    if ((class = check_buffer(inbuf, count, "inbuf")) || (class = check_buffer(inoutbuf, count, "inoutbuf")))
        return class;
    if (count < 0)
        return mpi_err(NULL, "MPI_Reduce_local", MPI_ERR_COUNT, "the count is %d", count);
    type = mpi_type_get(datatype);
    if (!type)
        return mpi_err(NULL, "MPI_Reduce_local", MPI_ERR_TYPE, "%p is no datatype", (void *)datatype);
    if (!mpi_op_get(op))
        return NO_OP("MPI_Reduce_local", op);
    if (mpi_op_check(op, type))
        return mpi_err(NULL, "MPI_Reduce_local", MPI_ERR_OP, "%s is not defined on %s", mpi_op_get(op)->name,
                       type->name);
    mpi_op_apply(op, datatype, inbuf, inoutbuf, (size_t)count);
    return MPI_SUCCESS;
}
TWIN(Reduce_local);
