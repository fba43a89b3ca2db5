/* Requests that nobody waits for: freed by the program before they are done, and the parts of
 * something. */
#include "core/request_free.h"

#include <stdlib.h>

#include "core/gaps.h"
#include "core/request_wait.h"

void mpi_req_make_portion(struct fw_req *r, struct mpi_portion *part)
{
    part->req = r;
    r->host.portion = part;
    r->host.extra = FW_EXTRA_PORTION;
    mpi_fw_detach(mpi_fw, r);
}

static void part_end(struct fw_req *r)
{
    struct mpi_portion *part = r->host.portion;
    struct mpi_why why = { .text = "", .comm = r->host.comm };
    int class = r->error ? mpi_req_error(r, &why) : MPI_SUCCESS;
    part->ended(part, r, class, &why);
}

void mpi_req_forgotten(struct fw_req *r)
{
    struct mpi_why why;
    if (r->host.gaps)
        mpi_gaps_end(r);
    if (r->host.extra == FW_EXTRA_PORTION)
        part_end(r);
    else if (r->host.extra == FW_EXTRA_OWN)
        r->host.own->class->end(r->host.own, MPI_OWN_FORGOTTEN, MPI_STATUS_IGNORE, &why);
    mpi_req_retired(r);
}

/* -- MPI_Request_free */

/* One that must be seen to its end here. */
static void see_out(struct fw_req *r)
{
    struct mpi_pending p = { .req = r };
    struct mpi_why why;
    MPI_Request handle = mpi_req_handle(r);
    mpi_req_wait_in(r, "MPI_Request_free", &handle, 1);
    if (mpi_req_finish(&p, NULL, MPI_STATUS_IGNORE, &why))
        mpi_why_drop(&why);
}

static int forget_own(struct fw_req *r, struct mpi_why *why)
{
    if (fw_req_done(r))
        return mpi_own_end(r, MPI_OWN_FREED, MPI_STATUS_IGNORE, why);
    mpi_fw_detach(mpi_fw, r);
    return MPI_SUCCESS;
}

int mpi_req_forget(struct fw_req *r, struct mpi_why *why)
{
    switch (r->host.extra) {
    case FW_EXTRA_NONE:
        if (mpi_req_handle(r) != MPI_REQ_SENT)
            mpi_fw_detach(mpi_fw, r);
        return MPI_SUCCESS;
    case FW_EXTRA_OWN:
        return forget_own(r, why);
    default:
        see_out(r);
        return MPI_SUCCESS;
    }
}
