/* Passive targets: locks and flushes. */
#include "mpi/weak_alias.h"
#include "mpi/win_args.h"
#include "rma/epoch.h"
#include "rma/lock.h"
#include "rma/transfer.h"

/* -- what a call is given */

static int enter(const char *call, MPI_Win win, struct mpi_win **w)
{
    MPI_ENTER(call);
    return mpi_check_win(call, win, w);
}

/* A lock begins an epoch of access, which no active one may be besides. */
static int check_inactive(const char *call, struct mpi_win *w)
{
    if (w->started)
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "an epoch of MPI_Win_start is open");
    if (w->fenced && w->used)
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC,
                           "an epoch that MPI_Win_fence has opened is in use");
    if (w->fenced)              /* else threads that lock other targets may look at it */
        w->fenced = false;
    return MPI_SUCCESS;
}

static int check_lock(const char *call, struct mpi_win *w, int type, int rank)
{
    if (type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        return mpi_win_err(w, call, MPI_ERR_LOCKTYPE, "%d is no type of lock", type);
    int rc = mpi_check_target(call, w, rank);
    if (!rc)
        rc = check_inactive(call, w);
    if (rc || rank == MPI_PROC_NULL)
        return rc;
    if (w->all_locked || w->part[rank].lock)
        return mpi_win_err(w, call, MPI_ERR_RMA_CONFLICT, "this rank has locked rank %d already",
                           rank);
    return MPI_SUCCESS;
}

/* -- one target */

int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win)
{
    const char *call = "MPI_Win_lock";
    struct mpi_win *w;
    int rc = enter(call, win, &w);
    if (!rc)
        rc = check_lock(call, w, lock_type, rank);
    if (!rc)
        rc = mpi_check_assert(call, w, assert, MPI_MODE_NOCHECK);
    if (rc || rank == MPI_PROC_NULL)
        return rc;
    const bool exclusive = lock_type == MPI_LOCK_EXCLUSIVE;
    struct mpi_rma_part *p = &w->part[rank];
    p->nocheck = assert & MPI_MODE_NOCHECK;
    if (!p->nocheck)
        mpi_rma_lock(w, rank, exclusive, call);
    p->lock = exclusive ? MPI_RMA_EXCLUSIVE : MPI_RMA_SHARED;
    __atomic_fetch_add(&w->locks, 1, __ATOMIC_RELAXED);     /* threads may lock different targets */
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_lock);

int PMPI_Win_unlock(int rank, MPI_Win win)
{
    const char *call = "MPI_Win_unlock";
    struct mpi_win *w;
    int rc = enter(call, win, &w);
    if (!rc)
        rc = mpi_check_target(call, w, rank);
    if (rc || rank == MPI_PROC_NULL)
        return rc;
    struct mpi_rma_part *p = &w->part[rank];
    if (!p->lock)
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "rank %d is not locked by MPI_Win_lock",
                           rank);
    int class = mpi_rma_flush(w, rank, call);
    const bool exclusive = p->lock == MPI_RMA_EXCLUSIVE;
    p->lock = MPI_RMA_UNLOCKED;
    __atomic_fetch_sub(&w->locks, 1, __ATOMIC_RELAXED);
    if (!p->nocheck)
        mpi_rma_unlock(w, rank, exclusive);
    return mpi_rma_raise(call, w, class, rank);
}
MPI_WEAK_ALIAS(Win_unlock);

/* -- all of them */

int PMPI_Win_lock_all(int assert, MPI_Win win)
{
    const char *call = "MPI_Win_lock_all";
    struct mpi_win *w;
    int rc = enter(call, win, &w);
    if (!rc)
        rc = mpi_check_assert(call, w, assert, MPI_MODE_NOCHECK);
    if (!rc)
        rc = check_inactive(call, w);
    if (rc)
        return rc;
    if (w->all_locked || w->locks)
        return mpi_win_err(w, call, MPI_ERR_RMA_CONFLICT, "this rank has locked %s already",
                           w->all_locked ? "all ranks" : "a rank");
    w->all_nocheck = assert & MPI_MODE_NOCHECK;
    for (int i = 0; !w->all_nocheck && i < w->comm->size; i++)
        mpi_rma_lock(w, i, false, call);
    w->all_locked = true;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_lock_all);

int PMPI_Win_unlock_all(MPI_Win win)
{
    const char *call = "MPI_Win_unlock_all";
    struct mpi_win *w;
    int rc = enter(call, win, &w);
    if (!rc && !w->all_locked)
        rc = mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "MPI_Win_lock_all has not been called");
    if (rc)
        return rc;
    int class = mpi_rma_flush(w, -1, call);
    w->all_locked = false;
    for (int i = 0; !w->all_nocheck && i < w->comm->size; i++)
        mpi_rma_unlock(w, i, false);
    return mpi_rma_raise(call, w, class, -1);
}
MPI_WEAK_ALIAS(Win_unlock_all);

/* -- flushes.  What is complete here is complete at the target. */

/* rank below 0: all. */
static int flush(const char *call, int rank, MPI_Win win, bool all)
{
    struct mpi_win *w;
    int rc = enter(call, win, &w);
    if (!rc && !all)
        rc = mpi_check_target(call, w, rank);
    if (rc || (!all && rank == MPI_PROC_NULL))
        return rc;
    bool locked = w->all_locked || (all ? w->locks > 0 : w->part[rank].lock);
    if (unlikely(!locked))
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, all ? "no rank of the window is locked"
                           : "rank %d is not locked", rank);
    return mpi_rma_raise(call, w, mpi_rma_flush(w, all ? -1 : rank, call), all ? -1 : rank);
}

#define FLUSH(name) \
    int PMPI_##name(int rank, MPI_Win win) { return flush("MPI_" #name, rank, win, false); } \
    MPI_WEAK_ALIAS(name); \
    int PMPI_##name##_all(MPI_Win win) { return flush("MPI_" #name "_all", -1, win, true); } \
    MPI_WEAK_ALIAS(name##_all)
FLUSH(Win_flush);
FLUSH(Win_flush_local);

/* All windows are of the unified kind: what is stored is there, in some order. */
int PMPI_Win_sync(MPI_Win win)
{
    struct mpi_win *w;
    int rc = enter("MPI_Win_sync", win, &w);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!rc && unlikely(mpi_modelled)) {    /* programs poll with it */
        nic_enter(mpi_nic);
        nic_step(mpi_nic);
        nic_leave(mpi_nic);
    }
    return rc;
}
MPI_WEAK_ALIAS(Win_sync);
