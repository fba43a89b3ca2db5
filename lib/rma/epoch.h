/* Epochs: when a rank may access which targets, and the synchronization that opens and closes
 * them. */
#ifndef MPI_RMA_EPOCH_H
#define MPI_RMA_EPOCH_H

#include "core/group.h"
#include "rma/window.h"

/* -- what threads of this rank change and look at in calls that the program need not order: access
 * to several targets, locks of different ones.  Nothing else hangs on the values, so no order is
 * needed. */

static inline bool mpi_rma_fenced(const struct mpi_win *w)
{
    return __atomic_load_n(&w->fenced, __ATOMIC_RELAXED);
}
/* The epoch that a fence has opened is in use. */
static inline bool mpi_rma_fence_used(const struct mpi_win *w)
{
    return mpi_rma_fenced(w) && __atomic_load_n(&w->used, __ATOMIC_RELAXED);
}
/* An epoch of a fence begins, or none does. */
static inline void mpi_rma_set_fenced(struct mpi_win *w, bool fenced)
{
    if (mpi_rma_fenced(w) != fenced)
        __atomic_store_n(&w->fenced, fenced, __ATOMIC_RELAXED);
    __atomic_store_n(&w->used, false, __ATOMIC_RELAXED);
}

/* Targets locked one by one. */
static inline int mpi_rma_locks(const struct mpi_win *w)
{
    return __atomic_load_n(&w->locks, __ATOMIC_RELAXED);
}
static inline void mpi_rma_count_lock(struct mpi_win *w, int change)
{
    __atomic_fetch_add(&w->locks, change, __ATOMIC_RELAXED);
}

/* Whether this rank may access the target now; it counts as use of a fence's epoch. */
static inline bool mpi_rma_may(struct mpi_win *w, int target)
{
    const struct mpi_rma_part *p = &w->part[target];
    if (likely(p->lock || w->all_locked || p->started))
        return true;
<<<<<<< HEAD
    if (w->fenced && !__atomic_load_n(&w->used, __ATOMIC_RELAXED))
        __atomic_store_n(&w->used, true, __ATOMIC_RELAXED);     /* threads may do so at once */
    return w->fenced;
=======
    if (!mpi_rma_fenced(w))
        return false;
    if (!mpi_rma_fence_used(w))
        __atomic_store_n(&w->used, true, __ATOMIC_RELAXED);
    return true;
>>>>>>> w-rma
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
