/* The queue for a lock where all ranks have mapped all words: each waits for the turn of the rank
 * in front of it, at that rank's block.  Who comes puts its name and the number of its turn into
 * the tail, and learns there whose turn is in front of its own; who goes counts its turn as done.
 * So a lock is handed over by one line that one rank writes and another reads.  In a queue whose
 * ranks wait at their own blocks (queue.h) who goes has to know first who comes behind it; here
 * that rank leaves its name, to be woken, if it is about to wait for long.
 *
 * A number is used once by its rank, so that whoever is late to look sees that it is over. */
#ifndef MPI_RMA_TURNS_H
#define MPI_RMA_TURNS_H

#include "rma/waiter.h"

/* Each: MPI_SUCCESS; MPI_ERR_INTERN: a word says what cannot be; of windows that break,
 * MPI_ERR_PROC_ABORTED.  Without the baton. */

/* Until it is this rank's turn. */
int mpi_rma_turn_take(struct mpi_rma_waiter *g);
/* Not if it has to wait: *got tells. */
int mpi_rma_turn_try(struct mpi_rma_waiter *g, bool *got);
void mpi_rma_turn_end(const struct mpi_rma_waiter *g);
/* Whether all turns are over, so that nobody is in the queue: *over tells, as of a moment behind
 * what this thread has done before by atomic operations. */
int mpi_rma_turns_over(struct mpi_rma_waiter *g, bool *over);

#endif
