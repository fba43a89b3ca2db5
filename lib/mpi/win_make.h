/* Windows that the library makes for itself. */
#ifndef MPI_WIN_MAKE_H
#define MPI_WIN_MAKE_H

#include "mpi/comm_make.h"
#include "rma/window.h"

enum { MPI_WIN_BARE = -1 };     /* a flavor: without memory, for its control blocks alone */

/* Of all ranks of the communicator, which name the same home (a rank of it).  MPI_SUCCESS, or an
 * error that has been raised. */
int mpi_win_make_bare(const struct mpi_comm_origin *from, MPI_Comm comm, int home,
                      struct mpi_win **w);

#endif
