/* Queues by remote atomic operations, for windows whose words not all ranks have mapped (Mellor-
 * Crummey and Scott's): each waits at a word of its own block, which whoever is in front of it
 * writes.  Where all words are mapped there are turns.h. */
#ifndef MPI_RMA_QUEUE_H
#define MPI_RMA_QUEUE_H

#include "rma/waiter.h"

/* The last of a queue, in the target's block; a rank's place in it, in its node for the target. */
struct mpi_rma_queue { size_t tail, next, go; };
extern const struct mpi_rma_queue mpi_rma_lock_queue, mpi_rma_busy_queue;

/* Each: MPI_SUCCESS; an error class of mpi_rma_word; MPI_ERR_INTERN: a word says what cannot be; of
 * windows that break, MPI_ERR_PROC_ABORTED.  Without the baton. */

/* Until this rank is the first. */
int mpi_rma_queue_enter(const struct mpi_rma_queue *q, struct mpi_rma_waiter *g);
int mpi_rma_queue_leave(const struct mpi_rma_queue *q, struct mpi_rma_waiter *g);
/* *last: who is in it; 0: nobody was, and this rank is the first. */
int mpi_rma_queue_try(const struct mpi_rma_queue *q, struct mpi_rma_waiter *g, uint64_t *last);

#endif
