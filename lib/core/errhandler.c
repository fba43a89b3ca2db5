/* The life of error handlers. */
#include "core/errhandler.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/handle.h"

/* Both counts are under `lock`. */
struct errhandler {
    enum mpi_errhandler_of of;
    union mpi_errhandler_fn fn;
    int handles;        /* that the program has */
    int comms;          /* that use it */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_predefined(MPI_Errhandler h)
{
    return h == MPI_ERRORS_ARE_FATAL || h == MPI_ERRORS_ABORT || h == MPI_ERRORS_RETURN;
}

/* NULL for a predefined one, and for what is no handler. */
static struct errhandler *created(MPI_Errhandler h)
{
    return mpi_handle_get(MPI_KIND_ERRHANDLER, (uintptr_t)h);
}

/* Whether the program may use it.  Under lock. */
static bool is_the_programs(MPI_Errhandler h)
{
    const struct errhandler *e = created(h);
    return is_predefined(h) || (e && e->handles > 0);
}

/* Under lock. */
static bool fits(MPI_Errhandler h, enum mpi_errhandler_of of)
{
    return is_the_programs(h) && (is_predefined(h) || created(h)->of == of);
}

/* Under lock. */
static void add(MPI_Errhandler h, int handles, int comms)
{
    struct errhandler *e = created(h);
    if (!e)
        return;
    e->handles += handles;
    e->comms += comms;
    if (e->handles > 0 || e->comms > 0)
        return;
    mpi_handle_free((uintptr_t)h);
    free(e);
}

MPI_Errhandler mpi_errhandler_initial(void)
{
    const char *text = getenv("MPILITE_INITIAL_ERRHANDLER");
    if (text && strcmp(text, "mpi_errors_return") == 0)
        return MPI_ERRORS_RETURN;
    return text && strcmp(text, "mpi_errors_abort") == 0 ? MPI_ERRORS_ABORT : MPI_ERRORS_ARE_FATAL;
}

MPI_Errhandler mpi_errhandler_new(enum mpi_errhandler_of of, union mpi_errhandler_fn fn)
{
    struct errhandler *e = malloc(sizeof *e);
    if (!e)
        return MPI_ERRHANDLER_NULL;
    *e = (struct errhandler){ .of = of, .fn = fn, .handles = 1 };
    uintptr_t handle = mpi_handle_new(MPI_KIND_ERRHANDLER, e);
    if (handle)
        return (MPI_Errhandler)handle;
    free(e);
    return MPI_ERRHANDLER_NULL;
}

bool mpi_errhandler_valid(MPI_Errhandler h, enum mpi_errhandler_of of)
{
    pthread_mutex_lock(&lock);
    bool valid = fits(h, of);
    pthread_mutex_unlock(&lock);
    return valid;
}

bool mpi_errhandler_free(MPI_Errhandler h)
{
    pthread_mutex_lock(&lock);
    bool valid = is_the_programs(h);
    if (valid)
        add(h, -1, 0);
    pthread_mutex_unlock(&lock);
    return valid;
}

void mpi_errhandler_hold(MPI_Errhandler h)
{
    pthread_mutex_lock(&lock);
    add(h, 0, 1);
    pthread_mutex_unlock(&lock);
}

void mpi_errhandler_drop(MPI_Errhandler h)
{
    pthread_mutex_lock(&lock);
    add(h, 0, -1);
    pthread_mutex_unlock(&lock);
}

MPI_Errhandler mpi_errhandler_take(const MPI_Errhandler *place, union mpi_errhandler_fn *fn)
{
    pthread_mutex_lock(&lock);
    MPI_Errhandler h = *place;
    const struct errhandler *e = created(h);
    *fn = e ? e->fn : (union mpi_errhandler_fn){ .any = NULL };
    add(h, 0, 1);
    pthread_mutex_unlock(&lock);
    return h;
}

bool mpi_errhandler_set(MPI_Errhandler *place, MPI_Errhandler h, enum mpi_errhandler_of of)
{
    pthread_mutex_lock(&lock);
    bool valid = fits(h, of);
    if (valid) {
        add(h, 0, 1);       /* before the old one is given up: they may be the same */
        add(*place, 0, -1);
        *place = h;
    }
    pthread_mutex_unlock(&lock);
    return valid;
}

MPI_Errhandler mpi_errhandler_get(const MPI_Errhandler *place)
{
    pthread_mutex_lock(&lock);
    MPI_Errhandler h = *place;
    add(h, 1, 0);
    pthread_mutex_unlock(&lock);
    return h;
}
