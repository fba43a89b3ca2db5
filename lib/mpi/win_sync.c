/* Active targets: fence, and post, start, complete and wait. */
#include "mpi/win_sync.h"

#include <stdlib.h>

#include "coll/coll.h"
#include "core/request_wait.h"
#include "mpi/weak_alias.h"
#include "mpi/win_args.h"
#include "rma/epoch.h"
#include "rma/transfer.h"

int mpi_win_barrier(const char *call, struct mpi_win *w)
{
    const struct mpi_coll_plan p = { .call = call, .c = w->comm, .kind = MPI_COLL_BARRIER };
    int rc = mpi_coll_do(&p);
    if (unlikely(rc == MPI_ERR_PROC_ABORTED))
        return mpi_rma_raise(call, w, rc, -1);
    return likely(!rc) ? rc
           : mpi_win_err(w, call, rc, "the ranks of the window have called different things");
}

/* -- fence */

/* No epoch but a fence's may be open. */
static int check_fence(const char *call, struct mpi_win *w)
{
    if (mpi_rma_locks(w) || w->all_locked)
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "targets of the window are locked");
    if (w->started || w->exposure)
        return mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "an epoch of %s is open",
                           w->started ? "MPI_Win_start" : "MPI_Win_post");
    return MPI_SUCCESS;
}

int PMPI_Win_fence(int assert, MPI_Win win)
{
    const char *call = "MPI_Win_fence";
    const int known = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
    struct mpi_win *w;
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, &w);
    if (!rc)
        rc = mpi_check_assert(call, w, assert, known);
    if (!rc)
        rc = check_fence(call, w);
    if (rc)
        return rc;
    const struct mpi_rma_flushed f = mpi_rma_flush(w, -1, call);
    mpi_rma_set_fenced(w, !(assert & MPI_MODE_NOSUCCEED));
    rc = mpi_win_barrier(call, w);
    return rc ? rc : mpi_rma_raise(call, w, f.class, f.target);
}
MPI_WEAK_ALIAS(Win_fence);

/* -- general active targets */

/* The group's members as ranks of the window; to be freed. */
static int check_ranks(const char *call, struct mpi_win *w, MPI_Group group, int **ranks,
                       int *count)
{
    int bad;
    const struct mpi_group *g = mpi_group_get(group);
    if (!g)
        return mpi_win_err(w, call, MPI_ERR_GROUP, "%p is no group", (void *)group);
    *ranks = mpi_rma_ranks(w, g, &bad);
    *count = g->size;
    if (*ranks)
        return MPI_SUCCESS;
    if (bad >= 0)
        return mpi_win_err(w, call, MPI_ERR_GROUP, "rank %d of the group is not in the window's",
                           bad);
    return mpi_win_err(w, call, MPI_ERR_NO_MEM, "no memory for a list of ranks");
}

/* The beginning of an epoch: what it was given, and that no other of its kind is open. */
static int enter(const char *call, MPI_Win win, int assert, int known, bool access,
                 struct mpi_win **w)
{
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, w);
    if (!rc)
        rc = mpi_check_assert(call, *w, assert, known);
    if (rc)
        return rc;
    if (access ? (*w)->started != NULL : (*w)->exposure != NULL)
        return mpi_win_err(*w, call, MPI_ERR_RMA_SYNC, "such an epoch is open already");
    if (access && (mpi_rma_locks(*w) || (*w)->all_locked))
        return mpi_win_err(*w, call, MPI_ERR_RMA_SYNC, "targets of the window are locked");
    if (mpi_rma_fence_used(*w))
        return mpi_win_err(*w, call, MPI_ERR_RMA_SYNC,
                           "an epoch that MPI_Win_fence has opened is in use");
    mpi_rma_set_fenced(*w, false);
    return MPI_SUCCESS;
}

int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win)
{
    const char *call = "MPI_Win_post";
    const int known = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;
    struct mpi_win *w;
    int *ranks, count, rc = enter(call, win, assert, known, false, &w);
    if (!rc)
        rc = check_ranks(call, w, group, &ranks, &count);
    if (rc)
        return rc;
    rc = mpi_rma_post(w, ranks, count);
    free(ranks);
    return mpi_rma_raise(call, w, rc, -1);
}
MPI_WEAK_ALIAS(Win_post);

int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win)
{
    const char *call = "MPI_Win_start";
    struct mpi_win *w;
    int *ranks, count, rc = enter(call, win, assert, MPI_MODE_NOCHECK, true, &w);
    if (!rc)
        rc = check_ranks(call, w, group, &ranks, &count);
    if (rc)
        return rc;
    rc = mpi_rma_access(w, ranks, count);
    free(ranks);
    return mpi_rma_raise(call, w, rc, -1);
}
MPI_WEAK_ALIAS(Win_start);

int PMPI_Win_complete(MPI_Win win)
{
    const char *call = "MPI_Win_complete";
    struct mpi_win *w;
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, &w);
    if (!rc && !w->started)
        rc = mpi_win_err(w, call, MPI_ERR_RMA_SYNC, "MPI_Win_start has not been called");
    if (rc)
        return rc;
    const struct mpi_rma_flushed f = mpi_rma_flush_local(w, -1, call);
    rc = mpi_rma_complete(w);
    return mpi_rma_raise(call, w, f.class ? f.class : rc, f.target);
}
MPI_WEAK_ALIAS(Win_complete);

static int check_posted(const char *call, MPI_Win win, struct mpi_win **w)
{
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, w);
    if (!rc && !(*w)->exposure)
        rc = mpi_win_err(*w, call, MPI_ERR_RMA_SYNC, "MPI_Win_post has not been called");
    return rc;
}

int PMPI_Win_wait(MPI_Win win)
{
    struct mpi_win *w;
    int rc = check_posted("MPI_Win_wait", win, &w);
    return rc ? rc : mpi_rma_raise("MPI_Win_wait", w, mpi_rma_wait(w, NULL), -1);
}
MPI_WEAK_ALIAS(Win_wait);

int PMPI_Win_test(MPI_Win win, int *flag)
{
    const char *call = "MPI_Win_test";
    struct mpi_win *w;
    bool done;
    int rc = check_posted(call, win, &w);
    if (!rc && !flag)
        rc = mpi_win_err(w, call, MPI_ERR_ARG, "the address for the flag is NULL");
    if (rc)
        return rc;
    rc = mpi_rma_wait(w, &done);
    *flag = done;
    if (!done)
        mpi_poll_pause();
    return mpi_rma_raise(call, w, rc, -1);
}
MPI_WEAK_ALIAS(Win_test);
