/* Ranks on other machines that are lost while a one-sided operation waits for them. */
#ifndef MPI_RMA_LOST_H
#define MPI_RMA_LOST_H

#include "core/lost_watch.h"
#include "rma/window.h"

/* What such a wait has besides: see core/lost_watch.h.  Baton held. */
static inline struct fw_req *mpi_rma_watch(const struct mpi_win *w)
{
    return mpi_lost_watch(w->comm, MPI_ANY_SOURCE);
}
/* After each turn: a loss is raised on the window, and then ends the process, as nobody knows what
 * of the epoch has been done. */
void mpi_rma_lost(const struct mpi_win *w, struct fw_req *watch) __attribute__((noreturn, cold));
static inline void mpi_rma_check(const struct mpi_win *w, struct fw_req *watch)
{
    if (unlikely(mpi_lost_seen(watch)))
        mpi_rma_lost(w, watch);
}
static inline void mpi_rma_unwatch(struct fw_req *watch)
{
    if (watch)
        mpi_fw_req_free(mpi_fw, watch);
}

#endif
