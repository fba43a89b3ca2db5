/* Moving data between this process and a target's memory, typed on both sides: by the processor
 * where the memory is mapped here, else by the NIC (the kernel's copy, or packets). */
#ifndef MPI_RMA_TRANSFER_H
#define MPI_RMA_TRANSFER_H

#include "core/request.h"
#include "rma/place.h"
#include "rma/side.h"

/* What happens once all of it has been done: told with the baton held. */
struct mpi_rma_end { void (*ended)(struct mpi_rma_end *end, int class); };

/* Starts it; it may be at its end already, and then `end` has been told.  end NULL: nobody asks but
 * a flush.  MPI_SUCCESS, or an error class if it was not started.  Without the baton. */
int mpi_rma_start(struct mpi_win *w, int target, const struct mpi_rma_place *place, bool put,
                  const struct mpi_rma_side *local, const struct mpi_rma_side *remote,
                  struct mpi_rma_end *end);

/* Waits for the end of all to a target, or (target < 0) of all.  What has failed with these targets
 * since the last time: an error class and a target.  `call` for wait reasons.  Without the
 * baton. */
struct mpi_rma_flushed { int class, target; };
struct mpi_rma_flushed mpi_rma_flush(struct mpi_win *w, int target, const char *call);

/* The same, until what the operations need here is free again and what they fetch is here.  Puts
 * that the target's NIC has been asked for may not be done: it does them in order with messages of
 * this rank that come later. */
struct mpi_rma_flushed mpi_rma_flush_local(struct mpi_win *w, int target, const char *call);

/* The bytes of a target's side, to or from a packed copy, waited for. */
int mpi_rma_fetch(struct mpi_win *w, const struct mpi_rma_place *place, bool put,
                  const struct mpi_rma_side *remote, void *packed);

#endif
