/* Elements in mapped memory, changed by the processor's atomic instructions. */
#ifndef MPI_RMA_ELEMENT_H
#define MPI_RMA_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/op.h"
#include "core/op_table.h"
#include "core/type.h"

/* What is done to each: the new value is the origin's (replace), the sum, what the loop makes, or
 * (loop NULL) the old one. */
struct mpi_rma_change {
    mpi_op_loop *loop;
    bool replace;
    bool sum;               /* of integers */
    size_t bytes;           /* of an element */
};

/* Of an operation on a predefined type, which it is defined on. */
static inline struct mpi_rma_change mpi_rma_change_of(MPI_Op op, const struct mpi_type *t)
{
    const bool integer = t->elem >= MPI_ELEM_I8 && t->elem <= MPI_ELEM_U64;
    struct mpi_rma_change c = { .replace = op == MPI_REPLACE, .sum = op == MPI_SUM && integer,
                                .bytes = t->size };
    if (!c.replace && !c.sum && op != MPI_NO_OP)
        c.loop = mpi_op_loop_get(op, t->elem);
    return c;
}

/* Whether an element there is one of these. */
static inline bool mpi_rma_element_fits(const void *at, size_t bytes)
{
    bool size = bytes && bytes <= 8 && !(bytes & (bytes - 1));
    return size && !((uintptr_t)at & (bytes - 1));
}

/* `count` elements side by side; origin: NULL where the old values stay, result: NULL where nobody
 * wants them; neither need be aligned. */
void mpi_rma_change(void *at, size_t count, const struct mpi_rma_change *change,
                    const void *origin, void *result);

/* If the element equals `compare`, it becomes `value`, and the answer is true; what it was goes to
 * `result`. */
bool mpi_rma_exchange_if(void *at, size_t bytes, const void *value, const void *compare,
                         void *result);

#endif
