/* Passive targets: locks and flushes. */
#include "mpi/weak_alias.h"
#include "mpi/win_args.h"
#include "rma/epoch.h"
#include "rma/lock.h"
#include "rma/look.h"
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
    if (mpi_rma_fence_used(w))
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC,
                           "an epoch that MPI_Win_fence has opened is in use");
    mpi_rma_set_fenced(w, false);
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
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "this rank has locked rank %d already",
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
    rc = p->nocheck ? MPI_SUCCESS : mpi_rma_lock(w, rank, exclusive, call);
    if (rc)
        return mpi_rma_raise(call, w, rc, rank);
    p->lock = exclusive ? MPI_RMA_EXCLUSIVE : MPI_RMA_SHARED;
    mpi_rma_count_lock(w, 1);
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
    int class = mpi_rma_flush(w, rank, call).class;
    const bool exclusive = p->lock == MPI_RMA_EXCLUSIVE;
    p->lock = MPI_RMA_UNLOCKED;
    mpi_rma_count_lock(w, -1);
    rc = p->nocheck ? MPI_SUCCESS : mpi_rma_unlock(w, rank, exclusive);
    return mpi_rma_raise(call, w, class ? class : rc, rank);
}
MPI_WEAK_ALIAS(Win_unlock);

/* -- all of them */

/* All of them, or none: the one that cannot be had. */
static struct mpi_rma_flushed share_all(struct mpi_win *w, const char *call)
{
    int i = 0, class = MPI_SUCCESS;
    while (i < w->comm->size && !(class = mpi_rma_lock(w, i, false, call)))
        i++;
    for (int j = 0; class && j < i; j++)
        mpi_rma_unlock(w, j, false);
    return (struct mpi_rma_flushed){ class, i };
}

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
    if (w->all_locked || mpi_rma_locks(w))
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "this rank has locked %s already",
                           w->all_locked ? "all ranks" : "a rank");
    w->all_nocheck = assert & MPI_MODE_NOCHECK;
    const struct mpi_rma_flushed f = w->all_nocheck ? (struct mpi_rma_flushed){ .class = 0 }
                                     : share_all(w, call);
    if (f.class)
        return mpi_rma_raise(call, w, f.class, f.target);
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
    struct mpi_rma_flushed f = mpi_rma_flush(w, -1, call);
    w->all_locked = false;
    for (int i = 0; !w->all_nocheck && i < w->comm->size; i++) {
        int class = mpi_rma_unlock(w, i, false);
        if (class && !f.class)
            f = (struct mpi_rma_flushed){ class, i };
    }
    return mpi_rma_raise(call, w, f.class, f.target);
}
MPI_WEAK_ALIAS(Win_unlock_all);

/* -- flushes */

typedef struct mpi_rma_flushed flush_fn(struct mpi_win *w, int target, const char *call);

/* rank below 0: all. */
static int flush(const char *call, int rank, MPI_Win win, bool all, flush_fn *wait)
{
    struct mpi_win *w;
    int rc = enter(call, win, &w);
    if (!rc && !all)
        rc = mpi_check_target(call, w, rank);
    if (rc || (!all && rank == MPI_PROC_NULL))
        return rc;
    bool locked = w->all_locked || (all ? mpi_rma_locks(w) > 0 : w->part[rank].lock);
    if (unlikely(!locked))
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, all ? "no rank of the window is locked"
                           : "rank %d is not locked", rank);
    const struct mpi_rma_flushed f = wait(w, all ? -1 : rank, call);
    return mpi_rma_raise(call, w, f.class, f.target);
}

#define FLUSH(name, wait) \
    int PMPI_##name(int rank, MPI_Win win) { return flush("MPI_" #name, rank, win, false, wait); } \
    MPI_WEAK_ALIAS(name); \
    int PMPI_##name##_all(MPI_Win win) { return flush("MPI_" #name "_all", -1, win, true, wait); } \
    MPI_WEAK_ALIAS(name##_all)
FLUSH(Win_flush, mpi_rma_flush);
FLUSH(Win_flush_local, mpi_rma_flush_local);

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
    if (!rc)
        mpi_rma_looked(win, MPI_PROC_NULL, 0, NULL, 0);
    return rc;
}
MPI_WEAK_ALIAS(Win_sync);
