/* See windows.h. */
#include "check/windows.h"

#include <pthread.h>
#include <stdlib.h>

#include "check/caller.h"
#include "mpi/door.h"

/* Threads may make windows at once. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct check_window *first;

static struct check_window **find(MPI_Win win)
{
    struct check_window **w = &first;

    while (*w && (*w)->win != win)
        w = &(*w)->next;
    return w;
}

struct check_window *check_window(MPI_Win win)
{
    pthread_mutex_lock(&lock);
    struct check_window *w = *find(win);
    pthread_mutex_unlock(&lock);
    return w;
}

static void put_in(struct check_window *w)
{
    pthread_mutex_lock(&lock);
    w->next = first;
    first = w;
    pthread_mutex_unlock(&lock);
}

struct check_window *check_window_take(MPI_Win win)
{
    pthread_mutex_lock(&lock);
    struct check_window **place = find(win), *w = *place;
    if (w)
        *place = w->next;
    pthread_mutex_unlock(&lock);
    return w;
}

static uint64_t own_unit(MPI_Win win)
{
    void *unit = NULL;
    int flag = 0;

    return !PMPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag) && flag ? *(int *)unit : 1;
}

/* Of the same ranks, without attributes: MPI_Comm_dup calls the program to copy those. */
static int make_comm(MPI_Comm comm, MPI_Comm *own)
{
    MPI_Group group;
    int rc = PMPI_Comm_group(comm, &group);

    if (rc)
        return rc;
    rc = PMPI_Comm_create(comm, group, own);
    PMPI_Group_free(&group);
    return rc;
}

/* All ranks alike, or the others would wait, also where a rank has several threads and follows
 * nothing. */
void check_window_made(MPI_Win win, MPI_Comm comm)
{
    struct check_window *w = calloc(1, sizeof *w);
    uint64_t unit = own_unit(win);

    if (!w || !mpi_door.checked(comm) || make_comm(comm, &w->comm)) {
        free(w);
        return;
    }
    PMPI_Comm_size(w->comm, &w->ranks);
    w->unit = calloc((size_t)w->ranks, sizeof *w->unit);
    if (!w->unit || mpi_door.allgather(check_name(), &unit, sizeof unit, w->unit, w->comm))
        abort();                /* the others would wait for this rank */
    w->win = win;
    put_in(w);
}

void check_window_freed(struct check_window *w, bool freed)
{
    if (!w)
        return;
    if (!freed) {
        put_in(w);
        return;
    }
    PMPI_Comm_free(&w->comm);
    free(w->unit);
    free(w);
}
