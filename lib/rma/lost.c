#include "rma/lost.h"

#include "core/err.h"

void mpi_rma_lost(const struct mpi_win *w, struct fw_req *watch)
{
    struct mpi_why why;
    int class = mpi_lost_end(watch, &why);
    nic_leave(mpi_nic);
    mpi_win_err(w, "a one-sided operation", class, "%s", why.text);
    mpi_die(MPI_ERR_PROC_ABORTED);
}
