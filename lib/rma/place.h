/* Where a target's side lies. */
#ifndef MPI_RMA_PLACE_H
#define MPI_RMA_PLACE_H

#include "rma/side.h"
#include "rma/window.h"

/* The place of the first byte that the side spans (at + low).  MPI_SUCCESS; MPI_ERR_RMA_RANGE: the
 * side is not within the target's memory.  Without the baton. */
int mpi_rma_place(struct mpi_win *w, int target, MPI_Aint disp, const struct mpi_rma_side *s,
                  struct mpi_rma_place *place);

#endif
