/* Allgatherv and gatherv that block, of short blocks, by slots (fw/shm_coll.h).
 *
 * Of an allgatherv all ranks know all lengths.  Of a gatherv they do not, so each pair decides for
 * its own: a block that fits into a row lies there, a longer one goes by a message, which both ends
 * find alike where their counts agree.  A word before each block says which, and how long it is.
 *
 * A gatherv goes so past the cores only.  With a core for each rank long blocks would lose what the
 * look at the rows takes, a fifth at 1 KiB.  An alltoallv, with a row for each rank in which each
 * other has a place, gains a fifth of the time of short blocks and loses a tenth of that of long
 * ones; so it goes by messages. */
#ifndef MPI_VECTOR_H
#define MPI_VECTOR_H

#include "coll/build.h"

struct mpi_coll_vector {
    struct fw_shm_vector shm;
    struct mpi_coll *x;
    const struct mpi_coll_plan *p;
    struct fw_shm_op *op;       /* once it is begun */
    uint32_t room;              /* for a block in a row, behind the word */
    bool messages;              /* a block goes, or comes, by a message, */
    bool before;                /* which is all there is to be done, and leaves at once */
};

/* What goes by messages, if anything does: all of it. */
void mpi_coll_vector_messages(struct mpi_coll_vector *v);
void mpi_build_vector(struct mpi_build *b, const struct mpi_coll_vector *v);

/* Of who waits for such a message: whether it will not come, as the other's block is in a row, or
 * as that rank called something else; the error is noted. */
bool mpi_coll_vector_disagrees(struct mpi_coll_vector *v);

#endif
