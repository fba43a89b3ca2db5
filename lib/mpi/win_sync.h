/* What several synchronizing calls do. */
#ifndef MPI_WIN_SYNC_H
#define MPI_WIN_SYNC_H

#include "rma/window.h"

/* All ranks of the window: MPI_SUCCESS, or an error that has been raised on it. */
int mpi_win_barrier(const char *call, struct mpi_win *w);

#endif
