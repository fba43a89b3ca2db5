/* What has failed of a target's transfers: kept until a flush tells.  A header without a .c. */
#ifndef MPI_RMA_FAILURE_H
#define MPI_RMA_FAILURE_H

#include "rma/window.h"

/* The first of a target that a flush has not told of.  Baton held, as for the others. */
static inline void mpi_rma_note_failure(struct mpi_win *w, int target, int class)
{
    if (w->part[target].failed)
        return;
    w->part[target].failed = class;
    w->failed++;
}

/* The class of what has failed of one target, which is told now; MPI_SUCCESS: nothing. */
static inline int mpi_rma_take_failure(struct mpi_win *w, int target)
{
    int class = w->part[target].failed;
    w->part[target].failed = MPI_SUCCESS;
    w->failed -= class != MPI_SUCCESS;
    return class;
}

#endif
