/* Operations that combine what is in a target's memory with what an origin brings.
 *
 * Elements of 1, 2, 4 or 8 bytes on their alignment, in memory that all ranks of the window have
 * mapped, are changed by the processor's atomic instructions, or many at once in bulk (bulk.h).
 * All others are read, changed and written back under the `busy` word of the target.  Which of both
 * it is depends on nothing but the element's place and size, so that it is the same for all who
 * work on it; who has the target's lock for itself changes all of them by loops.  Each is over when
 * the call returns, so those of one origin are in order. */
#ifndef MPI_RMA_ACCUMULATE_H
#define MPI_RMA_ACCUMULATE_H

#include "core/world.h"
#include "rma/place.h"
#include "rma/side.h"

struct mpi_rma_accumulate {
    MPI_Op op;
    MPI_Datatype basic;                 /* predefined: what all sides are made of */
    const struct mpi_rma_side *origin;  /* NULL: MPI_NO_OP */
    const struct mpi_rma_side *result;  /* gets what was there; NULL: not wanted */
    const struct mpi_rma_side *remote;
};

/* Nobody else may change anything there now; another thread of this rank might. */
static inline bool mpi_rma_is_alone(const struct mpi_win *w, int target)
{
    return w->part[target].lock == MPI_RMA_EXCLUSIVE && !mpi_threaded;
}

/* MPI_SUCCESS or an error class.  Without the baton. */
int mpi_rma_accumulate(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                       const struct mpi_rma_accumulate *a);

/* One element: what was there goes to `result`; where that equals `compare`, `value` comes. */
int mpi_rma_compare(struct mpi_win *w, int target, const struct mpi_rma_place *place,
                    const struct mpi_rma_side *remote, const void *value, const void *compare,
                    void *result);

/* The basic type that all elements of a type are; MPI_DATATYPE_NULL: it has several, or none. */
MPI_Datatype mpi_rma_basic(const struct mpi_type *t, MPI_Datatype handle);

#endif
