/* Where a call's target lies, and whether an epoch is open for it. */
#include "mpi/rma_access.h"

static int outside(const struct mpi_rma_access *x, bool passive)
{
    if (passive && mpi_rma_may(x->w, x->target))
        return mpi_win_err(x->w, x->call, MPI_ERR_RMA_SYNC,
                           "rank %d is not locked: a call with a request needs MPI_Win_lock",
                           x->target);
    return mpi_win_err(x->w, x->call, MPI_ERR_RMA_SYNC, "no epoch is open for an access to rank %d",
                       x->target);
}

int mpi_rma_enter(struct mpi_rma_access *x, MPI_Win win, int target, bool passive)
{
    MPI_ENTER(x->call);
    x->target = target;
    int rc = mpi_check_win(x->call, win, &x->w);
    if (!rc)
        rc = mpi_check_target(x->call, x->w, target);
    if (rc || target == MPI_PROC_NULL)
        return rc;
    const struct mpi_win *w = x->w;
    bool may = passive ? w->part[target].lock || w->all_locked : mpi_rma_may(x->w, target);
    return likely(may) ? MPI_SUCCESS : outside(x, passive);
}

int mpi_rma_find(struct mpi_rma_access *x, MPI_Aint disp, MPI_Count count, MPI_Datatype type)
{
    static char some;           /* the target's memory is not NULL */
    const struct mpi_rma_part *p = &x->w->part[x->target];
    int rc = mpi_check_side(x->call, x->w, "target", &some, count, type, &x->remote);
    if (rc)
        return rc;
    x->remote.at = NULL;
    if (unlikely(disp < 0 && x->w->flavor != MPI_WIN_FLAVOR_DYNAMIC))
        return mpi_win_err(x->w, x->call, MPI_ERR_DISP, "the displacement is %lld",
                           (long long)disp);
    rc = x->remote.bytes ? mpi_rma_place(x->w, x->target, disp, &x->remote, &x->place)
         : MPI_SUCCESS;
    if (likely(!rc))
        return rc;
    return mpi_win_err(x->w, x->call, rc,
                       "%zu bytes at displacement %lld (units of %lld bytes) are not within the "
                       "%llu bytes of rank %d", x->remote.bytes, (long long)disp,
                       (long long)p->unit, (unsigned long long)p->bytes, x->target);
}
