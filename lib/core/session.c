/* The sessions of this process. */
#include "core/session.h"

#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

#include "core/errhandler.h"
#include "core/handle.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpi_session *sessions;    /* under lock */
static uint64_t last_serial;            /* under lock */

struct mpi_session *mpi_session_new(MPI_Errhandler errhandler)
{
    struct mpi_session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->errhandler = errhandler;
    s->handle = (MPI_Session)mpi_handle_new(MPI_KIND_SESSION, s);
    if (!s->handle) {
        free(s);
        return NULL;
    }
    mpi_errhandler_hold(errhandler);
    pthread_mutex_lock(&lock);
    s->serial = ++last_serial;
    s->next = sessions;
    sessions = s;
    pthread_mutex_unlock(&lock);
    return s;
}

struct mpi_session *mpi_session_get(MPI_Session h)
{
    return mpi_handle_get(MPI_KIND_SESSION, (uintptr_t)h);
}

bool mpi_session_end(struct mpi_session *s, unsigned *comms)
{
    pthread_mutex_lock(&lock);
    *comms = s->comms;
    struct mpi_session **at = &sessions;
    while (!s->comms && *at != s)
        at = &(*at)->next;
    if (!s->comms)
        *at = s->next;
    pthread_mutex_unlock(&lock);
    if (*comms)
        return false;
    mpi_handle_free((uintptr_t)s->handle);
    mpi_errhandler_drop(s->errhandler);
    free(s->buffer);        /* nothing is in it */
    free(s);
    return true;
}

void mpi_session_count(uint64_t serial, int change)
{
    if (!serial)
        return;
    pthread_mutex_lock(&lock);
    for (struct mpi_session *s = sessions; s; s = s->next)
        if (s->serial == serial)
            s->comms += (unsigned)change;
    pthread_mutex_unlock(&lock);
}

struct mpi_buffer *mpi_session_buffer(uint64_t serial)
{
    struct mpi_buffer *buffer = NULL;
    pthread_mutex_lock(&lock);
    for (const struct mpi_session *s = sessions; s; s = s->next)
        if (s->serial == serial)
            buffer = s->buffer;
    pthread_mutex_unlock(&lock);
    return buffer;
}

/* -- sets of processes */

static const char *const psets[MPI_PSETS] = {
    [MPI_PSET_WORLD] = "mpi://WORLD", [MPI_PSET_SELF] = "mpi://SELF",
};

const char *mpi_pset_name(int i) { return i >= 0 && i < MPI_PSETS ? psets[i] : NULL; }

enum mpi_pset mpi_pset_by_name(const char *name)
{
    int i = 0;
    while (i < MPI_PSETS && strcasecmp(name, psets[i]))
        i++;
    return (enum mpi_pset)i;
}
