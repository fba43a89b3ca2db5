/* See windows.h. */
#include "check/windows.h"

#include <stdlib.h>

#include "check/caller.h"
#include "check/comms.h"
#include "mpi/door.h"

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
    return check_log_is_several() ? NULL : *find(win);
}

static uint64_t own_unit(MPI_Win win)
{
    void *unit = NULL;
    int flag = 0;

    return !PMPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag) && flag ? *(int *)unit : 1;
}

/* All ranks alike, or the others would wait: threads may be several on some only. */
void check_window_made(MPI_Win win, MPI_Comm comm)
{
    struct check_window *w = calloc(1, sizeof *w);
    uint64_t unit = own_unit(win);

    if (!w || !mpi_door.checked(comm) || PMPI_Comm_dup(comm, &w->comm)) {
        free(w);
        return;
    }
    PMPI_Comm_size(w->comm, &w->ranks);
    w->unit = calloc((size_t)w->ranks, sizeof *w->unit);
    if (!w->unit || mpi_door.allgather(check_name(), &unit, sizeof unit, w->unit, w->comm))
        abort();                /* the others would wait for this rank */
    w->win = win;
    w->next = first;
    first = w;
}

void check_window_freed(MPI_Win win)
{
    struct check_window **place = find(win), *w = *place;

    if (!w)
        return;
    *place = w->next;
    PMPI_Comm_free(&w->comm);
    free(w->unit);
    free(w);
}
