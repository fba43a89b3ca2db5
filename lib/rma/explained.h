/* Where the time of a one-sided operation went, for mpirun --explain (nicemu/explain.h): on the
 * model clock, where NICs answer.  A put or a get is one way there and back.  An accumulate or a
 * lock is several, each of which goes on from where the one before it has ended, which is in
 * `explained` of struct mpi_win. */
#ifndef MPI_RMA_EXPLAINED_H
#define MPI_RMA_EXPLAINED_H

#include "rma/window.h"

/* A transfer has been answered; baton held. */
void mpi_rma_explain_transfer(struct mpi_win *w, int target, const char *how, size_t bytes);

/* An operation of several steps, from here on and to here.  The baton is not needed, as one thread
 * calls at a time on that clock, and is not taken: where ranks share processors a rank that comes
 * back to MPI has to wait for one, so that a call more would be another program. */
void mpi_rma_explain_begin(struct mpi_win *w);
void mpi_rma_explain_end(struct mpi_win *w, int target, const char *how, size_t bytes);

/* A step of it begins; and the nic_outcome.done of a step, whose context is the window.  Baton
 * held. */
void mpi_rma_explain_step(struct mpi_win *w);
void mpi_rma_explain_answer(void *window, int status);

#endif
