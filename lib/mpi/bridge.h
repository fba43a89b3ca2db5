/* An intercommunicator of two groups, once all ranks know both. */
#ifndef MPI_BRIDGE_H
#define MPI_BRIDGE_H

#include "mpi/among.h"
#include "mpi/comm_make.h"

/* Of a local and a remote group; [0] is the local one. */
struct mpi_bridge {
    const struct mpi_comm_origin *from;
    struct mpi_comm *parent;    /* errors are raised on it */
    int rank;                   /* in the local group */
    int size[2];
    int *world[2];              /* ranks in MPI_COMM_WORLD; taken over */
    int leader[2];              /* one of each, in MPI_COMM_WORLD */
    /* What keeps the messages of the call apart (among.h): a number of each side, or else of the
     * call, with MPI_BRIDGE_TAG. */
    unsigned side[2];
    uint32_t tag;
};

/* Messages of ranks that have nothing in common yet but MPI_COMM_SELF's second context, as
 * collectives of one rank have no messages.  Those with this bit are told apart by a hash. */
enum { MPI_BRIDGE_TAG = 1 << 30 };
uint64_t mpi_bridge_match(void);

/* Agrees with all ranks of both, and makes it: MPI_SUCCESS, or an error that has been raised. */
int mpi_bridge_make(struct mpi_bridge *b, MPI_Comm *made);

#endif
