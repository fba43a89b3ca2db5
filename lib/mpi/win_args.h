/* What calls with windows are given. */
#ifndef MPI_WIN_ARGS_H
#define MPI_WIN_ARGS_H

#include "core/group.h"
#include "rma/side.h"
#include "rma/window.h"

/* Each: MPI_SUCCESS and what the arguments stand for, or an error that has been raised. */

int mpi_check_win(const char *call, MPI_Win win, struct mpi_win **w);

/* A rank of the window; with MPI_PROC_NULL, which the callers know, too. */
int mpi_check_target(const char *call, struct mpi_win *w, int rank);

/* Assertions out of `known`. */
int mpi_check_assert(const char *call, struct mpi_win *w, int assert, int known);

/* A typed side: buffer, count and datatype. */
int mpi_check_side(const char *call, struct mpi_win *w, const char *whose, const void *at,
                   MPI_Count count, MPI_Datatype type, struct mpi_rma_side *s);

/* What an operation or a flush ended with. */
int mpi_rma_raise(const char *call, struct mpi_win *w, int class, int target);

#endif
