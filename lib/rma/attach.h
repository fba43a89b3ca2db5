/* Memory of dynamic windows.  Each rank's control block lists its own; who looks for some reads the
 * list there. */
#ifndef MPI_RMA_ATTACH_H
#define MPI_RMA_ATTACH_H

#include "rma/window.h"

/* MPI_SUCCESS, MPI_ERR_RMA_ATTACH: no room, or it overlaps what is attached already. */
int mpi_rma_attach(struct mpi_win *w, void *base, uint64_t bytes);
/* False: nothing that begins there is attached. */
bool mpi_rma_detach(struct mpi_win *w, const void *base);
/* The end of the window. */
void mpi_rma_detach_all(struct mpi_win *w);

/* Addresses [begin, end) of the target. */
int mpi_rma_find_attached(struct mpi_win *w, int target, uint64_t begin, uint64_t end,
                          struct mpi_rma_place *place);

/* Memory of this process, for its peers: in the heap, or under a key of its own (*owned).  0 or a
 * negative errno. */
int mpi_rma_expose(void *base, uint64_t bytes, struct nic_address *address, bool *owned);
void mpi_rma_conceal(const struct nic_address *address);

#endif
