/* Completing one request. */
#include "core/err.h"
#include "core/status.h"
#include "mpi/completion.h"
#include "mpi/weak_alias.h"

/* Any kind; gives the baton back. */
static __attribute__((noinline)) int wait_slowly(MPI_Request *request, MPI_Status *status)
{
    struct mpi_pending p;
    struct mpi_why why;
    int class = MPI_SUCCESS;
    enum mpi_found found = mpi_req_find(*request, &p);
    if (likely(found == MPI_REQ_ACTIVE)) {
        mpi_req_wait_in(p.req, "MPI_Wait", request, 1);
        class = mpi_req_finish(&p, request, status, &why);
        nic_work(mpi_nic, NIC_WORK_WAIT);
    }
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return mpi_bad_request("MPI_Wait", *request);
    if (found == MPI_REQ_INACTIVE)
        mpi_status_set_empty(status);
    return unlikely(class) ? mpi_why_raise(&why, "MPI_Wait", class) : MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_ENTER("MPI_Wait");
    if (unlikely(!request))
        return mpi_err(NULL, "MPI_Wait", MPI_ERR_REQUEST, "the address of the request is NULL");
    nic_enter(mpi_nic);
    if (unlikely(!wait_simple("MPI_Wait", request, 1, status)))
        return wait_slowly(request, status);
    nic_leave(mpi_nic);
    return MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Wait);

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct mpi_pending p;
    struct mpi_why why;
    int class = MPI_SUCCESS;
    MPI_ENTER("MPI_Test");
    if (unlikely(!request || !flag))
        return mpi_err(NULL, "MPI_Test", MPI_ERR_ARG,
                       "an address for the request or the flag is NULL");
    nic_enter(mpi_nic);
    enum mpi_found found = mpi_req_find(*request, &p);
    *flag = found == MPI_REQ_INACTIVE;
    if (found == MPI_REQ_ACTIVE) {
        if (!fw_req_done(p.req))
            nic_step(mpi_nic);
        if ((*flag = fw_req_done(p.req)))
            class = mpi_req_finish(&p, request, status, &why);
    }
    nic_leave(mpi_nic);
    if (found == MPI_REQ_INVALID)
        return mpi_bad_request("MPI_Test", *request);
    if (found == MPI_REQ_INACTIVE)
        mpi_status_set_empty(status);
    if (!*flag)
        mpi_poll_pause();
    return unlikely(class) ? mpi_why_raise(&why, "MPI_Test", class) : MPI_SUCCESS;
}
MPI_WEAK_ALIAS(Test);
