/* Making windows: each rank its own part, then what all of them have told (in this order). */
#ifndef MPI_RMA_MAKE_H
#define MPI_RMA_MAKE_H

#include "rma/window.h"

/* What a rank lacks for a window, if anything.  UNSHARED: memory that all ranks see. */
enum mpi_rma_good { MPI_RMA_NO_MEMORY, MPI_RMA_GOOD, MPI_RMA_UNSHARED };

/* What a rank tells the others of its part. */
struct mpi_rma_card {
    struct nic_address address, control;
    uint64_t bytes;
    uint64_t name;                  /* the window's handle there */
    int64_t unit;
    uint32_t reaches;               /* mpi_rma_reaches of the rank */
    uint16_t good;                  /* enum mpi_rma_good: it has all that it needs */
    uint16_t spread;                /* shared memory need not lie side by side */
};

/* A window of this communicator, which stays the caller's; fills in card->control.  NULL: no
 * memory. */
struct mpi_win *mpi_rma_new(struct mpi_comm *c, int flavor, struct mpi_rma_card *card);

/* Its memory: the program's, its own, or a block in the heap for all ranks' (whose address alone
 * comes into the card).  shared: all see it, so it is in the heap, aligned if there is room for
 * that.  False: no memory. */
bool mpi_rma_memory(struct mpi_win *w, void *base, size_t bytes, struct mpi_rma_card *card);
bool mpi_rma_own_memory(struct mpi_win *w, size_t bytes, size_t align, bool shared,
                        struct mpi_rma_card *card);
bool mpi_rma_shared_block(struct mpi_win *w, size_t bytes, size_t align,
                          struct mpi_rma_card *card);

/* The cards of all ranks. */
void mpi_rma_settle(struct mpi_win *w, const struct mpi_rma_card *cards);

/* The end of a window that nobody uses any more; its communicator stays.  A window that was not
 * settled, too. */
void mpi_rma_delete(struct mpi_win *w);

#endif
