#include "rma/lost.h"

#include <errno.h>

#include "core/err.h"

bool mpi_rma_lost(const struct mpi_win *w, struct fw_req **watch)
{
    struct mpi_why why;
    if (likely(!mpi_lost_seen(*watch)))
        return false;
    mpi_lost_end(*watch, &why);
    *watch = mpi_rma_watch(w);
    return true;
}

int mpi_rma_outcome_wait(const struct mpi_win *w, struct nic_outcome *outcome)
{
    struct fw_req *watch = mpi_rma_watch(w);
    struct nic_wait wait = { .note = NULL };
    if (!watch)
        return nic_outcome_wait(mpi_nic, outcome);
    while (nic_outcome_status(outcome) == -EINPROGRESS) {
        nic_wait_turn(mpi_nic, &wait);
        mpi_rma_lost(w, &watch);
    }
    mpi_rma_unwatch(watch);
    return nic_outcome_status(outcome);
}
