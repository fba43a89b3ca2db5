/* Reduction operations: which are defined on what, and applying one. */
#include "core/op.h"

#include <limits.h>
#include <stdlib.h>

#include "nicemu/threads.h"

enum {
    /* Characters, and addresses as truth, are no business of the standard's: an extension that
     * other libraries have as well, and benchmarks use. */
    INTEGERS = MPI_FAMILY_C_INTEGER | MPI_FAMILY_FORTRAN_INTEGER | MPI_FAMILY_ADDRESS
               | MPI_FAMILY_CHARACTER,
    ARITHMETIC = INTEGERS | MPI_FAMILY_FLOAT,
    TRUTH = MPI_FAMILY_C_INTEGER | MPI_FAMILY_LOGICAL | MPI_FAMILY_CHARACTER | MPI_FAMILY_ADDRESS,
    BITS = INTEGERS | MPI_FAMILY_BYTE,
};

#define ENTRY(op, types) \
    [(uintptr_t)(op) - MPI_OP_FIRST] = { .commutative = true, .families = (types), .name = #op }

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

MPI_Op mpi_op_new(MPI_User_function *fn, MPI_User_function_c *fn_c, bool commutative)
{
    struct mpi_op *op = malloc(sizeof *op);
    if (!op)
        return MPI_OP_NULL;
    *op = (struct mpi_op){ .fn = fn, .fn_c = fn_c, .commutative = commutative,
                           .name = "a created operation", .users = 1 };
    uintptr_t handle = mpi_handle_new(MPI_KIND_OP, op);
    if (handle)
        return (MPI_Op)handle;
    free(op);
    return MPI_OP_NULL;
}

bool mpi_op_free(MPI_Op h)
{
    struct mpi_op *op = mpi_handle_get(MPI_KIND_OP, (uintptr_t)h);
    if (!op)
        return false;
    mpi_handle_free((uintptr_t)h);
    mpi_op_drop(op);
    return true;
}

void mpi_op_hold(const struct mpi_op *op)
{
    if (!mpi_op_is_predefined(op))
        atomic_fetch_add_explicit(&((struct mpi_op *)(uintptr_t)op)->users, 1,
                                  memory_order_relaxed);
}

/* acq_rel: pairs with the same of other threads, so that who frees it does so after their use. */
void mpi_op_drop(const struct mpi_op *op)
{
    struct mpi_op *o = (struct mpi_op *)(uintptr_t)op;
    if (!mpi_op_is_predefined(o)
        && atomic_fetch_sub_explicit(&o->users, 1, memory_order_acq_rel) == 1)
        free(o);
}

int mpi_op_check(MPI_Op h, const struct mpi_type *type)
{
    const struct mpi_op *op = mpi_op_get(h);

    return op && mpi_op_takes(op, type) ? 0 : MPI_ERR_OP;
}

/* A user's function that counts in int. */
static void apply_user(MPI_User_function *fn, MPI_Datatype h, const void *in, void *inout,
                       size_t count)
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

/* Of a predefined one. */
static MPI_Op handle_of(const struct mpi_op *op)
{
    return (MPI_Op)(MPI_OP_FIRST + (uintptr_t)(op - predefined));
}

void mpi_op_apply(const struct mpi_op *op, MPI_Datatype type_handle, const void *in, void *inout,
                  size_t count)
{
    MPI_Count n = (MPI_Count)count;
    if (mpi_op_is_predefined(op)) {
        mpi_op_loop_get(handle_of(op), mpi_type_get(type_handle)->elem)(in, inout, count);
        return;
    }
    nic_goes_inside(true);
    if (op->fn)
        apply_user(op->fn, type_handle, in, inout, count);
    else
        op->fn_c((void *)(uintptr_t)in, inout, &n, &type_handle);
    nic_goes_inside(false);
}
