/* Epochs: when a rank may access which targets, and the synchronization that opens and closes
 * them. */
#ifndef MPI_RMA_EPOCH_H
#define MPI_RMA_EPOCH_H

#include "core/group.h"
#include "rma/window.h"

/* Whether this rank may access the target now; it counts as use of a fence's epoch. */
static inline bool mpi_rma_may(struct mpi_win *w, int target)
{
    const struct mpi_rma_part *p = &w->part[target];
    if (likely(p->lock || w->all_locked || p->started))
        return true;
    if (w->fenced && !__atomic_load_n(&w->used, __ATOMIC_RELAXED))
        __atomic_store_n(&w->used, true, __ATOMIC_RELAXED);     /* threads may do so at once */
    return w->fenced;
}

/* -- post, start, complete, wait, by messages on the window's communicator.  Ranks are those of the
 * window.  MPI_SUCCESS or an error class.  Without the baton. */

int mpi_rma_post(struct mpi_win *w, const int *ranks, int count);
/* Waits until all of them have posted. */
int mpi_rma_access(struct mpi_win *w, const int *ranks, int count);
int mpi_rma_complete(struct mpi_win *w);
/* *done NULL: waits. */
int mpi_rma_wait(struct mpi_win *w, bool *done);

/* Ranks of the window that the group has; *bad: the first member that it has not, or -1.  To be
 * freed; NULL: no memory, or a bad member. */
int *mpi_rma_ranks(const struct mpi_win *w, const struct mpi_group *g, int *bad);

#endif
