/* Requests given up: MPI_Cancel and MPI_Request_free. */
#include "core/err.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"

int PMPI_Cancel(MPI_Request *request)
{
    struct mpi_pending p;
    MPI_ENTER("MPI_Cancel");
    if (!request || *request == MPI_REQUEST_NULL)
        return mpi_err(NULL, "MPI_Cancel", MPI_ERR_REQUEST, "there is no request");
    nic_enter(mpi_nic);
    enum mpi_found found = mpi_req_find(*request, &p);
    if (found == MPI_REQ_ACTIVE && !fw_req_done(p.req))
        mpi_fw_cancel(mpi_fw, p.req);
    nic_leave(mpi_nic);
    return found == MPI_REQ_ACTIVE ? MPI_SUCCESS : mpi_bad_request("MPI_Cancel", *request);
}
MPI_WEAK_ALIAS(Cancel);

/* The firmware frees the request when it is done.  One with a packed copy, which the firmware
 * does not know, is seen to its end here. */
static void forget(struct fw_req *r)
{
    struct mpi_pending p = { .req = r };
    struct mpi_why why;
    MPI_Request handle = mpi_req_handle(r);
    if (handle == MPI_REQ_SENT)
        return;
    if (r->host.extra == FW_EXTRA_NONE) {
        mpi_fw_detach(mpi_fw, r);
        return;
    }
    mpi_req_wait_in(r, "MPI_Request_free", &handle, 1);
    mpi_req_finish(&p, NULL, MPI_STATUS_IGNORE, &why);
}

/* A request that is active then, and goes on, holds the communicator in its place. */
static void free_persistent(struct mpi_persistent *p)
{
    struct fw_req *r = p->active;
    struct mpi_comm *c = p->comm;
    mpi_handle_free((uintptr_t)p->handle);
    p->class->end(p);
    if (r) {
        r->host.held = true;
        forget(r);
    } else {
        mpi_comm_drop(c);
    }
}

int PMPI_Request_free(MPI_Request *request)
{
    const char *call = "MPI_Request_free";
    struct mpi_pending p;
    MPI_ENTER(call);
    if (!request)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the address of the request is NULL");
    MPI_Request h = *request;
    nic_enter(mpi_nic);
    enum mpi_found found = h == MPI_REQUEST_NULL ? MPI_REQ_INVALID : mpi_req_find(h, &p);
    if (found != MPI_REQ_INVALID && p.persistent)
        free_persistent(p.persistent);
    else if (found == MPI_REQ_ACTIVE)
        forget(p.req);
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return mpi_bad_request(call, h);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Request_free);
