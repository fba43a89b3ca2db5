/* Long puts and gets where the target waits in a call: its NIC copies a share (chunks.h). */
#ifndef MPI_RMA_SHARE_H
#define MPI_RMA_SHARE_H

#include "rma/place.h"
#include "rma/side.h"

/* All of it, waited for.  False: not possible here, or a copy failed: nothing is known of the bytes
 * then, and somebody else has to do it again.  Without the baton. */
bool mpi_rma_share(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                   const struct mpi_rma_side *local, const struct mpi_rma_side *remote);

#endif
