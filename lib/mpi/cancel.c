/* Requests given up: MPI_Cancel and MPI_Request_free. */
#include <stdio.h>

#include "core/err.h"
#include "core/label.h"
#include "core/request_free.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"
#include "nicemu/threads.h"

/* A collective goes on to its end, which the program has to see: an error, on its communicator. */
static int refuse(const struct fw_req *r, const char *what, struct mpi_why *why)
{
    char label[MPI_LABEL_BYTES], call[96] = "a collective";
    if (!fw_req_done(r))
        mpi_request_class(r)->describe(r, mpi_label(r->host.comm, label), call, sizeof call);
    snprintf(why->text, sizeof why->text, "%s cannot be %s", call, what);
    why->comm = r->host.comm;
    why->held = true;
    mpi_comm_hold(why->comm);
    return MPI_ERR_REQUEST;
}

/* Of one of the host's own the function to call, without the baton; NULL: it is done with. */
static struct mpi_own *cancel(struct fw_req *r, bool *done)
{
    *done = fw_req_done(r);
    if (r->object.kind == FW_HOST)
        return r->host.own->class->cancel ? r->host.own : NULL;
    if (!*done && mpi_fw_cancel(mpi_fw, r))
        nic_moved(mpi_nic);
    return NULL;
}

static int cancel_own(const char *call, struct mpi_own *own, bool done)
{
    int class = own->class->cancel(own, done);
    return class ? mpi_err(NULL, call, class, "the function that cancels it returned %d", class)
                 : MPI_SUCCESS;
}

int PMPI_Cancel(MPI_Request *request)
{
    const char *call = "MPI_Cancel";
    struct mpi_pending p;
    struct mpi_own *own = NULL;
    struct mpi_why why;
    int class = MPI_SUCCESS;
    bool done = false;
    MPI_ENTER(call);
    if (!request || *request == MPI_REQUEST_NULL)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "there is no request");
    nic_enter(mpi_nic);
    enum mpi_found found = mpi_req_find(*request, &p);
    if (found == MPI_REQ_ACTIVE && mpi_req_is_collective(p.req))
        class = refuse(p.req, "cancelled", &why);
    else if (found == MPI_REQ_ACTIVE)
        own = cancel(p.req, &done);
    nic_leave(mpi_nic);
    if (found != MPI_REQ_ACTIVE)
        return mpi_bad_request(call, *request);
    if (class)
        return mpi_why_raise(&why, call, class);
    return own ? cancel_own(call, own, done) : MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Cancel);

/* A request that is active then, and goes on, holds the communicator in its place. */
static int free_persistent(struct mpi_persistent *p, struct mpi_why *why)
{
    struct fw_req *r = p->active;
    struct mpi_comm *c = p->comm;
    mpi_handle_free((uintptr_t)p->handle);
    p->class->end(p);
    if (r) {
        r->host.held = true;
        return mpi_req_forget(r, why);
    }
    mpi_comm_drop(c);
    return MPI_SUCCESS;
}

/* What a valid handle names; a handle that goes on to name it stays as it is. */
static int free_found(const struct mpi_pending *p, MPI_Request *request, struct mpi_why *why)
{
    if (p->req && mpi_req_is_collective(p->req))
        return refuse(p->req, "freed before a wait or a test completes it", why);
    *request = MPI_REQUEST_NULL;
    return p->persistent ? free_persistent(p->persistent, why) : mpi_req_forget(p->req, why);
}

int PMPI_Request_free(MPI_Request *request)
{
    const char *call = "MPI_Request_free";
    struct mpi_pending p;
    struct mpi_why why;
    int class = MPI_SUCCESS;
    MPI_ENTER(call);
    if (!request)
        return mpi_err(NULL, call, MPI_ERR_REQUEST, "the address of the request is NULL");
    MPI_Request h = *request;
    nic_enter(mpi_nic);
    enum mpi_found found = h == MPI_REQUEST_NULL ? MPI_REQ_INVALID : mpi_req_find(h, &p);
    if (found != MPI_REQ_INVALID)
        class = free_found(&p, request, &why);
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return mpi_bad_request(call, h);
    return class ? mpi_why_raise(&why, call, class) : MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Request_free);
