#include <pthread.h>
#include <stdlib.h>
#include "core/handle.h"
#include "fortran/later.h"
#include "fortran/section.h"

/* One thing that is kept; `section` or `memory`. */
struct kept {
    struct kept *next;
    int request;
    bool persistent;
    bool active;                /* a persistent one: it was started, and its end not seen */
    struct mpif_section *section;
    void *memory;
};

_Atomic unsigned mpif_kept;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *list;       /* under lock */

static void kept_free(struct kept *k)
{
    if (k->section)
        mpif_section_free(k->section);
    free(k->memory);
    free(k);
    atomic_fetch_sub_explicit(&mpif_kept, 1, memory_order_relaxed);
}

/* For each thing of a request: tells it, and lets it go if `tell` says so. */
typedef bool tell_kept(struct kept *k);

static void tell_all(int request, tell_kept *tell)
{
    pthread_mutex_lock(&lock);
    for (struct kept **place = &list; *place;) {
        struct kept *k = *place;
        if (k->request == request && tell(k)) {
            *place = k->next;
            kept_free(k);
        } else
            place = &k->next;
    }
    pthread_mutex_unlock(&lock);
}

/* -- to keep ----------------------------------------------------------------------------------- */

static void keep(int request, bool persistent, struct mpif_section *section, void *memory)
{
    struct kept *k = malloc(sizeof *k);

    if (!k)
        return;                 /* a leak is all that can be done: the operation uses it */
    *k = (struct kept){ .request = request, .persistent = persistent, .section = section,
                        .memory = memory };
    pthread_mutex_lock(&lock);
    k->next = list;
    list = k;
    atomic_fetch_add_explicit(&mpif_kept, 1, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

/* None, or the one that all share that were complete at once: it cannot tell what belongs to whom,
 * and nothing has to be kept. */
static bool is_over(int request)
{
    return request == (int)(uintptr_t)MPI_REQUEST_NULL
           || request == PMPI_Request_toint(MPI_REQ_SENT);
}

void mpif_later_section(int request, bool persistent, struct mpif_section *section)
{
    if (!is_over(request)) {
        keep(request, persistent, section, NULL);
        return;
    }
    mpif_section_give(section);
    mpif_section_free(section);
}

void mpif_later_free(int request, bool persistent, void *memory)
{
    if (is_over(request))
        free(memory);
    else
        keep(request, persistent, NULL, memory);
}

/* -- what becomes of requests ------------------------------------------------------------------ */

static bool forget(struct kept *k)
{
    (void)k;
    return true;
}

static bool fill(struct kept *k)
{
    k->active = true;
    if (k->section)
        mpif_section_fill(k->section);
    return false;
}

static bool give(struct kept *k)
{
    if (k->section)
        mpif_section_give(k->section);
    return false;
}

static bool end(struct kept *k)
{
    give(k);
    k->active = false;
    return !k->persistent;
}

/* A request that is freed goes on if it is under way: then what it uses stays, and is reached by no
 * number. */
static bool let_go(struct kept *k)
{
    k->request = 0;
    return k->persistent && !k->active;
}

void mpif_later_new(int request) { tell_all(request, forget); }
void mpif_started(int request) { tell_all(request, fill); }
void mpif_arrived(int request) { tell_all(request, give); }
void mpif_ended(int request) { tell_all(request, end); }
void mpif_freed(int request) { tell_all(request, let_go); }

void mpif_ended_of(MPI_Count n, const int *requests, const MPI_Request *now, bool all)
{
    for (MPI_Count i = 0; i < n; i++)
        if (all || (now && now[i] == MPI_REQUEST_NULL))
            mpif_ended(requests[i]);
}

void mpif_ended_some(int n, const int *requests, const int *indices)
{
    for (int i = 0; i < n; i++)
        mpif_ended(requests[indices[i]]);
}

void mpif_arrived_some(int n, const int *requests, const int *indices)
{
    for (int i = 0; i < n; i++)
        mpif_arrived(requests[indices[i]]);
}

void mpif_started_all(MPI_Count n, const int *requests)
{
    for (MPI_Count i = 0; i < n; i++)
        mpif_started(requests[i]);
}

void mpif_arrived_all(MPI_Count n, const int *requests)
{
    for (MPI_Count i = 0; i < n; i++)
        mpif_arrived(requests[i]);
}
