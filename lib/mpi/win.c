/* What a program asks about a window, its name, its error handler, and memory of dynamic ones. */
#include <stdio.h>
#include <string.h>

#include "mpi/errhandler.h"
#include "mpi/weak_alias.h"
#include "mpi/win_args.h"
#include "nicemu/heap.h"
#include "rma/attach.h"

static int get(const char *call, MPI_Win win, struct mpi_win **w, const void *result)
{
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, w);
    if (!rc && !result)
        rc = mpi_win_err(*w, call, MPI_ERR_ARG, "an address is NULL");
    return rc;
}

int PMPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
    const char *call = "MPI_Win_get_group";
    struct mpi_win *w;
    int rc = get(call, win, &w, group);
    if (rc)
        return rc;
    const struct mpi_comm *c = w->comm;
    rc = mpi_group_new_in(c->session, c->size, c->world, group);
    return rc ? mpi_win_err(w, call, rc, "no memory for another group") : MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_get_group);

/* -- names; messages name the window's communicator, which so has the same */

int PMPI_Win_set_name(MPI_Win win, const char *win_name)
{
    struct mpi_win *w;
    int rc = get("MPI_Win_set_name", win, &w, win_name);
    if (rc)
        return rc;
    snprintf(w->name, sizeof w->name, "%s", win_name);
    snprintf(w->comm->name, sizeof w->comm->name, "%s", win_name);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_set_name);

int PMPI_Win_get_name(MPI_Win win, char *win_name, int *resultlen)
{
    static const char no_length[] = "the address for the length is NULL";
    const char *call = "MPI_Win_get_name";
    struct mpi_win *w = NULL;
    MPI_ENTER(call);
    int rc = win != MPI_WIN_NULL || !win_name ? get(call, win, &w, win_name) : MPI_SUCCESS;
    if (!rc && !resultlen)
        rc = w ? mpi_win_err(w, call, MPI_ERR_ARG, no_length)
               : mpi_err(NULL, call, MPI_ERR_ARG, no_length);
    if (!rc)
        *resultlen = snprintf(win_name, sizeof w->name, "%s", w ? w->name : "MPI_WIN_NULL");
    return rc;
}
MPI_WEAK_ALIAS(Win_get_name);

/* -- error handlers */

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn,
                               MPI_Errhandler *errhandler)
{
    return mpi_create_errhandler("MPI_Win_create_errhandler", MPI_ERRHANDLER_OF_WINS,
                                 (union mpi_errhandler_fn){ .win = win_errhandler_fn },
                                 errhandler);
}
MPI_WEAK_ALIAS(Win_create_errhandler);

int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
    const char *call = "MPI_Win_set_errhandler";
    struct mpi_win *w;
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, &w);
    if (!rc && !mpi_errhandler_set(&w->errhandler, errhandler, MPI_ERRHANDLER_OF_WINS))
        rc = mpi_win_err(w, call, MPI_ERR_ERRHANDLER, "%p is no error handler of a window",
                         (void *)errhandler);
    return rc;
}
MPI_WEAK_ALIAS(Win_set_errhandler);

int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
    struct mpi_win *w;
    int rc = get("MPI_Win_get_errhandler", win, &w, errhandler);
    if (!rc)
        *errhandler = mpi_errhandler_get(&w->errhandler);   /* the program frees this handle too */
    return rc;
}
MPI_WEAK_ALIAS(Win_get_errhandler);

int PMPI_Win_call_errhandler(MPI_Win win, int errorcode)
{
    const char *call = "MPI_Win_call_errhandler";
    struct mpi_win *w;
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, &w);
    if (rc)
        return rc;
    mpi_win_err(w, call, errorcode, "the program raised error code %d", errorcode);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Win_call_errhandler);

/* -- shared memory */

/* The first rank that has some; the last if none has. */
static int first_with_memory(const struct mpi_win *w)
{
    int rank = 0;
    while (rank < w->comm->size - 1 && !w->part[rank].bytes)
        rank++;
    return rank;
}

struct shared { MPI_Aint size, unit; void *base; };

/* What is not mapped here has no size. */
static void query(const struct mpi_win *w, int rank, struct shared *s)
{
    const struct mpi_rma_part *p = &w->part[rank == MPI_PROC_NULL ? first_with_memory(w) : rank];
    void *at = p->at;
    if (!at && p->bytes && w->flavor == MPI_WIN_FLAVOR_SHARED)
        at = nic_heap_at(mpi_nic, p->address.rank, p->address.offset, p->bytes);
    *s = (struct shared){ at ? (MPI_Aint)p->bytes : 0, (MPI_Aint)p->unit, at };
}

static int shared_query(const char *call, MPI_Win win, int rank, const MPI_Aint *size,
                        const void *unit, void *baseptr, struct shared *s)
{
    struct mpi_win *w;
    int rc = get(call, win, &w, size);
    if (!rc && (!unit || !baseptr))
        rc = mpi_win_err(w, call, MPI_ERR_ARG, "an address is NULL");
    if (!rc)
        rc = mpi_check_target(call, w, rank);
    if (!rc && w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        rc = mpi_win_err(w, call, MPI_ERR_RMA_FLAVOR, "the window is dynamic");
    if (!rc)
        query(w, rank, s);
    return rc;
}

#define WIN_SHARED_QUERY(name, UNIT) \
    int PMPI_##name(MPI_Win win, int rank, MPI_Aint *size, UNIT *disp_unit, void *baseptr) \
    { \
        struct shared s; \
        int rc = shared_query("MPI_" #name, win, rank, size, disp_unit, baseptr, &s); \
        if (rc) \
            return rc; \
        *size = s.size; \
        *disp_unit = (UNIT)s.unit; \
        memcpy(baseptr, &s.base, sizeof s.base); \
        return MPI_SUCCESS; \
    } \
    MPI_WEAK_ALIAS(name)
WIN_SHARED_QUERY(Win_shared_query, int);
WIN_SHARED_QUERY(Win_shared_query_c, MPI_Aint);

/* -- dynamic windows */

static int check_dynamic(const char *call, MPI_Win win, struct mpi_win **w)
{
    MPI_ENTER(call);
    int rc = mpi_check_win(call, win, w);
    if (!rc && (*w)->flavor != MPI_WIN_FLAVOR_DYNAMIC)
        rc = mpi_win_err(*w, call, MPI_ERR_RMA_FLAVOR, "the window is not dynamic");
    return rc;
}

int PMPI_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
    const char *call = "MPI_Win_attach";
    struct mpi_win *w;
    int rc = check_dynamic(call, win, &w);
    if (rc)
        return rc;
    if (size < 0)
        return mpi_win_err(w, call, MPI_ERR_SIZE, "the size is %lld", (long long)size);
    if (size && !base)
        return mpi_win_err(w, call, MPI_ERR_BASE, "the base is NULL");
    rc = mpi_rma_attach(w, base, (uint64_t)size);
    if (rc)
        rc = mpi_win_err(w, call, rc, "%lld bytes at %p: a part is attached already, or too many "
                         "pieces are",
                         (long long)size, base);
    return rc;
}
MPI_WEAK_ALIAS(Win_attach);

int PMPI_Win_detach(MPI_Win win, const void *base)
{
    const char *call = "MPI_Win_detach";
    struct mpi_win *w;
    int rc = check_dynamic(call, win, &w);
    if (!rc && !mpi_rma_detach(w, base))
        rc = mpi_win_err(w, call, MPI_ERR_BASE, "nothing that begins at %p is attached", base);
    return rc;
}
MPI_WEAK_ALIAS(Win_detach);
