/* The windows whose accesses are followed. */
#ifndef CHECK_WINDOWS_H
#define CHECK_WINDOWS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check_open;              /* accesses.c */

struct check_window {
    struct check_window *next;
    MPI_Win win;
    MPI_Comm comm;              /* of its ranks, for the checks alone */
    int ranks;
    uint64_t *unit;             /* of displacements, by rank */
    /* what is not complete yet, the oldest first; and how many pieces they have */
    struct check_open *open;
    size_t opens, room, pieces;
};

/* Collective on a window that was just made, and on what its ranks have called that with. */
void check_window_made(MPI_Win win, MPI_Comm comm);
/* Before the window is freed: its handle may mean another one then.  NULL: it is not followed. */
struct check_window *check_window_take(MPI_Win win);
/* And after it, collective if it is freed; else it is followed again. */
void check_window_freed(struct check_window *w, bool freed);
/* NULL: it is not followed. */
struct check_window *check_window(MPI_Win win);

#endif
