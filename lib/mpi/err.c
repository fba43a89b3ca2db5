/* Raising errors, and the handlers that decide what becomes of them.
 *
 * Thread rules: which handler a communicator has, and the counts of the created
 * handlers, are under one lock; it is not held while a handler runs. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/printable.h"
#include "mpi/comm.h"
#include "mpi/err.h"
#include "mpi/handle.h"
#include "mpi/init.h"
#include "mpi/twin.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* -------------------------------------------------------- life of a handler -- */

static bool is_predefined(MPI_Errhandler h)
{
    return h == MPI_ERRORS_ARE_FATAL || h == MPI_ERRORS_ABORT || h == MPI_ERRORS_RETURN;
}

static struct mpi_errhandler *created(MPI_Errhandler h)
{
    return mpi_handle_get(MPI_KIND_ERRHANDLER, (uintptr_t)h);
}

/* Under lock. */
static void end_if_unused(MPI_Errhandler h, struct mpi_errhandler *e)
{
    if (e->handles > 0 || e->comms > 0)
        return;
    mpi_handle_free((uintptr_t)h);
    free(e);
}

/* Under lock. */
static void drop_locked(MPI_Errhandler h)
{
    struct mpi_errhandler *e = created(h);

    if (!e)
        return;
    e->comms--;
    end_if_unused(h, e);
}

void mpi_errhandler_hold(MPI_Errhandler h)
{
    struct mpi_errhandler *e;

    pthread_mutex_lock(&lock);
    e = created(h);
    if (e)
        e->comms++;
    pthread_mutex_unlock(&lock);
}

void mpi_errhandler_drop(MPI_Errhandler h)
{
    pthread_mutex_lock(&lock);
    drop_locked(h);
    pthread_mutex_unlock(&lock);
}

/* ----------------------------------------------------------------- messages -- */

struct text { char buf[1024]; size_t used; };

__attribute__((format(printf, 2, 3)))
static void text_add(struct text *t, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(t->buf + t->used, sizeof t->buf - t->used, format, args);
    va_end(args);
    if (n > 0)
        t->used += (size_t)n < sizeof t->buf - t->used ? (size_t)n : sizeof t->buf - t->used - 1;
}

static void text_add_where(struct text *t, const struct mpi_comm *comm)
{
    const int rank = mpi_comm_world.rank;

    char label[256];

    if (mpi_state == MPI_STATE_NONE)
        text_add(t, "\n  reported by process %ld", (long)getpid());
    else if (comm == &mpi_comm_world)
        text_add(t, "\n  reported by rank %d of MPI_COMM_WORLD", rank);
    else
        text_add(t, "\n  reported by rank %d of %s (rank %d of MPI_COMM_WORLD)", comm->rank,
                 mpi_label_long(comm, label, sizeof label), rank);
}

/* In one write, so that the lines of several ranks do not mix. */
static void text_print(struct text *t)
{
    size_t done = 0;

    if (t->used == sizeof t->buf - 1)
        t->used--;      /* cut short: the newline still has its place */
    t->buf[t->used++] = '\n';
    while (done < t->used) {
        ssize_t n = write(STDERR_FILENO, t->buf + done, t->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return;     /* nobody to tell */
    }
}

__attribute__((format(printf, 4, 0), noreturn))
static void fatal(const struct mpi_comm *comm, const char *call, int class, const char *why, va_list args)
{
    const char *words = mpi_err_text(class);
    struct text t = { .used = 0 };
    char reason[512], shown[768];     /* what is shown has no control characters: keys, say */

    text_add(&t, "Fatal error in %s: %s\n  ", call, words ? words : "unknown error code");
    vsnprintf(reason, sizeof reason, why, args);
    text_add(&t, "%s", printable(shown, sizeof shown, reason, ""));
    text_add_where(&t, comm);
    text_print(&t);
    mpi_die(class > 0 && class < 256 ? class : 1);
}

/* ------------------------------------------------------------------ raising -- */

/* The communicator's handler, held against being freed until mpi_errhandler_drop. */
static MPI_Errhandler handler_take(const struct mpi_comm *comm, MPI_Comm_errhandler_function **fn)
{
    struct mpi_errhandler *e;
    MPI_Errhandler h;

    pthread_mutex_lock(&lock);
    h = comm->errhandler;
    e = created(h);
    if (e)
        e->comms++;
    *fn = e ? e->fn : NULL;
    pthread_mutex_unlock(&lock);
    return h;
}

__attribute__((format(printf, 4, 0)))
static int raise_error(struct mpi_comm *comm, const char *call, int class, const char *why, va_list args)
{
    MPI_Comm_errhandler_function *fn = NULL;
    MPI_Errhandler h = MPI_ERRORS_ARE_FATAL;
    struct mpi_comm *on = comm ? comm : &mpi_comm_self;
    int code = class;

    if (mpi_state == MPI_STATE_INIT)
        h = handler_take(on, &fn);
    if (h != MPI_ERRORS_RETURN && !fn)
        fatal(on, call, class, why, args);
    if (fn) {
        MPI_Comm handle = on->handle;
        fn(&handle, &code);
        mpi_errhandler_drop(h);
    }
    return class;
}

int mpi_err(struct mpi_comm *comm, const char *call, int class, const char *why, ...)
{
    va_list args;
    int code;

    va_start(args, why);
    code = raise_error(comm, call, class, why, args);
    va_end(args);
    return code;
}

/* ----------------------------------------------------------- the MPI calls -- */

#define NO_HANDLER(comm, call, handle) \
    mpi_err(comm, call, MPI_ERR_ERRHANDLER, "%p is no error handler of a communicator", (void *)(handle))

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn, MPI_Errhandler *errhandler)
{
    struct mpi_errhandler *e;

    if (!comm_errhandler_fn)
        return mpi_err(NULL, "MPI_Comm_create_errhandler", MPI_ERR_ARG, "the function is NULL");
    if (!errhandler)
        return mpi_err(NULL, "MPI_Comm_create_errhandler", MPI_ERR_ARG, "the address for the error handler is NULL");
    e = malloc(sizeof *e);
    if (e) {
        *e = (struct mpi_errhandler){ .fn = comm_errhandler_fn, .handles = 1 };
        *errhandler = (MPI_Errhandler)mpi_handle_new(MPI_KIND_ERRHANDLER, e);
        if (*errhandler)
            return MPI_SUCCESS;
        *errhandler = MPI_ERRHANDLER_NULL;
        free(e);
    }
    return mpi_err(NULL, "MPI_Comm_create_errhandler", MPI_ERR_NO_MEM, "no memory for another error handler");
}
TWIN(Comm_create_errhandler);

int PMPI_Errhandler_free(MPI_Errhandler *errhandler)
{
    struct mpi_errhandler *e;
    bool valid;

    if (!errhandler)
        return mpi_err(NULL, "MPI_Errhandler_free", MPI_ERR_ARG, "the address of the error handler is NULL");
    pthread_mutex_lock(&lock);
    e = created(*errhandler);
    valid = is_predefined(*errhandler) || (e && e->handles > 0);
    if (e && valid) {
        e->handles--;
        end_if_unused(*errhandler, e);
    }
    pthread_mutex_unlock(&lock);
    if (!valid)
        return NO_HANDLER(NULL, "MPI_Errhandler_free", *errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}
TWIN(Errhandler_free);

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
    struct mpi_errhandler *e;
    struct mpi_comm *c;
    bool valid;

    MPI_ENTER("MPI_Comm_set_errhandler");
    c = mpi_comm_get(comm);
    if (!c)
        return mpi_err(NULL, "MPI_Comm_set_errhandler", MPI_ERR_COMM, "%p is no communicator", (void *)comm);
    pthread_mutex_lock(&lock);
    e = created(errhandler);
    valid = is_predefined(errhandler) || (e && e->handles > 0);
    if (valid) {
        if (e)
            e->comms++;     /* before the drop: they may be the same */
        drop_locked(c->errhandler);
        c->errhandler = errhandler;
    }
    pthread_mutex_unlock(&lock);
    return valid ? MPI_SUCCESS : NO_HANDLER(c, "MPI_Comm_set_errhandler", errhandler);
}
TWIN(Comm_set_errhandler);

int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    struct mpi_errhandler *e;
    struct mpi_comm *c;

    MPI_ENTER("MPI_Comm_get_errhandler");
    c = mpi_comm_get(comm);
    if (!c)
        return mpi_err(NULL, "MPI_Comm_get_errhandler", MPI_ERR_COMM, "%p is no communicator", (void *)comm);
    if (!errhandler)
        return mpi_err(c, "MPI_Comm_get_errhandler", MPI_ERR_ARG, "the address for the error handler is NULL");
    pthread_mutex_lock(&lock);
    *errhandler = c->errhandler;
    e = created(*errhandler);
    if (e)
        e->handles++;       /* the program frees this one too */
    pthread_mutex_unlock(&lock);
    return MPI_SUCCESS;
}
TWIN(Comm_get_errhandler);

int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
    struct mpi_comm *c;

    MPI_ENTER("MPI_Comm_call_errhandler");
    c = mpi_comm_get(comm);
    if (!c)
        return mpi_err(NULL, "MPI_Comm_call_errhandler", MPI_ERR_COMM, "%p is no communicator", (void *)comm);
    mpi_err(c, "MPI_Comm_call_errhandler", errorcode, "the program raised error code %d", errorcode);
    return MPI_SUCCESS;
}
TWIN(Comm_call_errhandler);
