/* Locks of the program's own (an extension): the queue of a window without memory, in the control
 * block of the rank that is the lock's home. */
#include <stdlib.h>

#include "core/errhandler.h"
#include "mpi/args.h"
#include "mpi/win_make.h"
#include "mpi/win_sync.h"
#include "rma/lock.h"
#include "rma/make.h"

#define MPIX_WEAK_ALIAS(name) \
    extern __typeof__(PMPIX_##name) MPIX_##name __attribute__((weak, alias("PMPIX_" #name)))

/* state: of this rank, whose threads may come at once. */
enum { IDLE, ENTERING, HELD };
struct mpi_lock { MPIX_Lock handle; struct mpi_win *w; int home, state; };

/* Errors are raised on a communicator of the lock's own, with the handler that the program's had
 * when the lock was made. */
static int raise_class(const char *call, const struct mpi_lock *l, int class, int ended)
{
    if (likely(!class))
        return class;
    if (ended < 0)
        return mpi_err(l->w->comm, call, class, "a word of the lock is out of reach, or has been "
                       "written over");
    if (ended == l->home)
        return mpi_err(l->w->comm, call, class, "rank %d, the lock's home, has ended", ended);
    return mpi_err(l->w->comm, call, class,
                   "rank %d has ended, with the lock or in front of others in its queue", ended);
}

static int enter(const char *call, MPIX_Lock lock, struct mpi_lock **l)
{
    MPI_ENTER(call);
    *l = mpi_handle_get(MPI_KIND_LOCK, (uintptr_t)lock);
    if (likely(*l))
        return MPI_SUCCESS;
    return mpi_err(NULL, call, MPI_ERR_ARG, lock == MPIX_LOCK_NULL ? "the lock is MPIX_LOCK_NULL"
                   : "%p is no lock (freed?)", (void *)lock);
}

/* -- made and freed */

static int check_home(const char *call, MPI_Comm comm, int home)
{
    struct mpi_comm *c;
    int rc = mpi_check_intra(call, comm, &c);
    if (rc || (unsigned)home < (unsigned)c->size)
        return rc;
    return mpi_err(c, call, MPI_ERR_RANK, "the home is rank %d, not in 0..%d", home, c->size - 1);
}

/* The window has its place from here on; all ranks do as well, or the one without memory ends. */
static int finish(struct mpi_lock *l, MPI_Comm comm, MPIX_Lock *lock)
{
    MPI_Errhandler handler = mpi_errhandler_get(&mpi_comm_get(comm)->errhandler);
    mpi_errhandler_set(&l->w->comm->errhandler, handler, MPI_ERRHANDLER_OF_COMMS);
    mpi_errhandler_free(handler);
    l->w->breaks = true;
    *lock = l->handle;
    return MPI_SUCCESS;
}

static void delete_lock(struct mpi_lock *l)
{
    if (l && l->handle)
        mpi_handle_free((uintptr_t)l->handle);
    free(l);
}

int PMPIX_Lock_create(MPI_Comm comm, int home, MPIX_Lock *lock)
{
    const struct mpi_comm_origin from = { .call = "MPIX_Lock_create", .maker = MPI_MADE_LOCK,
                                          .caller = __builtin_return_address(0) };
    MPI_ENTER(from.call);
    if (!lock)
        return mpi_err(NULL, from.call, MPI_ERR_ARG, "the address for the result is NULL");
    int rc = check_home(from.call, comm, home);
    if (rc)
        return rc;
    struct mpi_lock *l = calloc(1, sizeof *l);
    *lock = MPIX_LOCK_NULL;
    if (l)
        l->handle = (MPIX_Lock)mpi_handle_new(MPI_KIND_LOCK, l);
    if (!l || !l->handle) {
        delete_lock(l);
        return mpi_err(mpi_comm_get(comm), from.call, MPI_ERR_NO_MEM, "no memory for a lock");
    }
    l->home = home;
    rc = mpi_win_make_bare(&from, comm, home, &l->w);
    if (!rc)
        return finish(l, comm, lock);
    delete_lock(l);
    return rc;
}
MPIX_WEAK_ALIAS(Lock_create);

int PMPIX_Lock_free(MPIX_Lock *lock)
{
    const char *call = "MPIX_Lock_free";
    struct mpi_lock *l;
    MPI_ENTER(call);
    if (!lock)
        return mpi_err(NULL, call, MPI_ERR_ARG, "the address of the lock is NULL");
    int rc = enter(call, *lock, &l);
    if (rc)
        return rc;
    if (__atomic_load_n(&l->state, __ATOMIC_ACQUIRE) != IDLE)
        return mpi_err(l->w->comm, call, MPI_ERR_RMA_SYNC, "this rank has the lock");
    struct mpi_comm *own = l->w->comm;
    rc = mpi_win_barrier(call, l->w);
    mpi_rma_delete(l->w);
    mpi_comm_release(own);
    delete_lock(l);
    *lock = MPIX_LOCK_NULL;
    return rc;
}
MPIX_WEAK_ALIAS(Lock_free);

/* -- had and given back */

/* From one state of this rank to the next. */
static bool moves(struct mpi_lock *l, int from, int to)
{
    return __atomic_compare_exchange_n(&l->state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static int has_it(const char *call, const struct mpi_lock *l)
{
    return mpi_err(l->w->comm, call, MPI_ERR_RMA_CONFLICT,
                   "this rank has the lock already, or waits for it");
}

int PMPIX_Lock_acquire(MPIX_Lock lock)
{
    const char *call = "MPIX_Lock_acquire";
    struct mpi_lock *l;
    int ended, rc = enter(call, lock, &l);
    if (rc)
        return rc;
    if (unlikely(!moves(l, IDLE, ENTERING)))
        return has_it(call, l);
    rc = mpi_rma_mutex_lock(l->w, l->home, call, &ended);
    moves(l, ENTERING, rc ? IDLE : HELD);
    return raise_class(call, l, rc, ended);
}
MPIX_WEAK_ALIAS(Lock_acquire);

int PMPIX_Lock_try(MPIX_Lock lock, int *flag)
{
    const char *call = "MPIX_Lock_try";
    struct mpi_lock *l;
    bool got = false;
    int ended, rc = enter(call, lock, &l);
    if (rc)
        return rc;
    if (!flag)
        return mpi_err(l->w->comm, call, MPI_ERR_ARG, "the address for the result is NULL");
    if (unlikely(!moves(l, IDLE, ENTERING)))
        return has_it(call, l);
    rc = mpi_rma_mutex_try(l->w, l->home, &got, &ended);
    moves(l, ENTERING, got ? HELD : IDLE);
    *flag = got;
    if (!got) {                 /* programs poll with it */
        nic_enter(mpi_nic);
        nic_step(mpi_nic);
        nic_leave(mpi_nic);
    }
    return raise_class(call, l, rc, ended);
}
MPIX_WEAK_ALIAS(Lock_try);

int PMPIX_Lock_release(MPIX_Lock lock)
{
    const char *call = "MPIX_Lock_release";
    struct mpi_lock *l;
    int ended, rc = enter(call, lock, &l);
    if (rc)
        return rc;
    if (unlikely(!moves(l, HELD, ENTERING)))
        return mpi_err(l->w->comm, call, MPI_ERR_RMA_SYNC, "this rank has not got the lock");
    rc = mpi_rma_mutex_unlock(l->w, l->home, call, &ended);
    moves(l, ENTERING, IDLE);
    return raise_class(call, l, rc, ended);
}
MPIX_WEAK_ALIAS(Lock_release);
