/* Who waits in a queue of a window's part, as reports tell it, and what it does when a rank in
 * front of it has ended. */
#ifndef MPI_RMA_WAITER_H
#define MPI_RMA_WAITER_H

#include "rma/window.h"

struct mpi_rma_waiter {
    struct mpi_win *w;
    const char *(*note)(void *argument, char *text, size_t size);
    int target, before, ended;  /* before: who is in front of it */
    bool exclusive, anybody;    /* anybody: who is waited for is not known yet */
    bool waited;                /* it did not get there at once */
    const char *call;
};

/* A rank's name in words: 0 is nobody. */
static inline uint64_t mpi_rma_name_of(int rank) { return (uint64_t)(unsigned)rank + 1; }
static inline uint64_t mpi_rma_own_name(const struct mpi_win *w)
{
    return mpi_rma_name_of(w->comm->rank);
}
static inline bool mpi_rma_is_name(const struct mpi_win *w, uint64_t name)
{
    return name && name <= (unsigned)w->comm->size;
}

/* Without the baton, as for the others. */
bool mpi_rma_has_ended(const struct mpi_win *w, int rank);

/* Whether the queue is broken: a rank in front of this one has ended, or the target.  Then `ended`
 * names it, those who come later are told, and it is MPI_ERR_PROC_ABORTED. */
int mpi_rma_broken(struct mpi_rma_waiter *g);

#endif
