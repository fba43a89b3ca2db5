/* Reduction operations. */
#ifndef MPI_OP_H
#define MPI_OP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include "mpi.h"
#include "core/op_table.h"
#include "core/type.h"

struct mpi_op {
    MPI_User_function *fn;      /* of a program's: one of both */
    MPI_User_function_c *fn_c;
    bool commutative;
    unsigned families;          /* of predefined ones: enum mpi_family of the types they take */
    const char *name;
    _Atomic unsigned users;     /* of a program's: its handle, and reductions under way */
};

static inline bool mpi_op_is_predefined(const struct mpi_op *op) { return !op->fn && !op->fn_c; }

/* A program's operation, of one of both functions (MPI_OP_NULL: no memory); its end (false: it is
 * none of those). */
MPI_Op mpi_op_new(MPI_User_function *fn, MPI_User_function_c *fn_c, bool commutative);
bool mpi_op_free(MPI_Op h);

/* For reductions that outlive the handle: it works on until who holds it drops it. */
void mpi_op_hold(const struct mpi_op *op);
void mpi_op_drop(const struct mpi_op *op);

/* NULL if the handle is no operation (MPI_OP_NULL is none). */
const struct mpi_op *mpi_op_get(MPI_Op h);

/* One that there is, on a type: false where mpi_op_check below gives an error. */
static inline bool mpi_op_takes(const struct mpi_op *op, const struct mpi_type *type)
{
    return !mpi_op_is_predefined(op) || (op->families & type->family);
}

/* 0, or MPI_ERR_OP when the predefined operation is not defined on the type (MPI standard,
 * section "Predefined Reduction Operations"; REPLACE and NO_OP are for one-sided calls only) or
 * when there is no such operation. */
int mpi_op_check(MPI_Op h, const struct mpi_type *type);

/* inout[i] = in[i] op inout[i] for count elements.  Valid only after mpi_op_check gave 0.  The
 * buffers do not overlap; predefined operations take them at any alignment. */
void mpi_op_apply(const struct mpi_op *op, MPI_Datatype type_handle, const void *in, void *inout,
                  size_t count);

#endif
