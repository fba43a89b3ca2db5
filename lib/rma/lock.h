/* Locks of windows' parts: a queue per part, in which ranks wait in the order in which they came
 * (turns.h where all words are mapped, else queue.h).
 *
 * Who wants the lock alone stays first in the queue while it has it.  Who shares it counts itself
 * when it is first, and lets the next one come; so nobody who came before is overtaken, and those
 * who share come in together.  Where turns are mapped who shares it counts itself at once if
 * nobody is in the queue.  Who is first and wants it alone waits for the end of those who share:
 * the last of them tells it. */
#ifndef MPI_RMA_LOCK_H
#define MPI_RMA_LOCK_H

#include "rma/window.h"

/* Each: MPI_SUCCESS; an error class of mpi_rma_word; or MPI_ERR_INTERN: a word says what cannot be,
 * so that something else has written over it.  Without the baton. */

/* `call` for wait reasons. */
int mpi_rma_lock(struct mpi_win *w, int target, bool exclusive, const char *call);
int mpi_rma_unlock(struct mpi_win *w, int target, bool exclusive);

/* The lock of a window that `breaks`, which nobody shares: who waits for it looks after those in
 * front of it.  If one of them has ended, or the target, these return MPI_ERR_PROC_ABORTED and who
 * that was in *ended, else -1.  Nobody has such a lock any more. */
int mpi_rma_mutex_lock(struct mpi_win *w, int target, const char *call, int *ended);
/* Does not wait: *got tells. */
int mpi_rma_mutex_try(struct mpi_win *w, int target, bool *got, int *ended);
int mpi_rma_mutex_unlock(struct mpi_win *w, int target, const char *call, int *ended);

/* Under which the target's memory is accumulated into, held shortly.  In order on the model clock;
 * else whoever comes at the right moment. */
int mpi_rma_busy(struct mpi_win *w, int target);
int mpi_rma_idle(struct mpi_win *w, int target);
/* Whom a struct mpi_rma_waiter waits for there, as in struct nic_wait. */
const char *mpi_rma_busy_note(void *waiter, char *text, size_t size);

#endif
