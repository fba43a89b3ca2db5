/* What the calls that access a target's memory are given, and whether they may. */
#ifndef MPI_RMA_ACCESS_H
#define MPI_RMA_ACCESS_H

#include "core/request.h"
#include "mpi/win_args.h"
#include "rma/epoch.h"
#include "rma/place.h"

/* The target's end of a call. */
struct mpi_rma_access {
    const char *call;
    struct mpi_win *w;
    int target;                 /* or MPI_PROC_NULL: nothing more is to be done */
    struct mpi_rma_side remote;
    struct mpi_rma_place place;
};

/* Each: MPI_SUCCESS or an error that has been raised.  passive: of a call with a request, which a
 * lock alone allows. */
int mpi_rma_enter(struct mpi_rma_access *x, MPI_Win win, int target, bool passive);
/* The target's side. */
int mpi_rma_find(struct mpi_rma_access *x, MPI_Aint disp, MPI_Count count, MPI_Datatype type);

/* The request of a call that is over. */
static inline int mpi_rma_over(MPI_Request *request)
{
    if (request)
        *request = MPI_REQ_SENT;
    return MPI_SUCCESS;
}

#endif
