/* Small requests at the target: its NIC does them in the handler of their packet. */
#ifndef MPI_RMA_SERVE_H
#define MPI_RMA_SERVE_H

#include "rma/window.h"

/* From now on requests for this window are understood: all parts are known.  Without the baton. */
void mpi_rma_serve_begin(struct mpi_win *w);

#endif
