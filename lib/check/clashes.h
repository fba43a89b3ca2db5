/* What several ranks have done to the same bytes of a window. */
#ifndef CHECK_CLASHES_H
#define CHECK_CLASHES_H

#include <mpi.h>

/* Collective on the window, when an epoch of all its ranks has ended: each rank reports what it has
 * done to bytes of a part to which another has done what does not go with that. */
void check_clashes_find(MPI_Win win);

#endif
