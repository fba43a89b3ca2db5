/* Hints of windows, and the errors of their attributes. */
#ifndef MPI_WIN_INFO_H
#define MPI_WIN_INFO_H

#include "core/attribute.h"
#include "rma/window.h"

/* Those that the library knows; the info object is valid, or MPI_INFO_NULL. */
void mpi_win_take_hints(struct mpi_win *w, MPI_Info info);

/* Whether the key is there, and "true". */
bool mpi_win_hint_said(MPI_Info info, const char *key);

/* Raises it on the window; the code that the call returns. */
int mpi_win_attribute_raise(struct mpi_win *w, const char *call,
                            const struct mpi_attribute_error *e);

#endif
