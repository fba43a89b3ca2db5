/* Locks of windows' parts: a queue per part, in which each waits at a word of its own (Mellor-
 * Crummey and Scott's, by remote atomic operations), in the order in which they came.
 *
 * Who wants the lock alone stays first in the queue while it has it.  Who shares it counts itself
 * when it is first, and lets the next one come; so nobody who came before is overtaken, and those
 * who share come in together.  Who is first and wants it alone waits for the end of those who
 * share: the last of them tells it. */
#ifndef MPI_RMA_LOCK_H
#define MPI_RMA_LOCK_H

#include "rma/window.h"

/* Each: MPI_SUCCESS; an error class of mpi_rma_word; or MPI_ERR_INTERN: a word says what cannot be,
 * so that something else has written over it.  Without the baton. */

/* `call` for wait reasons. */
int mpi_rma_lock(struct mpi_win *w, int target, bool exclusive, const char *call);
int mpi_rma_unlock(struct mpi_win *w, int target, bool exclusive);

/* Under which the target's memory is accumulated into, held shortly.  In order on the model clock;
 * else whoever comes at the right moment. */
int mpi_rma_busy(struct mpi_win *w, int target);
int mpi_rma_idle(struct mpi_win *w, int target);

#endif
