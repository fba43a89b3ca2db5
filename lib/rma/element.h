/* Elements in mapped memory, changed by the processor's atomic instructions. */
#ifndef MPI_RMA_ELEMENT_H
#define MPI_RMA_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/op_table.h"

/* What is done to each.  loop NULL: the new value is the origin's (replace) or the old one. */
struct mpi_rma_change {
    mpi_op_loop *loop;
    bool replace;
    bool sum;               /* of integers */
    size_t bytes;           /* of an element */
};

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

/* If the element equals `compare`, it becomes `value`; what it was goes to `result`. */
void mpi_rma_exchange_if(void *at, size_t bytes, const void *value, const void *compare,
                         void *result);

#endif
