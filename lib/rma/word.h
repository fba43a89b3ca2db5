/* Words of the control blocks of a window's ranks (control.h). */
#ifndef MPI_RMA_WORD_H
#define MPI_RMA_WORD_H

#include "nicemu/atomic.h"
#include "rma/window.h"

/* Offsets in the block of `rank`; *old: what was there.  MPI_SUCCESS; MPI_ERR_NO_MEM;
 * MPI_ERR_OTHER: the word cannot be reached, and nothing has been changed; MPI_ERR_PROC_ABORTED:
 * that rank is lost, or of windows that break: has ended.  Without the baton. */
int mpi_rma_word(struct mpi_win *w, int rank, size_t at, enum nic_atomic_op op, uint64_t operand,
                 uint64_t compare, uint64_t *old);

static inline int mpi_rma_word_read(struct mpi_win *w, int rank, size_t at, uint64_t *value)
{
    return mpi_rma_word(w, rank, at, NIC_ATOMIC_ADD, 0, 0, value);
}

/* Writes it, and wakes that rank if it waits for the word. */
int mpi_rma_word_tell(struct mpi_win *w, int rank, size_t at, uint64_t value);

/* Waits until a word of this rank's own block is not 0, and returns it; 0: a rank of the window is
 * lost, and nobody knows who would have told.  `note` as in struct nic_wait. */
uint64_t mpi_rma_word_wait(struct mpi_win *w, size_t at,
                           const char *(*note)(void *argument, char *text, size_t size),
                           void *argument);

/* The same, but 0 after some time, on the live clock, in which nobody has told: for who looks after
 * others meanwhile. */
uint64_t mpi_rma_word_wait_some(struct mpi_win *w, size_t at,
                                const char *(*note)(void *argument, char *text, size_t size),
                                void *argument);

/* A word of this rank's own block: as it is, and set while nobody else looks at it. */
uint64_t mpi_rma_word_own(const struct mpi_win *w, size_t at);
void mpi_rma_word_set(struct mpi_win *w, size_t at, uint64_t value);

#endif
