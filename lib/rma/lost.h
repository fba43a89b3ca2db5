/* Ranks on other machines that are lost while a one-sided operation waits for them.  What the NIC
 * does with them ends then, with an error; who waits says that they are waited for. */
#ifndef MPI_RMA_LOST_H
#define MPI_RMA_LOST_H

#include "core/lost_watch.h"
#include "nicemu/remote.h"
#include "rma/window.h"

/* Baton held, as for the others.  NULL: all ranks are here, or there is no memory. */
static inline struct fw_req *mpi_rma_watch(const struct mpi_win *w)
{
    return mpi_lost_watch(w->comm, MPI_ANY_SOURCE);
}
/* After each turn.  True: a rank of the window is lost, now or since long; the watch goes on. */
bool mpi_rma_lost(const struct mpi_win *w, struct fw_req **watch);
static inline void mpi_rma_unwatch(struct fw_req *watch)
{
    if (watch)
        mpi_fw_req_free(mpi_fw, watch);
}

/* As nic_outcome_wait, with such a watch. */
int mpi_rma_outcome_wait(const struct mpi_win *w, struct nic_outcome *outcome);

#endif
